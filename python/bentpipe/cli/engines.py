"""Which engine measures."""

from collections.abc import Sequence
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
        When this machine cannot run it.
    """
    from bentpipe.engine import emulate, simulate

    if name == "auto":
        lacks = emulate.missing()
        why = f"this machine cannot emulate: {_listed(lacks)}" if lacks else "this machine has what it takes"
        name = simulate.NAME if lacks else emulate.NAME
        click.echo(f"engine: {name} ({why})", err=True)
    if name == simulate.NAME:
        return simulate.Simulator()
    require_emulate()
    return emulate.Emulator()


def require_emulate() -> None:
    """Raise an AbilityError that names everything that this machine lacks for emulating."""
    from bentpipe.engine import emulate

    missing = emulate.missing()
    if missing:
        what = _listed(missing)
        remedy = "; ".join(error.remedy for error in missing)
        raise AbilityError(f"this machine cannot emulate: {what}", remedy)


def _listed(lacks: Sequence[AbilityError]) -> str:
    return "; ".join(error.missing for error in lacks)
