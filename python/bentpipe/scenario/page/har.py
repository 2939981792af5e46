"""A page from a HAR 1.2 file, whatever program recorded it: the rules are in docs/pages.md."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from bentpipe.model.draft.page import PageSpec
from bentpipe.scenario.json_value import Json
from bentpipe.scenario.page import har_file, kinds
from bentpipe.scenario.page.har_entry import (
    NOT_MODIFIED,
    SWITCHING_PROTOCOLS,
    HarEntry,
    checked,
    member,
    read_entry,
)
from bentpipe.scenario.page.names import file_paths, host_name
from bentpipe.scenario.page.web_page import MOST_OBJECTS, PageObject, check_number, page_of
from bentpipe.scenario.written.location import Location
from bentpipe.scenario.written.quantity import LONGEST_NS, MILLISECOND_NS
from bentpipe.scenario.written.user_file import read_user_file
from bentpipe.scenario.written.vocabulary import ObjectKind

MOST_ENTRIES = 10 * MOST_OBJECTS
PARSING_NS = 50 * MILLISECOND_NS
"""After the end of the document, in which a request is still taken for one that its parser made."""
LEAST_WAIT_NS = MILLISECOND_NS
"""HAR's resolution: anything less is none."""
NAMED_BY_STYLES = ("image", "font", "style")
"""Kinds of objects; a script names any."""
MOST_KEPT = 16
"""Pages, for the cells of a matrix; the largest takes some megabytes."""

_pages: dict[tuple[bytes, str, str], PageSpec] = {}
"""By digest of the file, its name and the page's; the oldest first."""


def har_page(path: Path, *, name: str) -> PageSpec:
    """Return the page that a HAR file recorded.

    Parameters
    ----------
    path : Path
        The file.
    name : str
        Of the page.

    Raises
    ------
    InputError
        When it cannot be read, is no HAR or holds no page; names the field.
    """
    where = Location(file=str(path))
    content = read_user_file(path, where, kind="HAR", largest_bytes=har_file.LARGEST_FILE_BYTES)
    key = (hashlib.sha256(content).digest(), str(path), name)
    if key not in _pages:
        rest = har_file.without_bodies(content)
        # Mostly it is much larger.
        del content
        page = _page(har_file.parsed(rest, where), where, name)
        while len(_pages) >= MOST_KEPT:
            del _pages[next(iter(_pages))]
        _pages[key] = page
    return _pages[key]


def _page(har: Json, where: Location, name: str) -> PageSpec:
    place = where.at("log.entries")
    document, requests = _of_one_page(_answered(_entries(har, where)), place)
    check_number(requests, place)
    name_of = {host: host_name(host) for host in {entry.parts.hostname or "" for entry in requests}}
    hosts = [name_of[entry.parts.hostname or ""] for entry in requests]
    home = host_name(document.parts.hostname or "")
    causes = list(_causes(document, requests))
    causing = {after for after, _ in causes}
    # A document within the document that names others does what a script does.
    kind_of: list[ObjectKind] = [
        "script" if position in causing and entry.kind == kinds.OTHER else entry.kind
        for position, entry in enumerate(requests)
    ]
    paths = file_paths(
        (host, entry.parts.path, kind) for host, entry, kind in zip(hosts, requests, kind_of, strict=True)
    )
    objects = []
    for entry, host, path_there, kind, (after, wait_ns) in zip(
        requests, hosts, paths, kind_of, causes, strict=True
    ):
        if wait_ns > LONGEST_NS:
            at_fault = where.at(f"log.entries[{entry.position}].startedDateTime")
            raise at_fault.error(expected="a request less than a day after its cause", found="a later one")
        objects.append(
            PageObject(
                host=host,
                path=path_there,
                # An object has at least a byte; many a beacon has none.
                bytes=max(entry.bytes, 1),
                kind=kind,
                after=after,
                wait_ns=wait_ns,
            )
        )
    return page_of(name, objects, place, host=home, document_bytes=max(document.bytes, 1))


def _entries(har: Json, where: Location) -> list[HarEntry]:
    log = member(checked(har, dict, where, "an object"), "log", dict, where, "an object")
    if log is None:
        raise where.at("log").error(expected="an object", found="nothing")
    place = where.at("log.entries")
    entries = checked(log.get("entries"), list, place, "a list")
    if len(entries) > MOST_ENTRIES:
        raise place.error(expected=f"at most {MOST_ENTRIES} entries", found=str(len(entries)))
    return [
        read_entry(entry, where.at(f"log.entries[{position}]"), position=position)
        for position, entry in enumerate(entries)
    ]


