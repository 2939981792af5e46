"""Measuring from Python: a scenario given by keywords, a published study, results that are there already."""

from collections.abc import Sequence
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Unpack, get_args

from bentpipe.api.scenario import Scenario
from bentpipe.api.settings import EngineName, Settings
from bentpipe.errors import InputError
from bentpipe.scenario.written.command_line import COMMAND_LINE
from bentpipe.scenario.written.location import Location, quoted

if TYPE_CHECKING:
    from bentpipe.api.results import Results
    from bentpipe.campaign import Measured, Order, Progress
    from bentpipe.scenario import WrittenScenario
    from bentpipe.scenario.rig import Rig

RUN = "bentpipe.run(...)"
REPRODUCE = "bentpipe.reproduce(...)"
OPTIONS = {"out": "folder", "--out": "folder", "--resume": "resume"}
"""Of the command line, with the keywords that stand for them."""


@dataclass(frozen=True, kw_only=True)
class Measuring:
    """How a scenario is measured; `Scenario.run` says what each field means."""

    quick: bool = False
    engine: EngineName = "simulate"
    folder: str | PathLike[str] | None = None
    jobs: int | None = None
    resume: bool = True
    progress: bool = True


def run(
    *,
    quick: bool = False,
    engine: EngineName = "simulate",
    folder: str | PathLike[str] | None = None,
    jobs: int | None = None,
    resume: bool = True,
    progress: bool = True,
    **settings: Unpack[Settings],
) -> "Results":
    """Measure a scenario that is given by keywords, and return its results.

    Keywords are the keys of a scenario's file under their own names; a list varies (see `Scenario`). What the folder
    of results has already is not measured again, so that the same call is answered at once the second time.

    Parameters
    ----------
    quick, engine, folder, jobs, resume, progress
        As of `Scenario.run`.
    **settings
        Keys of the scenario.

    Raises
    ------
    InputError, AbilityError, StorageError, KeyboardInterrupt
        As `Scenario.run`.

    Examples
    --------
    >>> import bentpipe
    >>> results = bentpipe.run(
    ...     link="geo-alshagri-flat", page="single-100k", http=["h1", "h3"], repetitions=2, progress=False
    ... )
    >>> results.runs.select("http", "repetition", "status", "plt_s").shape
    (4, 4)
    """
    scenario = Scenario.called(RUN, settings)
    return scenario.run(
        quick=quick, engine=engine, folder=folder, jobs=jobs, resume=resume, progress=progress
    )


def reproduce(
    name: str,
    *,
    quick: bool = False,
    rig: Literal["paper", "today"] = "paper",
    clients: Sequence[str] = (),
    engine: EngineName = "simulate",
    folder: str | PathLike[str] | None = None,
    jobs: int | None = None,
    resume: bool = True,
    progress: bool = True,
    **settings: object,
) -> "Results":
    """Repeat a published study as `bentpipe reproduce` does, and return its results.

    Parameters
    ----------
    name
        Of the study: one of `bentpipe studies`.
    rig
        The software and hosts that the paper had, or present ones.
    clients
        What loads its pages: `loader`, `chromium`, `firefox`; none for what the study says.
    quick, engine, jobs, resume, progress
        As of `Scenario.run`.
    folder
        Where the results are kept; without it the one that the command has.
    **settings
        Keys of the scenario with one value each, in place of the study's, as of `--set`.

    Raises
    ------
    InputError, AbilityError, StorageError, KeyboardInterrupt
        As `Scenario.run`.
    """
    from bentpipe.campaign import Order
    from bentpipe.cli.builtin import find_study
    from bentpipe.report.rigs import TODAY
    from bentpipe.scenario.rig import Rig

    try:
        study = find_study(name)
    except InputError as error:
        raise error.at(file=REPRODUCE, field="name") from None
    client = settings.get("client")
    named = tuple(clients) or ((client,) if isinstance(client, str) else ())
    is_today = rig == TODAY
    order = Order(
        scenario=study.scenario,
        settings=(*study.settings(named), *_as_options(settings)),
        clients=tuple(clients),
        tag=TODAY if is_today else "",
    )
    measuring = Measuring(
        quick=quick, engine=engine, folder=folder, jobs=jobs, resume=resume, progress=progress
    )
    try:
        return _measured(order, measuring, Rig() if is_today else study.rig)
    except InputError as error:
        if error.file != COMMAND_LINE:
            raise
        raise error.at(file=REPRODUCE, field=error.field.removeprefix("--set ").lstrip("-")) from None


def open_results(folder: str | PathLike[str]) -> "Results":
    """Return the results of a folder that a run or a command has written; nothing is measured.

    Raises
    ------
    InputError
        When it holds none of Bentpipe.
    StorageError
        When it cannot be read.
    """
    from bentpipe.api.results import Results

    return Results(Path(folder))


def measured(written: "WrittenScenario", measuring: Measuring) -> "Results":
    """Return the results of a scenario as written; raises as `Scenario.run`."""
    from bentpipe.campaign import Order
    from bentpipe.scenario.rig import Rig

    return _measured(Order(scenario=written), measuring, Rig())


def _measured(order: "Order", measuring: Measuring, rig: "Rig") -> "Results":
    from bentpipe.api.results import Results
    from bentpipe.campaign import Ending, measure
    from bentpipe.cli import engines

    if measuring.engine not in get_args(EngineName):
        expected = f"one of {', '.join(get_args(EngineName))}"
        raise Location(file=RUN, field="engine").error(expected=expected, found=quoted(measuring.engine))
    with closing(engines.choose(measuring.engine)) as machine:
        done = measure(
            replace(
                order,
                variations=rig.on(machine.name).variations,
                is_quick=measuring.quick,
                folder=None if measuring.folder is None else Path(measuring.folder),
                is_resumed=measuring.resume,
                jobs=measuring.jobs,
            ),
            engine=machine,
            progress=_progress(measuring),
        )
    if done.outcome.ending is Ending.INTERRUPTED:
        raise KeyboardInterrupt(_kept(done))
    return Results(done.folder)


def _progress(measuring: Measuring) -> "AbstractContextManager[Progress]":
    from bentpipe.api import progress

    return progress.shown() if measuring.progress else progress.untold()


def _kept(done: "Measured") -> str:
    return f"{done.outcome}; what is done is kept in {done.folder}, and the same call goes on from here"


def _as_options(settings: dict[str, object]) -> tuple[str, ...]:
    """Return settings as `--set` has them."""
    from bentpipe.api.composed import plain
    from bentpipe.scenario.written.dotted import flattened
    from bentpipe.scenario.written.toml_text import toml_value

    where = Location(file=REPRODUCE)
    table = {key: plain(value, where.at(key)) for key, value in settings.items()}
    return tuple(f"{key}={toml_value(value)}" for key, value in flattened(table).items())
