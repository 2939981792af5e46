"""What runs at the two ends of a world: a client and a server."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Protocol

from bentpipe.engine.host.cpu_wait import Shares
from bentpipe.engine.process.configuration import Configuration
from bentpipe.engine.process.vigil import Watched
from bentpipe.engine.testbed.netns import World
from bentpipe.model.report import ClientReport, LinkReport, OriginReport


@dataclass(frozen=True, kw_only=True)
class Seen:
    """What both ends saw, and which programs they were."""

    client: ClientReport
    origin: OriginReport
    versions: dict[str, str] = field(default_factory=dict)


class Ends(Protocol):
    """A client and a server of one run, started in their namespaces."""

    def await_ready(self) -> None:
        """Return when the client can start, over a link that is at work.

        Raises PartError when an end does not come up.
        """

    @property
    def vital(self) -> Sequence[Watched]:
        """Processes besides the client whose end is the end of the work."""

    def abandon(self) -> None:
        """End the client at once, so that `work` returns or raises; called from another thread."""

    def work(self, begin_ns: int) -> Shares:
        """Do the workload, not before an instant of CLOCK_MONOTONIC, in nanoseconds.

        Returns
        -------
        Shares
            What the threads of both programs had of the cores meanwhile.
        """

    def seen(self, link_report: LinkReport, /) -> Seen:
        """Return what they saw; the link's report tells what passed between them."""


Opener = Callable[[World, Configuration], AbstractContextManager[Ends]]
"""Starts the programs of a world by the configuration of its parts; they end with the context."""
