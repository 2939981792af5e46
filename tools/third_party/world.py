"""Programs of others at one end of an emulated link, and ours at the other: real sockets of the real kernel.

They run in the namespaces of a world, from which nothing but the other end can be reached, with the rights of
who runs the checks: what is built or installed here may lie in a folder that is closed to others.
"""

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from bentpipe import _core
from bentpipe.engine.emulate import configuration_of, open_link, open_world
from bentpipe.engine.process.configuration import Configuration, Identity
from bentpipe.engine.process.part import START_TIMEOUT_S, PartError
from bentpipe.engine.programs import builtin
from bentpipe.engine.programs.server.process import Process
from bentpipe.engine.programs.server.site import CONTENT, KEY, Site
from bentpipe.engine.testbed import hosts, netns
from bentpipe.engine.testbed.hosts import HTTPS_PORT
from bentpipe.engine.testbed.netns import World
from bentpipe.model.report import ClientReport
from bentpipe.model.workload import page_load
from tools.specs import spec_of

LINK = "flat:down=50Mbit/s,up=10Mbit/s,rtt=20ms"
PAGE = "uniform-500k"
OBJECTS = tuple(f"/object-{number}.jpg" for number in range(1, 9))
OBJECT_BYTES = 62_500
"""Of each object of the page (`bentpipe pages uniform-500k`)."""
HOST = hosts.HOST
ADDRESS = "198.18.0.2"

_TIMEOUT_S = 120
_LOOK_S = 0.02


def ask_origin(*command: str | Path, settings: Sequence[str] = ()) -> subprocess.CompletedProcess[str]:
    """Run a client of others against our origin, which serves `PAGE`, and return what it said.

    `$CURL_CA_BUNDLE` and `$SSL_CERT_FILE` name the authority of the origin's certificate. A client that takes
    longer than two minutes is ended with status 124.
    """
    words = [word for setting in settings for word in ("--set", setting)]
    shell = [sys.executable, "-m", "bentpipe.cli", "shell", "--link", LINK, "--page", PAGE, "--root", *words]
    return subprocess.run(
        [*shell, "--", "timeout", str(_TIMEOUT_S), *map(str, command)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


class Place:
    """What a server of others finds on the disk: the page, a certificate and its key.

    Attributes
    ----------
    certificate, key : Path
        PEM.
    document : Path
        JSON: of each resource its host, target, type and file.
    root : Path
        The same as a folder for servers that take paths for files; the page itself is index.html.
    """

    def __init__(self, folder: Path, site: Site) -> None:
        site.write(folder)
        (certificate,) = site.certificates().values()
        self.certificate, self.key = folder / certificate, folder / KEY
        self.document, self.root = folder / "site.json", folder / "root"
        self.root.mkdir()
        rows = []
        for file in site.files:
            body = folder / CONTENT / file.name
            rows.append(
                {"Host": file.host, "Target": file.target, "Type": file.content_type, "Path": str(body)}
            )
            (self.root / (file.target.removeprefix("/") or "index.html")).symlink_to(body)
        self.document.write_text(json.dumps(rows))


def load_page(http: str, serve: Callable[[Place], Sequence[str | Path]]) -> ClientReport:
    """Load `PAGE` by our loader from a server of others, started by the command that `serve` returns.

    Raises
    ------
    PartError
        When the server or the loader breaks.
    """
    spec = spec_of({"link": LINK, "http": http, "page": PAGE, "validity": {"timeout": "30 s"}})
    # Ed25519 is not for all of them.
    names = list(hosts.addresses(spec))
    identity = Identity.model_validate_json(_core.generate_identity(names, "p256"))
    configuration = configuration_of(spec, None).model_copy(update={"identity": identity})
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        place = Place(folder, Site.of(page_load(spec).page, identity))
        world = stack.enter_context(open_world(spec))
        link = stack.enter_context(open_link(world, configuration)).part
        stack.enter_context(_serving(world, serve(place), transport="udp" if http == "h3" else "tcp"))
        link.answer(timeout_s=START_TIMEOUT_S)
        return _loaded(stack, world, configuration)


def _loaded(stack: ExitStack, world: World, configuration: Configuration) -> ClientReport:
    client = stack.enter_context(builtin.client(world, configuration))
    client.await_ready()
    client.load(begin_ns=time.monotonic_ns())
    return client.report()


@contextmanager
def _serving(world: World, command: Sequence[str | Path], *, transport: str) -> Iterator[None]:
    name = Path(command[0]).name
    with tempfile.TemporaryFile() as errors:
        with netns.inside(world.server):
            popen = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=errors, stderr=errors, start_new_session=True
            )
        process = Process(name, popen, errors)
        try:
            until_s = time.monotonic() + START_TIMEOUT_S
            while not process.listens(port=HTTPS_PORT, transport=transport):
                fault = process.fault()
                if fault is not None or time.monotonic() > until_s:
                    raise PartError(fault or f"{name} does not listen")
                time.sleep(_LOOK_S)
            yield
        finally:
            popen.kill()
            popen.wait()
