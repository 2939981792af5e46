"""The one run of a command, as its options say it; what is wrong with it is told by the option it came by."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bentpipe.errors import InputError

if TYPE_CHECKING:
    from bentpipe.campaign.engine import Engine
    from bentpipe.model.spec import RunSpec
    from bentpipe.scenario import Override, Scenario

COMMAND_LINE = "command line"


def given(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that are there."""
    return {key: value for key, value in options.items() if value is not None}


def resolved(
    run: Mapping[str, Any], *, default_name: str, overrides: "Sequence[Override]", seed: int | None = None
) -> "Scenario":
    """Return the scenario that has this run, once.

    Raises
    ------
    InputError
        For values that it cannot have.
    """
    from bentpipe.scenario import resolve_document

    try:
        return resolve_document(
            given({"seed": seed, "repetitions": 1, "run": run}),
            file=COMMAND_LINE,
            folder=Path(),
            default_name=default_name,
            overrides=overrides,
        )
    except InputError as error:
        raise _by_option(error) from None


def require(engine: "Engine", spec: "RunSpec", *, overrides: "Iterable[Override]") -> None:
    """Refuse a run that the engine cannot measure."""
    from bentpipe.campaign import requirements
    from bentpipe.scenario.written.command_line import CommandLine
    from bentpipe.scenario.written.location import Location

    command_line = CommandLine(overridden=[override.key for override in overrides])
    table = Location(file=COMMAND_LINE, field="run")
    try:
        requirements.require(engine, [spec], written=lambda key: command_line.place_within(key, table))
    except InputError as error:
        raise _by_option(error) from None


def _by_option(error: InputError) -> InputError:
    """Return the error of a key under the option by which it came: run.bulk.size is --size."""
    if error.file != COMMAND_LINE or error.field.startswith("--"):
        return error
    key = error.field.removeprefix("run.").removeprefix("bulk.").removeprefix("ping.")
    options = {"bulk": "--size", "flows": "--flow", "pep": "--pep"}
    option = options.get(key.partition(".")[0], f"--{key}")
    return error.at(file=error.file, field=option)
