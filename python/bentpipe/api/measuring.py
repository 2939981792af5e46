"""How Python has an order measured: progress where it is seen, errors by keyword, interrupts as errors."""

import multiprocessing
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass, replace
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from bentpipe.api.settings import EngineName
from bentpipe.engine.limits import MOST_AT_ONCE
from bentpipe.errors import InputError
from bentpipe.scenario.written.command_line import COMMAND_LINE
from bentpipe.scenario.written.location import Location, quoted

if TYPE_CHECKING:
    from bentpipe.api.results import Results
    from bentpipe.campaign.cluster.choice import Cluster
    from bentpipe.campaign.measure import Measured, Order
    from bentpipe.campaign.progress import Progress
    from bentpipe.scenario.rig import Rig


KEYWORDS = {"--cluster": "cluster", "--jobs": "jobs", "--out": "folder", "--no-resume": "resume"}
"""Of options of the command line: what stands for them here."""


@dataclass(frozen=True, kw_only=True)
class Measuring:
    """How a scenario is measured: `call` is what errors name; `Scenario.run` says what all others mean."""

    call: str
    quick: bool = False
    engine: EngineName = "simulate"
    folder: str | PathLike[str] | None = None
    jobs: int | None = None
    cluster: str | PathLike[str] | None = None
    resume: bool = True
    progress: bool = True


def results_of(order: "Order", measuring: Measuring, rig: "Rig") -> "Results":
    """Measure what the folder of an order does not have yet, on a rig; raises as `Scenario.run`."""
    from bentpipe.api.results import Results
    from bentpipe.campaign.measure import measure
    from bentpipe.campaign.outcome import Ending
    from bentpipe.cli import engines

    _require_known(measuring)
    cluster = _cluster(measuring)
    choose = engines.choose if cluster is None else engines.choose_elsewhere
    with closing(choose(measuring.engine)) as machine:
        order = replace(
            order,
            variations=rig.on(machine.name).variations,
            is_quick=measuring.quick,
            folder=None if measuring.folder is None else Path(measuring.folder),
            is_resumed=measuring.resume,
            jobs=measuring.jobs,
            cluster=cluster,
        )
        try:
            done = measure(order, engine=machine, progress=_progress(measuring))
        except InputError as error:
            raise _by_keyword(error, measuring.call) from None
    if done.outcome.ending is Ending.INTERRUPTED:
        raise KeyboardInterrupt(_kept(done))
    return Results(done.folder)


def _require_known(measuring: Measuring) -> None:
    """Refuse what no type checker has kept from here."""
    where = Location(file=measuring.call)
    if measuring.engine not in get_args(EngineName):
        expected = f"one of {', '.join(get_args(EngineName))}"
        raise where.at("engine").error(expected=expected, found=quoted(measuring.engine))
    if measuring.jobs is not None and measuring.jobs not in range(1, MOST_AT_ONCE + 1):
        expected = f"a whole number from 1 to {MOST_AT_ONCE}"
        raise where.at("jobs").error(expected=expected, found=quoted(measuring.jobs))


def _cluster(measuring: Measuring) -> "Cluster | None":
    from bentpipe.campaign.cluster.choice import EXPECTED, parse

    match measuring.cluster:
        case None:
            return None
        case str() | PathLike() as written:
            _require_no_worker(measuring)
            try:
                return parse(fspath(written), jobs=measuring.jobs)
            except InputError as error:
                raise _by_keyword(error, measuring.call) from None
        case other:
            where = Location(file=measuring.call, field="cluster")
            raise where.error(expected=EXPECTED, found=quoted(other))


def _require_no_worker(measuring: Measuring) -> None:
    """Refuse to start workers of a worker that is about to read the script which asks for it."""
    # What `multiprocessing` itself looks at before it starts a process.
    if getattr(multiprocessing.current_process(), "_inheriting", False):
        raise Location(file=measuring.call, field="cluster").error(
            expected='a call below `if __name__ == "__main__":`, for each worker reads the script again',
            found="one without it",
        )


def _progress(measuring: Measuring) -> "AbstractContextManager[Progress]":
    from bentpipe.api import progress

    return progress.shown() if measuring.progress else progress.untold()


def _by_keyword(error: InputError, call: str) -> InputError:
    """Return the error of an option of the command line under the keyword that stands for it."""
    keyword = KEYWORDS.get(error.field)
    if keyword is None:
        return error
    return error.at(file=call if error.file == COMMAND_LINE else error.file, field=keyword)


def _kept(done: "Measured") -> str:
    return f"{done.outcome}; what is done is kept in {done.folder}, and the same call goes on from here"
