"""Page loads: protocols, pages and their objects.

Generated from the JSON schemas of crates/run by tools/generate_model.py (`make model`).
"""

from __future__ import annotations

from typing import Literal, NotRequired, TypeAlias, TypedDict

Http: TypeAlias = Literal["http10", "http10s", "h1", "h1s", "h2", "h2c", "h3", "spdy"]
"""An HTTP version as scenarios name it; an `s` means over TLS."""


ObjectKind: TypeAlias = Literal["image", "script", "style", "font", "other"]
"""What an object is to its page."""


class FileSpec(TypedDict):
    """A file and what it must hold."""

    folder: str
    """The folder."""
    name: str
    """Path of the file in the folder."""
    sha256: str
    """SHA-256 of the content, in hexadecimal digits."""


Priorities: TypeAlias = Literal["off", "unstated", "on"]
"""Priorities of a load's requests."""


Visit: TypeAlias = Literal["repeat"]
"""What a client has when it loads a page."""


class ObjectSpec(TypedDict):
    """One embedded object."""

    path: str
    """Absolute path on its host, such as `/object-1.jpg`; a query may follow."""
    bytes: int
    """Length of the body; only a style sheet or a script that names more than fits into it is longer."""
    host: NotRequired[str | None]
    """Its host; without it the page's."""
    kind: NotRequired[ObjectKind]
    """What it is to the page."""
    after: NotRequired[int | None]
    """Index of the style sheet or the script that names it; without it the document does."""
    wait_ns: NotRequired[int | None]
    """
    Time between the arrival of what names it and its request, which only a document and a script can wait. Without
    it: none.
    """
    file: NotRequired[FileSpec | None]
    """Its content, where that is not made up."""


class PageSpec(TypedDict):
    """A page: an HTML document and what it makes a browser fetch, from one host or several."""

    name: str
    """Its name in scenarios and figures."""
    objects: list[ObjectSpec]
    """The embedded objects; those that the document names stand there in this order."""
    document_bytes: NotRequired[int | None]
    """Length of the HTML document, where it is to be more than its markup."""
    host: NotRequired[str | None]
    """The host of the document; without it the origin's usual name."""
    document: NotRequired[FileSpec | None]
    """The document itself, where it is not made from the objects."""


class PageLoadWorkload(TypedDict):
    """Load one web page."""

    kind: Literal["page-load"]
    http: Http
    """Protocol version and whether it runs over TLS."""
    connections: int
    """Parallel connections of HTTP/1.0 and HTTP/1.1 to the origin; the others always use one."""
    page: PageSpec
    """The page."""
    requests_per_connection: NotRequired[int | None]
    """Requests after which an HTTP/1.1 connection is closed, by both ends; 1 is "not persistent". Without it: never."""
    pipelining: NotRequired[int | None]
    """Requests that may wait for their responses on one HTTP/1.1 connection (RFC 9112 section 9.3.2). Without it: one."""
    optimistic_pipelining: NotRequired[int | None]
    """The most of them on a connection from which no response has come yet. Without it: as many as on any."""
    push_percent: NotRequired[int | None]
    """Percentage of the objects that the origin pushes, the first ones of the page (HTTP/2, SPDY). Without it: none."""
    priorities: NotRequired[Priorities]
    """Priorities of requests (HTTP/2, HTTP/3: RFC 9218; SPDY: its own)."""
    response_header_bytes: NotRequired[int | None]
    """
    Size of each response's header as HTTP/1.1 writes it, first line and empty line included; the origin adds fields
    until it has that. Other versions have the same fields but those about the connection. Without it: the origin's own.
    """
    visit: NotRequired[Visit | None]
    """What the client remembers of the origin. Without it: nothing."""
