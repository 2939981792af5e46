"""Any program of the user's behind the link."""

import json
import os
import signal
import ssl
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

from bentpipe import _core
from bentpipe.engine import hosts, names, netns, own, pep, scratch, server, web_ends, window
from bentpipe.engine.emulate import configuration_of, open_link, open_world
from bentpipe.engine.kernel_control import KernelControls
from bentpipe.engine.netns import CLIENT_ADDRESS, SERVER_ADDRESS
from bentpipe.engine.part import START_TIMEOUT_S

_CLEAR_TEXT = ("http10", "h1", "h2c")
_PROXIES = ("http_proxy", "https_proxy", "ftp_proxy", "all_proxy")
"""Variables, in either case, that send programs to hosts that are not behind the link."""
_ENDED_BY_SIGNAL = 128
"""And the signal's number, as shells count."""


def run(*, spec: Mapping[str, Any], command: Sequence[str]) -> int:
    """Run a command in the client's namespace of a fresh world and return its exit status.

    The origin serves the page of `spec` meanwhile, and the command finds the page's hosts by name. In its
    environment it finds the addresses and the names of both namespaces, so that it can start a server of its
    own at the other end with `ip netns exec $BENTPIPE_SERVER_NETNS ...`, the page, and the certificate of the
    authority by which the origin is trusted. Browsers that `window` knows get what they need.

    Raises
    ------
    AbilityError
        When it is a browser and there is no display, or nothing that makes the origin trusted.
    """
    http = spec["workload"]["http"]
    addresses = hosts.addresses(spec)
    url = f"{'http' if http in _CLEAR_TEXT else 'https'}://{next(iter(addresses))}/"
    # Browsers do not take Ed25519.
    identity = json.loads(_core.generate_identity(list(addresses), "p256"))
    configuration = {**configuration_of(spec, None), "identity": identity}
    # Worlds that killed processes left behind are removed with the making of one.
    scratch.clean()
    with ExitStack() as stack:
        folder = stack.enter_context(scratch.folder())
        authority = folder / "authority.pem"
        authority.write_text(ssl.DER_cert_to_PEM_cert(bytes(identity["authority_der"])))
        surroundings = window.Surroundings(
            home=_made(folder / "home"), authority=authority, http=http, hosts=tuple(addresses), url=url
        )
        environment = {key: value for key, value in os.environ.items() if key.lower() not in _PROXIES}
        ready = window.prepared(command, surroundings, environment=environment)
        ready = ready or window.Ready(command=tuple(command))
        view = names.View.of(addresses, folder=_made(folder / "etc"))

        controls = KernelControls()
        stack.callback(controls.close)
        stack.enter_context(controls.needed_by(spec))
        world = stack.enter_context(open_world(spec))
        link = stack.enter_context(open_link(world, configuration, {}))
        proxies = stack.enter_context(pep.opened(world, configuration))
        open_server: web_ends.ServerOpener = server.opened if "server" in spec else own.origin
        serving = stack.enter_context(open_server(world, configuration))
        link.answer(timeout_s=START_TIMEOUT_S)
        proxies.await_ready()
        serving.await_ready()
        environment |= {
            "BENTPIPE_CLIENT": CLIENT_ADDRESS,
            "BENTPIPE_SERVER": SERVER_ADDRESS,
            "BENTPIPE_CLIENT_NETNS": world.client,
            "BENTPIPE_SERVER_NETNS": world.server,
            "BENTPIPE_URL": url,
            "CURL_CA_BUNDLE": str(authority),
            "SSL_CERT_FILE": str(authority),
            **ready.environment,
        }
        with netns.inside(world.client):
            program = subprocess.Popen(view.command(ready.command), env=environment)
        return _wait(program)


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder


def _wait(program: subprocess.Popen[bytes]) -> int:
    """Wait for a program that receives Ctrl-C itself, from the terminal."""
    with _passing_on(program):
        while True:
            try:
                status = program.wait()
            except KeyboardInterrupt:
                continue
            return status if status >= 0 else _ENDED_BY_SIGNAL - status


@contextmanager
def _passing_on(program: subprocess.Popen[bytes]) -> Iterator[None]:
    """Have what asks this process to end ask the program, after which the world is removed as ever."""

    def pass_on(number: int, _frame: FrameType | None) -> None:
        program.send_signal(number)

    before = {number: signal.signal(number, pass_on) for number in (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
