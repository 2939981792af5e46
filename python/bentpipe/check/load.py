"""A page load, by which two versions of a site are compared: objects, their instants, and what names them."""

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from bentpipe.addresses import path_of
from bentpipe.model.page import PageLoadWorkload, PageSpec
from bentpipe.model.record import ObjectTiming, RunRecord


@dataclass(frozen=True, kw_only=True, slots=True)
class LoadedObject:
    """An object of a load; instants in s from the start of the workload.

    Attributes
    ----------
    url : str
        Its address.
    named_by : str or None
        The address of what names it; None of the document.
    bytes : int
        Of its body.
    discovered_s, request_s, first_byte_s, last_byte_s : float
        When it became known, was requested, began to come and was complete.
    """

    url: str
    named_by: str | None
    bytes: int
    discovered_s: float
    request_s: float
    first_byte_s: float
    last_byte_s: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Load:
    """The objects of a load in the order in which they became known, the document first."""

    objects: Sequence[LoadedObject]

    @property
    def last(self) -> LoadedObject:
        """The object whose last byte ends the load."""
        return max(self.objects, key=lambda each: each.last_byte_s)


def load_of(record: RunRecord) -> Load | None:
    """Return the load of a run; None of another workload, and where nothing came."""
    workload = record.spec.workload
    if not isinstance(workload, PageLoadWorkload) or not record.objects:
        return None
    named_by = _named_by(workload.page, record.objects)
    objects = [
        LoadedObject(
            url=each.url,
            named_by=named_by[each.url],
            bytes=each.bytes,
            discovered_s=each.discovered_s,
            request_s=each.request_s,
            first_byte_s=each.first_byte_s,
            last_byte_s=each.last_byte_s,
        )
        for each in record.objects
    ]
    return Load(objects=sorted(objects, key=lambda each: (each.discovered_s, each.request_s)))


def _named_by(page: PageSpec, objects: Sequence[ObjectTiming]) -> dict[str, str | None]:
    """Return by what each address is named: a style sheet, a script, or else the document, which is first."""
    document = min(objects, key=lambda each: (each.discovered_s, each.request_s)).url
    host = page.host or urlsplit(document).hostname
    by_place = {(urlsplit(each.url).hostname, path_of(each.url)): each.url for each in objects}
    listed = [by_place.get((each.host or host, each.path)) for each in page.objects]
    named: dict[str, str | None] = dict.fromkeys((each.url for each in objects), document)
    for url, each in zip(listed, page.objects, strict=True):
        parent = None if each.after is None else listed[each.after]
        if url is not None and parent is not None:
            named[url] = parent
    return {**named, document: None}
