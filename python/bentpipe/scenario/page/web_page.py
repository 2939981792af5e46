"""A page as the engines get it: the `PageSpec` of crates/run/src/page_load.rs."""

from collections.abc import Mapping, Sequence, Sized
from dataclasses import dataclass
from typing import Any

from bentpipe import _core
from bentpipe.scenario.written.location import Location

USUAL_KIND = "image"
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
    file : Mapping or None
        The file with its content, where it has one.
    """

    host: str | None
    path: str
    bytes: int
    kind: str = USUAL_KIND
    after: int | None = None
    wait_ns: int = 0
    file: Mapping[str, str] | None = None


def page_of(
    name: str,
    objects: Sequence[PageObject],
    where: Location,
    *,
    host: str | None,
    document_bytes: int | None,
    document: Mapping[str, str] | None = None,
) -> dict[str, Any]:
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
    document : Mapping or None
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
    return {
        "name": name,
        "objects": [_object(item, page_host=host) for item in objects],
        **_present(document_bytes=document_bytes, host=host, document=document),
    }


def check_number(objects: Sized, where: Location) -> None:
    """Raise an InputError when there are more objects than the engines take."""
    if len(objects) > MOST_OBJECTS:
        raise where.error(expected=f"at most {MOST_OBJECTS} objects", found=str(len(objects)))


def hosts_of(page: Mapping[str, Any]) -> list[str | None]:
    """Return the hosts of a page, its own first, then in the order of their first object.

    None is the one that a page has that does not say otherwise.
    """
    own = page.get("host")
    return list(dict.fromkeys([own, *(item.get("host", own) for item in page["objects"])]))


def longest_wait_ns(page: Mapping[str, Any]) -> int:
    """Return the most that waits add up to from the document to any object."""
    waits_ns: list[int] = []
    for item in page["objects"]:
        before_ns = waits_ns[item["after"]] if "after" in item else 0
        waits_ns.append(before_ns + item.get("wait_ns", 0))
    return max(waits_ns, default=0)


def _object(item: PageObject, *, page_host: str | None) -> dict[str, Any]:
    return {
        "path": item.path,
        "bytes": item.bytes,
        **_present(
            host=None if item.host == page_host else item.host,
            kind=None if item.kind == USUAL_KIND else item.kind,
            after=item.after,
            wait_ns=item.wait_ns or None,
            file=item.file,
        ),
    }


def _present(**values: object) -> dict[str, Any]:
    return {key: value for key, value in values.items() if value is not None}
