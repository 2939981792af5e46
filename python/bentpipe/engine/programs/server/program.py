"""What a run must know of a server's program, whichever it is."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from bentpipe.engine.programs import third_party
from bentpipe.engine.programs.server.site import Site
from bentpipe.engine.testbed.hosts import HTTPS_PORT

HEADER_FIELDS = {
    "Cache-Control": "no-store",
    "Timing-Allow-Origin": "*",
    "Access-Control-Allow-Origin": "*",
}
"""The first is our origin's. Without the second browsers keep the instants of another host's objects to
themselves (W3C Resource Timing); without the third they give no page another host's fonts (Fetch)."""

ALTERNATIVE = f'h3=":{HTTPS_PORT}"; ma=86400'
"""Alt-Svc with HTTP/3 (RFC 7838), in HTTP/3's responses too: Chromium keeps fewer requests in flight to a
server that has not sent it."""

IDLE_S = 600
"""How long a connection may be silent. A minute is usual, and a link may be out for longer."""


@dataclass(frozen=True, kw_only=True)
class Program:
    """A server's program.

    Attributes
    ----------
    name : str
        As scenarios have it.
    installed : programs.Program
        Where it is and how to get it.
    quic_control : str or None
        The only congestion control that its QUIC has; it cannot be read back. None without QUIC.
    command : callable
        Returns the arguments for a path.
    configuration : callable
        Returns the name and the text of its configuration, for a version of HTTP and a site.
    libraries : callable
        Returns the versions of those of its libraries that decide what is measured, for a path.
    """

    name: str
    installed: third_party.Program
    quic_control: str | None
    command: Callable[[str], list[str]]
    configuration: Callable[[str, Site], tuple[str, str]]
    libraries: Callable[[str], Mapping[str, str]]

    def versions(self) -> dict[str, str]:
        """Return what a record's provenance says of it."""
        path, version = self.installed.path(), self.installed.version()
        if path is None or version is None:
            return {}
        return {self.name: version, **self.libraries(path)}
