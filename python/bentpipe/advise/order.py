"""From an order to an advice: the ledger is opened, the search run, its files written."""

import re
import time
from dataclasses import dataclass
from pathlib import Path

from bentpipe.advise.answer import Advice, LinkAdvice, advice
from bentpipe.advise.contenders import Contenders
from bentpipe.advise.progress import Listener
from bentpipe.advise.question import Question, check
from bentpipe.advise.race import Standing, Verdict
from bentpipe.advise.runs import Runs
from bentpipe.advise.search import search
from bentpipe.advise.write import write
from bentpipe.campaign.engine import Engine
from bentpipe.campaign.interruption import Interruption
from bentpipe.engine.host import cpu_time
from bentpipe.errors import InputError
from bentpipe.ledger import Ledger
from bentpipe.scenario.written.command_line import COMMAND_LINE


@dataclass(frozen=True, kw_only=True)
class Order:
    """What is asked, and what may be spent on it.

    Attributes
    ----------
    question : Question
        What is asked.
    budget_s : float
        Wall time for runs; infinite where nobody waits.
    folder : Path or None
        Of runs and answer; None for one of the page's name below `results`.
    jobs : int or None
        Runs at once; None for what this machine can take.
    """

    question: Question
    budget_s: float
    folder: Path | None = None
    jobs: int | None = None


@dataclass(frozen=True, kw_only=True)
class Given:
    """An advice, and the folder that its files are in."""

    advice: Advice
    folder: Path


def advise(order: Order, *, engine: Engine, listener: Listener) -> Given:
    """Answer a question, and write the answer into its folder.

    Runs that the folder has are not made again, so that the same question goes on, and another one about the
    same page takes up what is there.

    Raises
    ------
    InputError
        When the question cannot be put, the folder has something else, or the budget is spent before there is
        anything to tell.
    StorageError
        When the disk does not take a run or the answer.
    """
    question = order.question
    check(question)
    page = _file_name(question.page)
    folder = order.folder or Path("results") / f"advise-{page}"
    document = {"name": f"advise-{page}", "kind": "advice", "engine": engine.name, "page": question.page}
    with Ledger.claim(folder, document) as ledger, Interruption() as interruption:
        started_s = time.monotonic()
        present = Contenders(question).present
        specs = [question.run(cell, 0).spec for cell in present.cells.values()]
        runs = Runs(
            question,
            engine=engine,
            ledger=ledger,
            jobs=order.jobs or cpu_time.runs_at_once(specs),
            deadline_s=started_s + order.budget_s,
            listener=listener,
            interruption=interruption,
        )
        found = search(question, runs, listener, started_s=started_s)
        given = advice(question, found, runs)
        if all(_is_unknown(each) for each in given.links):
            raise InputError(
                file=COMMAND_LINE,
                field="--budget",
                expected="time for two runs of two settings over each link at least",
                found=f"{order.budget_s:g} s",
            )
        write(given, name=f"advice-{page}", folder=folder, ledger=ledger)
    return Given(advice=given, folder=folder)


def _is_unknown(found: LinkAdvice) -> bool:
    """Whether the time was up before any setting had its first runs."""
    return found.verdict is Verdict.BUDGET and set(found.counts) == {Standing.UNTRIED}


def _file_name(page: str) -> str:
    return re.sub(r"[^A-Za-z0-9._-]+", "-", page).strip(".-")[:80] or "page"
