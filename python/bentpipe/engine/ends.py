"""What runs at the two ends of a world: a client and a server."""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol

from bentpipe.engine import netns, starvation
from bentpipe.engine.netns import World
from bentpipe.engine.part import START_TIMEOUT_S, Part

_MARGIN_S = 15.0
"""What the client may take beyond its own timeout before it is given up."""


@dataclass(frozen=True, kw_only=True)
class Seen:
    """What both ends saw, in the shape of crates/run/src/report.rs, and which programs they were."""

    client: dict[str, Any]
    origin: dict[str, Any]
    versions: dict[str, str] = field(default_factory=dict)


class Ends(Protocol):
    """A client and a server of one run, started in their namespaces."""

    def await_ready(self) -> None:
        """Return when the client can begin, over a link that is at work.

        Raises PartError when an end does not come up.
        """

    def work(self) -> float:
        """Do the workload; return how long both programs waited for a core, in seconds."""

    def seen(self, link_report: str, /) -> Seen:
        """Return what they saw; the link's report (JSON) tells what passed between them."""


Opener = Callable[[World, Mapping[str, Any]], AbstractContextManager[Ends]]
"""Starts the programs of a world by the configuration of its parts; they end with the context."""


@contextmanager
def own(world: World, configuration: Mapping[str, Any]) -> Iterator[Ends]:
    """Start our client and our origin."""
    with ExitStack() as stack:
        with netns.inside(world.server):
            origin = stack.enter_context(Part("origin", configuration))
        with netns.inside(world.client):
            client = stack.enter_context(Part("client", configuration))
        yield _Own(client=client, origin=origin, spec=configuration["spec"])


class _Own:
    def __init__(self, *, client: Part, origin: Part, spec: Mapping[str, Any]) -> None:
        self._client, self._origin = client, origin
        timeout_ns: int = spec["validity"]["timeout_ns"]
        self._timeout_s = timeout_ns / 1e9 + _MARGIN_S
        self._is_repeat_visit = spec["workload"].get("visit") == "repeat"
        self._client_report = ""

    def await_ready(self) -> None:
        for part in (self._origin, self._client):
            part.answer(timeout_s=START_TIMEOUT_S)
        if self._is_repeat_visit:
            self._client.order("visit")
            self._client.answer(timeout_s=self._timeout_s)

    def work(self) -> float:
        programs = (self._origin.pid, self._client.pid)
        before_s = starvation.waited_s(programs)
        self._client.order("go")
        self._client_report = self._client.answer(timeout_s=self._timeout_s)
        return starvation.waited_s(programs) - before_s

    def seen(self, _link_report: str, /) -> Seen:
        self._origin.order("report")
        origin_report = self._origin.answer(timeout_s=START_TIMEOUT_S)
        return Seen(client=json.loads(self._client_report), origin=json.loads(origin_report))
