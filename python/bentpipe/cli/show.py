"""show: the resolved form of a scenario, a link or a page, or the record of a run."""

import errno
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bentpipe.cli.options import example, json_option, set_option
from bentpipe.cli.output import echo, print_json
from bentpipe.errors import InputError

if TYPE_CHECKING:
    from bentpipe.model.scenario import JsonObject
    from bentpipe.scenario.written.location import Location


@click.command(epilog=example("bentpipe show scenarios/first-page.toml --quick --set cc=bbr"))
@click.argument("thing")
@set_option
@click.option("--quick", is_flag=True, help="The short version of a scenario.")
@json_option
def show(thing: str, settings: tuple[str, ...], quick: bool, as_json: bool) -> None:
    """Show something in its resolved form.

    THING is a scenario file, a link, a page, or a run as DIR/RUN_ID.
    """
    del as_json  # It is JSON in any case: what is shown is the form in which the engines get it.
    from bentpipe.scenario.page.pages import FOLDER, HAR, PAGES, page
    from bentpipe.scenario.written.location import Location

    path = Path(thing)
    where = Location(file="command line", field="THING")
    if path.suffix == ".toml" and not thing.startswith((HAR, FOLDER)) and _is_scenario(path):
        _show_scenario(path, settings, quick=quick)
        return
    _refuse_changes(thing, settings, quick=quick)
    if thing in PAGES or thing.startswith((HAR, FOLDER)):
        print_json(page(thing, where, folder=Path()))
    elif _is_run(path, where):
        print_json(_record(path.parent, path.name))
    else:
        _refuse_all_runs(path, where)
        from bentpipe.scenario.links import link

        print_json(link(thing, where=where))


def _refuse_changes(thing: str, settings: tuple[str, ...], *, quick: bool) -> None:
    """Raise an InputError for options of scenarios that are given with something else."""
    given = [*(f"--set {text}" for text in settings), *(["--quick"] if quick else [])]
    if given:
        expected = f"the scenario that {given[0]} changes (`bentpipe links` changes a link)"
        raise InputError(file="command line", field="THING", expected=expected, found=thing)


def _is_run(path: Path, where: "Location") -> bool:
    """Whether a path is DIR/RUN_ID of a folder of results."""
    return _has_results(path.parent, where) and not _exists(path, where)


def _refuse_all_runs(path: Path, where: "Location") -> None:
    """Raise an InputError for a whole folder of results."""
    if _has_results(path, where):
        one = f"one of its runs, as {path}/RUN_ID with an id from runs.csv"
        expected = f"{one} (`bentpipe report {path}` shows all of them)"
        raise where.error(expected=expected, found=f"{path}, a folder of results")


def _has_results(folder: Path, where: "Location") -> bool:
    from bentpipe.ledger.folder import INDEX

    return _exists(folder / INDEX, where)


def _exists(path: Path, where: "Location") -> bool:
    try:
        return path.exists()
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            return False
        found = f"{path}: {error.strerror}"
        raise where.error(expected="something that may be read", found=found) from None


def _show_scenario(path: Path, settings: tuple[str, ...], *, quick: bool) -> None:
    from bentpipe.scenario import Extent, load

    scenario = load(path, overrides=settings, extent=Extent.QUICK if quick else Extent.FULL)
    runs = len(scenario.cells) * scenario.repetitions
    echo(f"{len(scenario.cells)} cells x {scenario.repetitions} repetitions = {runs} runs", err=True)
    print_json(scenario.document())


def _is_scenario(path: Path) -> bool:
    """Whether a TOML file is a scenario rather than a link: a link has none of a scenario's tables."""
    from bentpipe.scenario.written.toml import read_toml

    return not {"forward", "return", "rtt", "base"} & read_toml(path).keys()


def _record(folder: Path, run_id: str) -> "JsonObject":
    from bentpipe.ledger import Ledger

    with Ledger(folder) as ledger:
        found = [entry for entry in ledger.best() if entry.run_id.startswith(run_id)]
        if len(found) != 1:
            count = f"{len(found)} runs" if found else "no run"
            raise InputError(
                file=str(folder),
                field="THING",
                expected="the id of one run",
                found=f"{count} with {run_id!r}",
            )
        entry = found[0]
        return {
            "run_id": entry.run_id,
            "attempt": entry.attempt,
            "repetition": entry.repetition,
            "factors": dict(entry.factors),
            **entry.record.model_dump(mode="json", exclude_unset=True, exclude={"series"}),
        }
