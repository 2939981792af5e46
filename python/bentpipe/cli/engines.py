"""Which engine measures."""

from typing import TYPE_CHECKING

from bentpipe.cli.output import echo

if TYPE_CHECKING:
    from bentpipe.campaign import Engine


def choose(name: str) -> "Engine":
    """Return the engine of that name; `auto` says on stderr which one it took.

    Raises
    ------
    AbilityError
        When this machine cannot run it.
    """
    from bentpipe.campaign import requirements
    from bentpipe.engine import emulate, simulate

    if name == "auto":
        lacks = emulate.missing()
        why = (
            f"this machine cannot emulate: {requirements.listed(lacks)}"
            if lacks
            else "this machine has what it takes"
        )
        name = simulate.NAME if lacks else emulate.NAME
        echo(f"engine: {name} ({why})", err=True)
    if name == simulate.NAME:
        return simulate.Simulator()
    requirements.require_emulate()
    return emulate.Emulator()


def choose_elsewhere(name: str) -> "Engine":
    """Return the engine that the workers of a cluster measure by; `auto` simulates, for few can emulate.

    Whether they can is asked of them.
    """
    from bentpipe.engine import emulate, simulate

    if name == emulate.NAME:
        return emulate.Emulator()
    if name == "auto":
        echo(f"engine: {simulate.NAME} (a cluster emulates only with --engine {emulate.NAME})", err=True)
    return simulate.Simulator()
