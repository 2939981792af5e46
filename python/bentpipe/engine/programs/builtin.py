"""Our client and our origin: the parts that do a workload between them."""

from collections.abc import Iterator
from contextlib import contextmanager

from bentpipe.engine.host import cpu_wait, rt_priority
from bentpipe.engine.process.configuration import Configuration
from bentpipe.engine.process.part import START_TIMEOUT_S, Part
from bentpipe.engine.testbed import netns
from bentpipe.engine.testbed.netns import World
from bentpipe.model.page import PageLoadWorkload
from bentpipe.model.report import ClientReport, OriginReport
from bentpipe.model.spec import RunSpec

_MARGIN_S = 15.0
"""What the client may take beyond its own timeout before it is given up."""


@contextmanager
def client(world: World, configuration: Configuration) -> Iterator["Client"]:
    """Start our client; see `web_endpoints.ClientOpener`."""
    with netns.inside(world.client):
        part = Part("client", configuration)
    with part:
        yield Client(part, configuration.spec)


@contextmanager
def origin(world: World, configuration: Configuration) -> Iterator["Origin"]:
    """Start our origin; see `web_endpoints.ServerOpener`."""
    with netns.inside(world.server):
        part = Part("origin", configuration)
    rt_priority.put_before_browsers(part.pid, configuration.spec)
    with part:
        yield Origin(part)


class Client:
    """See `web_endpoints.Client`. It does every workload, not only page loads."""

    def __init__(self, part: Part, spec: RunSpec) -> None:
        self._part = part
        timeout_ns: int = spec.validity.timeout_ns
        self._timeout_s = timeout_ns / 1e9 + _MARGIN_S
        self._is_repeat_visit = (
            isinstance(spec.workload, PageLoadWorkload) and spec.workload.visit is not None
        )
        self._report = ""

    def await_ready(self) -> None:
        """Return when it has warmed up, and visited the origin where the run wants it."""
        self._part.answer(timeout_s=START_TIMEOUT_S)
        if self._is_repeat_visit:
            self._part.order("visit")
            self._part.answer(timeout_s=self._timeout_s)

    def load(self, begin_ns: int) -> None:
        """Do the workload."""
        self._part.order(f"go {begin_ns}")
        self._report = self._part.answer(timeout_s=self._timeout_s)

    def report(self) -> ClientReport:
        """Return what it saw."""
        return ClientReport.model_validate_json(self._report)

    def versions(self) -> dict[str, str]:
        """Return nothing: the record names our version anyway."""
        return {}

    def shares(self) -> cpu_wait.Shares:
        """Return those of its threads."""
        return cpu_wait.shares([self._part.pid])

    def abandon(self) -> None:
        """End it at once."""
        self._part.kill()


class Origin:
    """See `web_endpoints.Server`."""

    def __init__(self, part: Part) -> None:
        self._part = part

    @property
    def process(self) -> Part:
        """Its process."""
        return self._part

    def await_ready(self) -> None:
        """Return when it listens."""
        self._part.answer(timeout_s=START_TIMEOUT_S)

    def report(self) -> OriginReport:
        """End it; what it saw."""
        self._part.order("report")
        return OriginReport.model_validate_json(self._part.answer(timeout_s=START_TIMEOUT_S))

    def versions(self) -> dict[str, str]:
        """Return nothing: the record names our version anyway."""
        return {}

    def shares(self) -> cpu_wait.Shares:
        """Return those of its threads."""
        return cpu_wait.shares([self._part.pid])
