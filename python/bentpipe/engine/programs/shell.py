"""Any program of the user's behind the link."""

import os
import signal
import ssl
import stat
import subprocess
import termios
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from types import FrameType

from bentpipe import _core, invoking_user
from bentpipe.engine.emulate import configuration_of, open_link, open_world
from bentpipe.engine.process import orphans, privilege, scratch, vigil
from bentpipe.engine.process.configuration import Identity
from bentpipe.engine.process.part import START_TIMEOUT_S
from bentpipe.engine.programs import builtin, display, server, web_endpoints, window
from bentpipe.engine.testbed import hosts, names, netns, pep, unix_sockets
from bentpipe.engine.testbed.etc_overlay import EtcOverlay
from bentpipe.engine.testbed.kernel_control import KernelControls
from bentpipe.engine.testbed.netns import CLIENT_ADDRESS, SERVER_ADDRESS
from bentpipe.invoking_user import User
from bentpipe.model.spec import RunSpec
from bentpipe.model.workload import page_load

_CLEAR_TEXT = ("http10", "h1", "h2c")
_PROXIES = ("http_proxy", "https_proxy", "ftp_proxy", "all_proxy")
"""Variables, in either case, that send programs to hosts that are not behind the link."""
_AGENTS = ("ssh_auth_sock", "dbus_session_bus_address", "dbus_system_bus_address")
"""Variables that name sockets of services which have the machine's network."""
_STANDARD_INPUT = 0
_ENDED_BY_SIGNAL = 128
"""And the signal's number, as shells count."""


def run(*, spec: RunSpec, command: Sequence[str], as_root: bool = False) -> int:
    """Run a command in the client's namespace of a fresh world and return its exit status.

    The origin serves the page of `spec` meanwhile, and the command finds the page's hosts by name. In its
    environment it finds the addresses and the names of both namespaces, the page, and the certificate of the
    authority by which the origin is trusted. Browsers that `window` knows get what they need. What the
    command has started in the background ends with the world.

    Parameters
    ----------
    spec
        The specification of a run.
    command
        The program and its arguments.
    as_root
        Whether it keeps root's rights, by which it can start a server of its own at the other end with `ip
        netns exec $BENTPIPE_SERVER_NETNS ...`. Else it runs as the invoking user, under root alone as nobody.

    Raises
    ------
    AbilityError
        When it is a browser and there is no display, or nothing that makes the origin trusted.
    PartError
        When a part of the world ends meanwhile.
    """
    http = page_load(spec).http
    addresses = hosts.addresses(spec)
    url = f"{'http' if http in _CLEAR_TEXT else 'https'}://{next(iter(addresses))}/"
    # Browsers do not take Ed25519.
    identity = Identity.model_validate_json(_core.generate_identity(list(addresses), "p256"))
    configuration = configuration_of(spec, None).model_copy(update={"identity": identity})
    user = None if as_root else invoking_user.unprivileged()
    is_for_others = user is not None and user.uid != os.geteuid()
    # Worlds that killed processes left behind are removed with the making of one.
    scratch.clean()
    with ExitStack() as stack:
        folder = stack.enter_context(scratch.folder(is_for_others=is_for_others))
        stack.enter_context(orphans.killed())
        authority = folder / "authority.pem"
        authority.write_text(ssl.DER_cert_to_PEM_cert(bytes(identity.authority_der)))
        home = _made(folder / "home")
        surroundings = window.Surroundings(
            home=home, authority=authority, http=http, hosts=tuple(addresses), url=url, user=user
        )
        environment = _environment(user, home=home)
        ready = window.prepared(command, surroundings, environment=environment)
        ready = ready or window.Ready(command=tuple(command))
        etc = names.write_files(addresses, folder=_made(folder / "etc"))
        if user is not None:
            invoking_user.hand_over(folder, user)

        controls = KernelControls()
        stack.callback(controls.close)
        stack.enter_context(controls.needed_by(spec))
        world = stack.enter_context(open_world(spec))
        link = stack.enter_context(open_link(world, configuration)).part
        proxies = stack.enter_context(pep.opened(world, configuration))
        open_server: web_endpoints.ServerOpener = server.opened if spec.server is not None else builtin.origin
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
        view = _view(ready.command, user, etc=etc, environment=environment)
        with netns.inside(world.client):
            program = subprocess.Popen(view.arguments(), env=environment)
        with (
            _terminal_as_it_was(),
            vigil.over([link, *proxies.parts, serving.process], abandon=program.kill),
        ):
            return _wait(program)


def _environment(user: User | None, *, home: Path) -> dict[str, str]:
    """Return what the command is told: what this process was, less what leads out of the world."""
    left_out = (*_PROXIES, *_AGENTS)
    environment = {key: value for key, value in os.environ.items() if key.lower() not in left_out}
    if user is None or user.uid == os.geteuid():
        return environment
    is_invoking = user == invoking_user.invoking()
    # Folders of root's are of no use to others; of whose display it is sudo has been asked to tell.
    closed = ("SUDO_", "TMP", "TEMP") if is_invoking else ("SUDO_", "TMP", "TEMP", "XDG_")
    own = {key: value for key, value in environment.items() if not key.startswith(closed)}
    place = user.home if is_invoking and _is_home_of(user) else home
    return {**own, "HOME": str(place), "USER": user.name, "LOGNAME": user.name}


def _is_home_of(user: User) -> bool:
    """Whether a user has a home: accounts of services have none, or name a folder of root's."""
    try:
        status = user.home.stat()
    except OSError:
        return False
    return stat.S_ISDIR(status.st_mode) and status.st_uid == user.uid


def _view(
    command: Sequence[str], user: User | None, *, etc: Mapping[str, str], environment: Mapping[str, str]
) -> EtcOverlay:
    # It ends with whoever started it as with its terminal; behind nohup that signal would be ignored.
    is_ignored = signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    death_signal = "KILL" if is_ignored else "HUP"
    return EtcOverlay(
        command=command if user is None else privilege.dropped(command, user, death_signal=death_signal),
        parent=os.getpid(),
        death_signal=death_signal,
        shown=etc,
        covered=unix_sockets.listening(but=display.sockets(environment)),
    )


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
def _terminal_as_it_was() -> Iterator[None]:
    """Restore the modes of the terminal, which a program that is killed leaves as it needed them."""
    try:
        modes = termios.tcgetattr(_STANDARD_INPUT)
    except termios.error:
        yield
        return
    try:
        yield
    finally:
        # In the background one is stopped otherwise (termios(3)).
        before = signal.signal(signal.SIGTTOU, signal.SIG_IGN)
        with suppress(termios.error):
            termios.tcsetattr(_STANDARD_INPUT, termios.TCSADRAIN, modes)
        signal.signal(signal.SIGTTOU, before)


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
