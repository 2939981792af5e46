"""Any program of the user's behind the link."""

import os
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from typing import Any

from bentpipe.engine import netns, pep
from bentpipe.engine.emulate import configuration_of, open_link, open_world
from bentpipe.engine.netns import CLIENT_ADDRESS, SERVER_ADDRESS
from bentpipe.engine.part import START_TIMEOUT_S, Part
from bentpipe.errors import BentpipeError


class CommandError(BentpipeError):
    """The user's command cannot be started; the exit status is the one that shells give (POSIX 2.8.2)."""

    def __init__(self, command: str, error: OSError) -> None:
        self.exit_status = 127 if isinstance(error, FileNotFoundError) else 126
        super().__init__(f"{command}: {error.strerror}")


def run(*, spec: Mapping[str, Any], command: Sequence[str]) -> int:
    """Run a command in the client's namespace of a fresh world and return its exit status.

    The origin serves the page of `spec` at the server's address meanwhile. The command finds the addresses
    and the names of both namespaces in its environment, so that it can start a server of its own at the other
    end with `ip netns exec $BENTPIPE_SERVER_NETNS ...`.

    Raises
    ------
    CommandError
        When the command does not exist or may not be executed.
    """
    configuration = configuration_of(spec, None)
    with ExitStack() as stack:
        world = stack.enter_context(open_world(spec))
        link = stack.enter_context(open_link(world, configuration, {}))
        proxies = stack.enter_context(pep.opened(world, configuration))
        with netns.inside(world.server):
            origin = stack.enter_context(Part("origin", configuration))
        for part in (link, origin):
            part.answer(timeout_s=START_TIMEOUT_S)
        proxies.await_ready()
        environment = {
            **os.environ,
            "BENTPIPE_CLIENT": CLIENT_ADDRESS,
            "BENTPIPE_SERVER": SERVER_ADDRESS,
            "BENTPIPE_CLIENT_NETNS": world.client,
            "BENTPIPE_SERVER_NETNS": world.server,
        }
        with netns.inside(world.client):
            try:
                program = subprocess.Popen(list(command), env=environment)
            except OSError as error:
                raise CommandError(command[0], error) from None
        return _wait(program)


def _wait(program: subprocess.Popen[bytes]) -> int:
    """Wait for a program that receives Ctrl-C itself, from the terminal."""
    while True:
        try:
            return program.wait()
        except KeyboardInterrupt:
            continue
