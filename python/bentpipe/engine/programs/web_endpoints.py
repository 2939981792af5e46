"""A client and a server of a page load that know nothing of each other: ours, a browser, a foreign server."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import Protocol

from bentpipe.engine.host import cpu_wait
from bentpipe.engine.process.configuration import Configuration
from bentpipe.engine.process.vigil import Watched
from bentpipe.engine.programs import browser, builtin, server
from bentpipe.engine.programs.endpoints import Ends, Seen
from bentpipe.engine.testbed.netns import World
from bentpipe.model.report import ClientReport, LinkReport, OriginReport


class Client(Protocol):
    """What loads the page, started in the client's namespace."""

    def await_ready(self) -> None:
        """Return when it can start, over a link that is at work; the server is ready.

        Raises PartError when it does not come up.
        """

    def load(self, begin_ns: int) -> None:
        """Do the workload; see `endpoints.Ends.work`. A load that breaks is a fault in the report."""

    def abandon(self) -> None:
        """End it at once, so that `load` returns or raises; called from another thread."""

    def report(self) -> ClientReport:
        """Return what it saw."""

    def versions(self) -> Mapping[str, str]:
        """Name the program and how it was started, for the record's provenance."""

    def shares(self) -> cpu_wait.Shares:
        """Return what its threads have had of the cores so far; the difference counts."""


class Server(Protocol):
    """What serves the page, started in the server's namespace."""

    @property
    def process(self) -> Watched:
        """Its process."""

    def await_ready(self) -> None:
        """Return when it listens. Raises PartError when it does not come up."""

    def report(self) -> OriginReport:
        """Return what it saw."""

    def versions(self) -> Mapping[str, str]:
        """Name the program, for the record's provenance."""

    def shares(self) -> cpu_wait.Shares:
        """Return what its threads have had of the cores so far; the difference counts."""


ClientOpener = Callable[[World, Configuration], AbstractContextManager[Client]]
ServerOpener = Callable[[World, Configuration], AbstractContextManager[Server]]
"""Start a program of a world by the configuration of its parts; it ends with the context."""


@contextmanager
def opened(world: World, configuration: Configuration) -> Iterator[Ends]:
    """Start what a run's specification names as client and server; see `ends.Opener`.

    Raises
    ------
    AbilityError
        When this machine lacks one of the programs.
    """
    spec = configuration.spec
    open_client: ClientOpener = browser.opened if spec.client is not None else builtin.client
    open_server: ServerOpener = server.opened if spec.server is not None else builtin.origin
    with ExitStack() as stack:
        serving = stack.enter_context(open_server(world, configuration))
        client = stack.enter_context(open_client(world, configuration))
        yield _Joined(client=client, server=serving)


class _Joined:
    def __init__(self, *, client: Client, server: Server) -> None:
        self._client, self._server = client, server

    def await_ready(self) -> None:
        self._server.await_ready()
        self._client.await_ready()

    @property
    def vital(self) -> Sequence[Watched]:
        return (self._server.process,)

    def abandon(self) -> None:
        self._client.abandon()

    def work(self, begin_ns: int) -> cpu_wait.Shares:
        before = self._shares()
        self._client.load(begin_ns)
        return cpu_wait.between(before, self._shares())

    def _shares(self) -> cpu_wait.Shares:
        return {**self._server.shares(), **self._client.shares()}

    def seen(self, _link_report: LinkReport, /) -> Seen:
        origin, client = self._server.report(), self._client.report()
        return Seen(
            client=client,
            origin=origin,
            versions={**self._server.versions(), **self._client.versions()},
        )
