"""One entry of a HAR 1.2 file (http://www.softwareishard.com/blog/har-12-spec): what a page needs of it.

A field of the standard that is absent or null is taken for unknown; one of a wrong type is bad input. Fields
that start with an underscore are each program's own: what is not understood in them is passed over.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TypeVar
from urllib.parse import SplitResult, urldefrag, urljoin, urlsplit

from bentpipe.scenario.json_value import Json, JsonObject
from bentpipe.scenario.page import kinds
from bentpipe.scenario.page.names import LONGEST_AUTHORITY, LONGEST_HOST, LONGEST_URL, authority
from bentpipe.scenario.written.location import Location, quoted
from bentpipe.scenario.written.quantity import LARGEST_BYTES, MILLISECOND_NS
from bentpipe.scenario.written.vocabulary import ObjectKind

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
DATA = "data:"
"""What starts URLs that have a file in them. They are not asked for over HTTP, and may be of any length."""
LONGEST_MS = 1e9
"""Some eleven days: a browser may have had the page open for long."""
REDIRECTS = (301, 302, 303, 307, 308)
NOT_MODIFIED = 304
SWITCHING_PROTOCOLS = 101
MOST_STATUS = 999
MOST_STACKS = 32
"""Asynchronous stacks on top of each other that are looked through for the script at fault."""
OF_RESOURCE_TYPE: dict[str, ObjectKind] = {
    "image": "image",
    "script": "script",
    "stylesheet": "style",
    "font": "font",
}

Member = TypeVar("Member")


@dataclass(frozen=True, kw_only=True)
class HarEntry:
    """A request and its answer.

    Attributes
    ----------
    position : int
        In `log.entries`.
    url : str
        Without the fragment.
    parts : SplitResult
        Its parts.
    page : str or None
        The page of the file that it belongs to.
    method : str
        Of the request, in capitals.
    status : int
        Of the answer; 0 where there was none.
    redirect : str or None
        The URL that the answer sends to.
    media : str
        Media type of the answer.
    kind : ObjectKind
        What the object is.
    bytes : int
        Length of the body as it was, or would have been, transferred.
    is_cached : bool
        Whether the answer came from the browser's own cache.
    started_ns, ended_ns : int or None
        Since 1970.
    initiators : tuple of str
        URLs of what made the request, the nearest first.
    referrer : str or None
        What the request says that it comes from.
    """

    position: int
    url: str
    parts: SplitResult
    page: str | None
    method: str
    status: int
    redirect: str | None
    media: str
    kind: ObjectKind
    bytes: int
    is_cached: bool
    started_ns: int | None
    ended_ns: int | None
    initiators: tuple[str, ...]
    referrer: str | None


def read_entry(written: Json, where: Location, *, position: int) -> HarEntry:
    """Return an entry of `log.entries`.

    Raises
    ------
    InputError
        Names the field whose value cannot be.
    """
    entry = checked(written, dict, where, "an object")
    request = member(entry, "request", dict, where, "an object") or {}
    answer = member(entry, "response", dict, where, "an object") or {}
    at_request, at_answer = where.at("request"), where.at("response")
    url = member(request, "url", str, at_request, "a URL")
    if url is None:
        raise at_request.at("url").error(expected="a URL", found="nothing")
    url, parts = _url(url, at_request.at("url"))
    content = member(answer, "content", dict, at_answer, "an object") or {}
    media = kinds.media_type(member(content, "mimeType", str, at_answer.at("content"), "a media type") or "")
    status = _status(answer, at_answer)
    says_cached = status == NOT_MODIFIED or "_fromCache" in entry
    body_bytes, is_cached = _body_bytes(answer, content, at_answer, says_cached=says_cached)
    started_ns = _started_ns(entry, where)
    took_ms = _number(entry, "time", where) or 0
    return HarEntry(
        position=position,
        url=url,
        parts=parts,
        page=member(entry, "pageref", str, where, "a page's id"),
        method=(member(request, "method", str, at_request, "a method") or "GET").upper(),
        status=status,
        redirect=_redirect(url, status, answer, at_answer),
        media=media,
        kind=_kind(media, parts.path, entry),
        bytes=body_bytes,
        is_cached=is_cached,
        started_ns=started_ns,
        ended_ns=None if started_ns is None else started_ns + round(max(took_ms, 0) * MILLISECOND_NS),
        initiators=tuple(_initiators(entry.get("_initiator"))),
        referrer=_referrer(request, at_request),
    )


def checked(value: Json, kind: type[Member], where: Location, expected: str) -> Member:
    """Return a value that is of this type."""
    if not isinstance(value, kind) or isinstance(value, bool):
        raise where.error(expected=expected, found=quoted(value) if value is not None else "nothing")
    return value


def member(table: JsonObject, key: str, kind: type[Member], where: Location, expected: str) -> Member | None:
    """Return a member of an object that is of this type, or None where there is none."""
    value = table.get(key)
    return None if value is None else checked(value, kind, where.at(key), expected)


def _url(text: str, where: Location) -> tuple[str, SplitResult]:
    if text[: len(DATA)].lower() == DATA:
        return DATA, urlsplit(DATA)
    _check_length(text, where)
    try:
        url, _ = urldefrag(text)
        parts = urlsplit(url)
        # Splitting leaves brackets unchecked until they are asked for.
        host = parts.hostname or ""
    except ValueError:
        raise where.error(expected="a URL", found=quoted(text)) from None
    if parts.scheme in ("http", "https") and not host:
        raise where.error(expected="a URL with a host", found=quoted(text))
    if len(host) > LONGEST_HOST:
        raise where.error(expected=f"a host of at most {LONGEST_HOST} characters", found=quoted(text))
    return url, parts


def _check_length(url: str, where: Location) -> None:
    """Raise an InputError when a URL is longer than any that is asked for, before it is taken apart."""
    if len(url) > LONGEST_URL:
        raise where.error(expected=f"a URL of at most {LONGEST_URL} characters", found=quoted(url))
    if len(authority(url)) > LONGEST_AUTHORITY:
        expected = f"a host of at most {LONGEST_HOST} characters, with user and port {LONGEST_AUTHORITY}"
        raise where.error(expected=expected, found=quoted(url))


def _status(answer: JsonObject, where: Location) -> int:
    status = member(answer, "status", int, where, "a status code")
    if status is not None and not 0 <= status <= MOST_STATUS:
        raise where.at("status").error(expected=f"a status code up to {MOST_STATUS}", found=quoted(status))
    return status or 0


def _redirect(url: str, status: int, answer: JsonObject, where: Location) -> str | None:
    if status not in REDIRECTS:
        return None
    target = member(answer, "redirectURL", str, where, "a URL")
    target = target or _header(answer, "location", where)
    if not target:
        return None
    _check_length(target, where.at("redirectURL"))
    try:
        return urldefrag(urljoin(url, target)).url
    except ValueError:
        raise where.at("redirectURL").error(expected="a URL", found=quoted(target)) from None


def _kind(media: str, path: str, entry: JsonObject) -> ObjectKind:
    kind = kinds.of_media_type(media, path)
    resource_type = entry.get("_resourceType")
    if kind == kinds.OTHER and media in kinds.UNTOLD_TYPES and isinstance(resource_type, str):
        return OF_RESOURCE_TYPE.get(resource_type, kind)
    return kind


def _body_bytes(
    answer: JsonObject, content: JsonObject, where: Location, *, says_cached: bool
) -> tuple[int, bool]:
    """Return the length of the body as it was or would have been transferred, and whether a cache had it.

    It is the first of what is known: `bodySize`; what Chromium received less the header; the content less
    what its compression saved. HAR writes -1 for unknown. From a cache is also content without a body.
    """
    body = _size(answer, "bodySize", where)
    header = _size(answer, "headersSize", where)
    received = answer.get("_transferSize")
    size = _size(content, "size", where.at("content"))
    saved = _size(content, "compression", where.at("content"))
    uncached = None if size is None else max(size - (saved or 0), 0)
    is_cached = says_cached or (body == 0 and bool(uncached))
    if is_cached and uncached:
        return uncached, True
    if body is not None:
        return body, is_cached
    if isinstance(received, int) and 0 < received <= LARGEST_BYTES:
        return max(received - (header or 0), 0), is_cached
    return uncached or 0, is_cached


def _size(table: JsonObject, key: str, where: Location) -> int | None:
    value = _number(table, key, where)
    if value is None or value < 0:
        return None
    if value > LARGEST_BYTES:
        raise where.at(key).error(expected=f"at most {LARGEST_BYTES} bytes", found=quoted(value))
    return round(value)


def _number(table: JsonObject, key: str, where: Location) -> float | None:
    value = table.get(key)
    if value is None:
        return None
    # Unlike isfinite, a comparison takes integers beyond floats.
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < math.inf:
        raise where.at(key).error(expected="a number", found=quoted(value))
    if key == "time" and value > LONGEST_MS:
        raise where.at(key).error(expected=f"at most {LONGEST_MS:.0f} ms", found=quoted(value))
    return value


def _started_ns(entry: JsonObject, where: Location) -> int | None:
    text = member(entry, "startedDateTime", str, where, "a time")
    if text is None:
        return None
    try:
        started = datetime.fromisoformat(text)
        since = (started if started.tzinfo else started.replace(tzinfo=UTC)) - EPOCH
    except (ValueError, OverflowError):
        expected = "a time such as 2026-01-31T12:00:00.000Z"
        raise where.at("startedDateTime").error(expected=expected, found=quoted(text)) from None
    return since // timedelta(microseconds=1) * 1000


def _header(message: JsonObject, name: str, where: Location) -> str | None:
    headers = member(message, "headers", list, where, "a list") or []
    for header in headers:
        if isinstance(header, dict):
            found, value = header.get("name"), header.get("value")
            if isinstance(found, str) and isinstance(value, str) and found.lower() == name:
                return value
    return None


def _referrer(request: JsonObject, where: Location) -> str | None:
    text = _header(request, "referer", where)
    return None if text is None else text.partition("#")[0]


def _initiators(written: Json) -> Iterator[str]:
    """Yield URLs of Chromium's `_initiator`: the scripts on its stacks, then the file that it names.

    WebPageTest writes the URL alone.
    """
    if isinstance(written, str) and written:
        yield written.partition("#")[0]
    if not isinstance(written, dict):
        return
    stack = written.get("stack")
    for _ in range(MOST_STACKS):
        if not isinstance(stack, dict):
            break
        frames = stack.get("callFrames")
        for frame in frames if isinstance(frames, list) else ():
            url = frame.get("url") if isinstance(frame, dict) else None
            if isinstance(url, str) and url:
                yield url.partition("#")[0]
        stack = stack.get("parent")
    url = written.get("url")
    if isinstance(url, str) and url:
        yield url.partition("#")[0]
