"""A page as the engines get it: the `PageSpec` of crates/run/src/page_load.rs."""

from collections.abc import Sequence, Sized
from dataclasses import dataclass
from typing import Final

from bentpipe import _core
from bentpipe.model import page as model
from bentpipe.model.draft.page import FileSpec, ObjectSpec, PageSpec
from bentpipe.scenario.written.location import Location
from bentpipe.scenario.written.vocabulary import ObjectKind

USUAL_KIND: Final = "image"
"""The one that an object has that does not say otherwise."""

MOST_OBJECTS = 5000
"""The largest home page of the HTTP Archive asks for some ten thousand; the 90th percentile asks for 182."""
MOST_HOSTS = 255
"""The addresses of one /24 after the page's own: a host has an address of its own."""
LARGEST_PAGE_BYTES = 1_000_000_000
"""Both ends hold a page in memory."""


@dataclass(frozen=True, kw_only=True)
class PageObject:
    """An object of a page.

    Attributes
    ----------
    host, path : str
        Where it is; the path starts with a slash.
    bytes : int
        Length of the body.
    kind : str
        One of `vocabulary.OBJECT_KIND`.
    after : int or None
        Position of the object that names it; none where the document does.
    wait_ns : int
        Time between the arrival of that object and the request.
    file : FileSpec or None
        The file with its content, where it has one.
    """

    host: str | None
    path: str
    bytes: int
    kind: ObjectKind = USUAL_KIND
    after: int | None = None
    wait_ns: int = 0
    file: FileSpec | None = None


def page_of(
    name: str,
    objects: Sequence[PageObject],
    where: Location,
    *,
    host: str | None,
    document_bytes: int | None,
    document: FileSpec | None = None,
) -> PageSpec:
    """Return a page; what an object or the page does not have is not in it.

    Parameters
    ----------
    name : str
        Of the page.
    objects : sequence of PageObject
        Each behind the one that names it.
    where : Location
        What the page is from, for errors.
    host : str or None
        That of the document; none for the one that pages have without one.
    document_bytes : int or None
        Length of the HTML document.
    document : FileSpec or None
        The file with its content, where it has one.

    Raises
    ------
    InputError
        When the page is larger than the engines take.
    """
    check_number(objects, where)
    hosts = {host, *(item.host for item in objects)}
    if len(hosts) > MOST_HOSTS:
        raise where.error(expected=f"at most {MOST_HOSTS} hosts", found=str(len(hosts)))
    total_bytes = (document_bytes or 0) + sum(item.bytes for item in objects)
    if total_bytes > LARGEST_PAGE_BYTES:
        most = _core.format_size(LARGEST_PAGE_BYTES)
        raise where.error(expected=f"at most {most} in all", found=_core.format_size(total_bytes))
    page: PageSpec = {"name": name, "objects": [_object(item, page_host=host) for item in objects]}
    if document_bytes is not None:
        page["document_bytes"] = document_bytes
    if host is not None:
        page["host"] = host
    if document is not None:
        page["document"] = document
    return page


def check_number(objects: Sized, where: Location) -> None:
    """Raise an InputError when there are more objects than the engines take."""
    if len(objects) > MOST_OBJECTS:
        raise where.error(expected=f"at most {MOST_OBJECTS} objects", found=str(len(objects)))


def hosts_of(page: model.PageSpec) -> list[str | None]:
    """Return the hosts of a page, its own first, then in the order of their first object.

    None is the one that a page has that does not say otherwise.
    """
    return list(dict.fromkeys([page.host, *(item.host or page.host for item in page.objects)]))


def longest_wait_ns(page: PageSpec) -> int:
    """Return the most that waits add up to from the document to any object."""
    waits_ns: list[int] = []
    for item in page["objects"]:
        after = item.get("after")
        before_ns = 0 if after is None else waits_ns[after]
        waits_ns.append(before_ns + (item.get("wait_ns") or 0))
    return max(waits_ns, default=0)


def _object(item: PageObject, *, page_host: str | None) -> ObjectSpec:
    spec: ObjectSpec = {"path": item.path, "bytes": item.bytes}
    if item.host is not None and item.host != page_host:
        spec["host"] = item.host
    if item.kind != USUAL_KIND:
        spec["kind"] = item.kind
    if item.after is not None:
        spec["after"] = item.after
    if item.wait_ns:
        spec["wait_ns"] = item.wait_ns
    if item.file is not None:
        spec["file"] = item.file
    return spec
