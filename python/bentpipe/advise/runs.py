"""The runs of a search: made in small lots until all are done, the time is up or Ctrl-C comes, and kept."""

import itertools
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from bentpipe.advise.contenders import Contender
from bentpipe.advise.progress import Listener
from bentpipe.advise.question import Question
from bentpipe.campaign.engine import Engine
from bentpipe.campaign.executor import execute
from bentpipe.campaign.interruption import Interruption
from bentpipe.campaign.outcome import Ending, Outcome
from bentpipe.campaign.time_limit import Hopeless
from bentpipe.ledger import Ledger
from bentpipe.model.record import RunRecord, Status
from bentpipe.model.spec import RunSpec
from bentpipe.scenario import Cell
from bentpipe.stats import representative

LOT_S = 1.0
"""How long a lot of runs takes: the time that a search may exceed its budget by."""
FIRST_LOT_RUNS = 8
"""For each that runs at once, before it is known how long they take."""


class Stop(Enum):
    """Why runs that were wanted were not made."""

    BUDGET = "budget"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """The first so many repetitions of a setting over a link."""

    link: str
    contender: Contender
    repetitions: int


class Runs:
    """Makes the runs of a question that there are not yet, and knows the load times of all.

    Parameters
    ----------
    question : Question
        Whose page and links.
    engine : Engine
        What measures; in virtual time, so that runs side by side do not disturb each other.
    ledger : Ledger
        Open for writing; what it has is not measured again.
    jobs : int
        Runs at once.
    deadline_s : float
        Of `time.monotonic`, after which no lot is started; infinite where nobody waits.
    listener : Listener
        Is told of each run.
    interruption : Interruption
        Notes a Ctrl-C that comes between two lots; within one the campaign does.
    """

    def __init__(
        self,
        question: Question,
        *,
        engine: Engine,
        ledger: Ledger,
        jobs: int,
        deadline_s: float,
        listener: Listener,
        interruption: Interruption,
    ) -> None:
        self._question = question
        self._engine = _Noting(engine)
        self._ledger = ledger
        self._jobs = jobs
        self._listener = listener
        self._interruption = interruption
        self._run_s: float | None = None
        self._ids: dict[tuple[str, Contender], list[str]] = {}
        self.deadline_s = deadline_s
        for entry in ledger.best():
            self._engine.note(entry.run_id, entry.record)

    def measure(self, wanted: Sequence[Wanted], *, deadline_s: float | None = None) -> Stop | None:
        """Make those that there are not; return why not all could be made.

        The first repetitions of all come first, so that each setting has some when the time is up.
        """
        until_s = self.deadline_s if deadline_s is None else min(deadline_s, self.deadline_s)
        missing = list(self._missing(wanted))
        if missing:
            self._listener.runs(runs=len(missing))
        while missing:
            if self._interruption.is_requested:
                return Stop.INTERRUPTED
            if time.monotonic() >= until_s:
                return Stop.BUDGET
            size = self._lot()
            lot = [self._question.run(cell, repetition) for cell, repetition in missing[:size]]
            missing = missing[size:]
            started_s = time.monotonic()
            outcome = execute(
                lot, engine=self._engine, ledger=self._ledger, jobs=self._jobs, progress=_Told(self._listener)
            )
            self._run_s = (time.monotonic() - started_s) / len(lot)
            if outcome.ending is Ending.INTERRUPTED:
                return Stop.INTERRUPTED
        return None

    def times_s(self, link: str, contender: Contender) -> list[float]:
        """Return the load times of the runs that succeeded."""
        found = (self._engine.times_s.get(run) for run in self._ids.get((link, contender), ()))
        return [time_s for time_s in found if time_s is not None]

    def failures(self, link: str, contender: Contender) -> int:
        """Return the number of runs that were made and have no load time."""
        times_s = self._engine.times_s
        ids = self._ids.get((link, contender), ())
        return sum(run in times_s and times_s[run] is None for run in ids)

    def median_run(self, link: str, contender: Contender) -> str:
        """Return the name of the run with the median load time of those that succeeded, one at least."""
        times_s = self._engine.times_s
        ids = [run for run in self._ids[link, contender] if times_s.get(run) is not None]
        return ids[representative(self.times_s(link, contender))]

    @property
    def run_s(self) -> float | None:
        """Return how long a run took lately, others beside it; None before any."""
        return self._run_s

    def _lot(self) -> int:
        if self._run_s is None:
            return self._jobs * FIRST_LOT_RUNS
        return max(self._jobs, round(LOT_S / max(self._run_s, 1e-4)))

    def _missing(self, wanted: Iterable[Wanted]) -> Iterator[tuple[Cell, int]]:
        """Yield what is to be run; a specification has the whole page, so those of all are not kept."""
        by_repetition = itertools.zip_longest(*(self._named(each) for each in wanted))
        seen = set(self._engine.times_s)
        for named in itertools.chain.from_iterable(by_repetition):
            if named is not None and named[0] not in seen:
                seen.add(named[0])
                yield named[1:]

    def _named(self, wanted: Wanted) -> Iterator[tuple[str, Cell, int]]:
        """Yield the names of the runs that are wanted, each with its cell and its repetition."""
        cell = wanted.contender.cells[wanted.link]
        ids = self._ids.setdefault((wanted.link, wanted.contender), [])
        for repetition in range(wanted.repetitions):
            if repetition == len(ids):
                ids.append(self._question.run(cell, repetition).run_id)
            yield ids[repetition], cell, repetition


class _Noting:
    """An engine that notes the load time of each run, so that nobody reads the ledger after each lot."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.times_s: dict[str, float | None] = {}

    @property
    def name(self) -> str:
        return self._engine.name

    def run(self, *, run_id: str, spec: RunSpec, artifacts: Path | None) -> RunRecord:
        record = self._engine.run(run_id=run_id, spec=spec, artifacts=artifacts)
        self.note(run_id, record)
        return record

    def note(self, run_id: str, record: RunRecord) -> None:
        succeeded = record.status is Status.SUCCEEDED
        self.times_s[run_id] = record.metrics.plt_s if succeeded else None

    def close(self) -> None:
        self._engine.close()


class _Told:
    """A campaign's progress, of which a search tells the runs alone."""

    def __init__(self, listener: Listener) -> None:
        self._listener = listener

    def set_aside(self, *, attempts: int, folder: Path) -> None:
        """See Progress."""

    def hopeless(self, cells: Sequence[Hopeless]) -> None:
        """See Progress."""

    def remark(self, text: str) -> None:
        """See Progress."""

    def start(self, *, planned: int, already_succeeded: int) -> None:
        """See Progress."""

    def judged(self, *, status: str) -> None:
        """See Progress."""
        del status
        self._listener.ran()

    def repeating(self, *, runs: int, at_once: int) -> None:
        """See Progress."""

    def interrupted(self, *, in_flight: int) -> None:
        """See Progress."""

    def end(self, outcome: Outcome) -> None:
        """See Progress."""
