"""Which engine measures."""

import sys
from typing import TYPE_CHECKING

import click

from bentpipe.cli.group import WholeProcess
from bentpipe.cli.output import echo

if TYPE_CHECKING:
    from bentpipe.campaign.engine import Engine


def enter(name: str) -> None:
    """Have an ordinary user's command go on in namespaces of its own, by which it can emulate.

    To be called before a command has done anything: it starts anew. Nothing happens for root, for another
    engine, in a program that calls the command line as a library, and where namespaces are refused, which
    `choose` explains.
    """
    from bentpipe.engine import emulate
    from bentpipe.engine.process import user_namespace
    from bentpipe.engine.testbed import netns_pids

    if name != emulate.NAME or click.get_current_context().find_object(WholeProcess) is None:
        return
    if user_namespace.may_enter():
        # What a shell that was killed has left: out of reach from in there.
        netns_pids.kill_strays()
        user_namespace.enter([sys.executable, *sys.orig_argv[1:]])


def require_emulate() -> None:
    """Raise an AbilityError where this machine cannot emulate; may start the command anew first."""
    from bentpipe.campaign import requirements
    from bentpipe.engine import emulate

    enter(emulate.NAME)
    requirements.require_emulate()


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
