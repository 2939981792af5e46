"""Measuring from Python: a scenario given by keywords, a published study, results that are there already."""

from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Unpack, get_args

from bentpipe.api.measuring import Measuring, results_of
from bentpipe.api.scenario import CONSTRUCTOR, METHOD, Scenario
from bentpipe.api.settings import EngineName, RigName, Settings
from bentpipe.errors import InputError
from bentpipe.scenario.written.command_line import COMMAND_LINE
from bentpipe.scenario.written.location import Location, quoted

if TYPE_CHECKING:
    from bentpipe.api.results import Results

RUN = "bentpipe.run(...)"
REPRODUCE = "bentpipe.reproduce(...)"


def run(
    *,
    quick: bool = False,
    engine: EngineName = "simulate",
    folder: str | PathLike[str] | None = None,
    jobs: int | None = None,
    cluster: str | PathLike[str] | None = None,
    progress: bool = True,
    **settings: Unpack[Settings],
) -> "Results":
    """Measure a scenario that is given by keywords, and return its results.

    Keywords are the keys of a scenario's file under their own names; a list varies (see `Scenario`). What the
    folder of results has already is not measured again: the same call is answered at once the second time
    (`Scenario.run` can be told otherwise; `resume` is Careful Resume here).

    Parameters
    ----------
    quick, engine, folder, jobs, cluster, progress
        As of `Scenario.run`.
    **settings
        Keys of the scenario.

    Raises
    ------
    InputError, AbilityError, ClusterError, StorageError, KeyboardInterrupt
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
    try:
        return Scenario(**settings).run(
            quick=quick,
            engine=engine,
            folder=folder,
            jobs=jobs,
            cluster=cluster,
            progress=progress,
        )
    except InputError as error:
        if error.file not in (CONSTRUCTOR, METHOD):
            raise
        raise error.at(file=RUN, field=error.field) from None


def reproduce(
    name: str,
    *,
    quick: bool = False,
    rig: RigName = "paper",
    clients: Sequence[str] = (),
    engine: EngineName = "simulate",
    folder: str | PathLike[str] | None = None,
    jobs: int | None = None,
    cluster: str | PathLike[str] | None = None,
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
        The software and hosts that the paper had, as far as the engine has them, or present ones.
    clients
        What loads its pages: `loader`, `chromium`, `firefox`; none for what the study says.
    quick, engine, jobs, cluster, resume, progress
        As of `Scenario.run`.
    folder
        Where the results are kept; without it the one that the command has.
    **settings
        Keys of the scenario with one value each, in place of the study's, as of `--set`.

    Raises
    ------
    InputError, AbilityError, ClusterError, StorageError, KeyboardInterrupt
        As `Scenario.run`.
    """
    from bentpipe.campaign.measure import Order
    from bentpipe.cli.builtin import find_study
    from bentpipe.report.rigs import TODAY
    from bentpipe.scenario.rig import Rig

    try:
        study = find_study(name)
    except InputError as error:
        raise error.at(file=REPRODUCE, field="name") from None
    if rig not in get_args(RigName):
        expected = f"one of {', '.join(get_args(RigName))}"
        raise Location(file=REPRODUCE, field="rig").error(expected=expected, found=quoted(rig))
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
        call=REPRODUCE,
        quick=quick,
        engine=engine,
        folder=folder,
        jobs=jobs,
        cluster=cluster,
        resume=resume,
        progress=progress,
    )
    try:
        return results_of(order, measuring, Rig() if is_today else study.rig)
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


def _as_options(settings: Mapping[str, object]) -> tuple[str, ...]:
    """Return settings as `--set` has them."""
    from bentpipe.api.composed import plain
    from bentpipe.scenario.written.dotted import flattened
    from bentpipe.scenario.written.toml_text import toml_value

    where = Location(file=REPRODUCE)
    table = {key: plain(value, where.at(key)) for key, value in settings.items()}
    return tuple(f"{key}={toml_value(value)}" for key, value in flattened(table).items())
