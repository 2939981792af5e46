"""Which engine measures."""

from typing import TYPE_CHECKING

import click

from bentpipe.errors import AbilityError

if TYPE_CHECKING:
    from bentpipe.campaign import Engine


def choose(name: str) -> "Engine":
    """Return the engine of that name; `auto` says on stderr which one it took.

    Raises
    ------
    AbilityError
        When this machine or this version cannot run it.
    """
    if name == "simulate":
        raise AbilityError("the engine simulate is not available yet", "use --engine emulate")
    require_emulate()
    from bentpipe.engine import emulate

    if name == "auto":
        click.echo("engine: emulate (simulate is not available yet)", err=True)
    engine: Engine = emulate.Emulator()
    return engine


def require_emulate() -> None:
    """Raise an AbilityError that names everything that this machine lacks for emulating."""
    from bentpipe.engine import emulate

    missing = emulate.missing()
    if missing:
        what = "; ".join(error.missing for error in missing)
        remedy = "; ".join(error.remedy for error in missing)
        raise AbilityError(f"this machine cannot emulate: {what}", remedy)