def _answered(entries: Iterable[HarEntry]) -> list[HarEntry]:
    """Return the entries that were answered over HTTP, in the order in which they were made.

    What a redirect leads to stands for both: it was asked for when the redirect was, by what asked for that.
    """
    kept: list[HarEntry] = []
    redirected: dict[str, HarEntry] = {}
    loaded: set[str] = set()
    for entry in _in_order(entries):
        if entry.parts.scheme not in ("http", "https") or entry.method in ("OPTIONS", "CONNECT"):
            continue
        if entry.status <= SWITCHING_PROTOCOLS or (entry.is_cached and entry.url in loaded):
            continue
        first = redirected.pop(entry.url, None)
        if first is not None:
            entry = replace(
                entry,
                started_ns=first.started_ns,
                initiators=first.initiators or entry.initiators,
                referrer=first.referrer or entry.referrer,
            )
        if entry.redirect is not None:
            redirected[entry.redirect] = entry
            continue
        loaded.add(entry.url)
        kept.append(entry)
    return kept


def _in_order(entries: Iterable[HarEntry]) -> list[HarEntry]:
    """Return entries by their start; one that does not say when stays behind the one before it."""
    latest_ns, keyed = 0, []
    for entry in entries:
        latest_ns = latest_ns if entry.started_ns is None else entry.started_ns
        keyed.append((latest_ns, entry.position, entry))
    return [entry for _, _, entry in sorted(keyed, key=lambda item: item[:2])]


def _of_one_page(entries: Sequence[HarEntry], where: Location) -> tuple[HarEntry, list[HarEntry]]:
    """Return the document, the first HTML that there is, and what else belongs to its page."""
    for document in entries:
        is_there = 200 <= document.status <= 299 or document.status == NOT_MODIFIED
        if is_there and kinds.is_html(document.media):
            others = [
                entry
                for entry in entries
                if entry is not document and (entry.page or document.page) == (document.page or entry.page)
            ]
            return document, others
    raise where.error(expected="an HTML document that was answered", found="none")


def _causes(document: HarEntry, requests: Iterable[HarEntry]) -> Iterator[tuple[int | None, int]]:
    """Yield for each request the position of the object that names it, none for the document, and its wait.

    The wait is the time from the arrival of the one to the request for the other. There is none after a style
    sheet: what it names is loaded as soon as it is there.
    """
    earlier: dict[str, tuple[int, HarEntry]] = {}
    causes: list[tuple[int, HarEntry]] = []
    for position, entry in enumerate(requests):
        found = _named_cause(entry, document, earlier)
        if found is None:
            found = _cause_by_time(entry, document, causes)
        after, cause = found
        yield after, 0 if cause is None or cause.kind == "style" else _wait_ns(entry, cause)
        earlier[entry.url] = (position, entry)
        if entry.kind in ("script", "style"):
            causes.append((position, entry))


Cause = tuple[int | None, HarEntry | None]
"""Its position, none of the document, and what a wait starts with, if there is one."""


def _named_cause(
    entry: HarEntry, document: HarEntry, earlier: Mapping[str, tuple[int, HarEntry]]
) -> Cause | None:
    for url in entry.initiators:
        if url == document.url:
            # The parser reads ahead while the document and its scripts arrive: nothing is waited for.
            return None, None
        if url in earlier and _can_name(earlier[url][1], entry):
            return earlier[url]
    # What a style sheet or a document within the document asks for says so.
    cause = earlier.get(entry.referrer or "")
    return cause if cause is not None and _can_name(cause[1], entry) else None


def _can_name(cause: HarEntry, entry: HarEntry) -> bool:
    """Whether a script, a style sheet or a document within the document can have made a request."""
    if cause.url == entry.url:
        return False
    if cause.kind == "style":
        return entry.kind in NAMED_BY_STYLES
    return cause.kind == "script" or kinds.is_html(cause.media)


def _cause_by_time(entry: HarEntry, document: HarEntry, causes: Iterable[tuple[int, HarEntry]]) -> Cause:
    """Take the request for the parser's while it works, and later for that of the last cause to arrive."""
    if entry.started_ns is None or document.ended_ns is None:
        return None, None
    if entry.started_ns <= document.ended_ns + PARSING_NS:
        return None, None
    found: Cause = (None, document)
    latest_ns = document.ended_ns
    for position, other in causes:
        if not _can_name(other, entry) or other.ended_ns is None:
            continue
        if latest_ns < other.ended_ns <= entry.started_ns:
            found, latest_ns = (position, other), other.ended_ns
    return found


def _wait_ns(entry: HarEntry, cause: HarEntry) -> int:
    if entry.started_ns is None or cause.ended_ns is None:
        return 0
    wait_ns = entry.started_ns - cause.ended_ns
    return wait_ns if wait_ns >= LEAST_WAIT_NS else 0
