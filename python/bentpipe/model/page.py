"""Page loads: protocols, pages and their objects.

Generated from the JSON schemas of crates/run by tools/generate_model.py (`make model`).
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Literal

from typing_extensions import TypeAliasType

from bentpipe.model.frozen import Frozen


class Http(StrEnum):
    """An HTTP version as scenarios name it; an `s` means over TLS."""

    HTTP10 = "http10"
    """HTTP/1.0 in clear text (RFC 1945): a connection for each object."""
    HTTP10S = "http10s"
    """HTTP/1.0 over TLS."""
    H1 = "h1"
    """HTTP/1.1 in clear text (RFC 9112)."""
    H1S = "h1s"
    """HTTP/1.1 over TLS."""
    H2 = "h2"
    """HTTP/2 over TLS (RFC 9113)."""
    H2C = "h2c"
    """HTTP/2 in clear text, of which the client knows beforehand (RFC 9113 section 3.3)."""
    H3 = "h3"
    """HTTP/3 over QUIC (RFC 9114)."""
    SPDY = "spdy"
    """SPDY/3.1 over TLS."""


class ObjectKind(StrEnum):
    """What an object is to its page."""

    IMAGE = "image"
    """An image."""
    SCRIPT = "script"
    """A script, which may name objects of any kind."""
    STYLE = "style"
    """A style sheet, which may name images, fonts and style sheets."""
    FONT = "font"
    """A font."""
    OTHER = "other"
    """Anything that scripts fetch."""


class FileSpec(Frozen):
    """A file and what it must hold."""

    folder: str
    """The folder."""
    name: str
    """Path of the file in the folder."""
    sha256: str
    """SHA-256 of the content, in hexadecimal digits."""


class Priorities(StrEnum):
    """Priorities of a load's requests."""

    OFF = "off"
    """Requests state none, and the origin knows none."""
    UNSTATED = "unstated"
    """Requests state none, and the origin gives each the default: urgency 3, not incremental (RFC 9218 section 4)."""
    ON = "on"
    """Requests state them, and the origin heeds them."""


Visit = TypeAliasType("Visit", Literal["repeat"])
"""What a client has when it loads a page."""


class ObjectSpec(Frozen):
    """One embedded object."""

    path: str
    """Absolute path on its host, such as `/object-1.jpg`; a query may follow."""
    bytes: int
    """Length of the body; only a style sheet or a script that names more than fits into it is longer."""
    host: str | None = None
    """Its host; without it the page's."""
    kind: ObjectKind | None = None
    """What it is to the page."""
    after: int | None = None
    """Index of the style sheet or the script that names it; without it the document does."""
    wait_ns: int | None = None
    """
    Time between the arrival of what names it and its request, which only a document and a script can wait. Without
    it: none.
    """
    file: FileSpec | None = None
    """Its content, where that is not made up."""


class PageSpec(Frozen):
    """A page: an HTML document and what it makes a browser fetch, from one host or several."""

    name: str
    """Its name in scenarios and figures."""
    objects: Sequence[ObjectSpec]
    """The embedded objects; those that the document names stand there in this order."""
    document_bytes: int | None = None
    """Length of the HTML document, where it is to be more than its markup."""
    host: str | None = None
    """The host of the document; without it the origin's usual name."""
    document: FileSpec | None = None
    """The document itself, where it is not made from the objects."""


class PageLoadWorkload(Frozen):
    """Load one web page."""

    kind: Literal["page-load"] = "page-load"
    http: Http
    """Protocol version and whether it runs over TLS."""
    connections: int
    """Parallel connections of HTTP/1.0 and HTTP/1.1 to the origin; the others always use one."""
    page: PageSpec
    """The page."""
    requests_per_connection: int | None = None
    """Requests after which an HTTP/1.1 connection is closed, by both ends; 1 is "not persistent". Without it: never."""
    pipelining: int | None = None
    """Requests that may wait for their responses on one HTTP/1.1 connection (RFC 9112 section 9.3.2). Without it: one."""
    optimistic_pipelining: int | None = None
    """The most of them on a connection from which no response has come yet. Without it: as many as on any."""
    push_percent: int | None = None
    """Percentage of the objects that the origin pushes, the first ones of the page (HTTP/2, SPDY). Without it: none."""
    priorities: Priorities | None = None
    """Priorities of requests (HTTP/2, HTTP/3: RFC 9218; SPDY: its own)."""
    response_header_bytes: int | None = None
    """
    Size of each response's header as HTTP/1.1 writes it, first line and empty line included; the origin adds fields
    until it has that. Other versions have the same fields but those about the connection. Without it: the origin's own.
    """
    visit: Visit | None = None
    """What the client remembers of the origin. Without it: nothing."""
