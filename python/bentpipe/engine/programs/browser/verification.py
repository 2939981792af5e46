"""Whether a browser loaded the page that it was to load, and as it was to load it.

A certificate error, a missing image or a fallback to another protocol leaves plausible times behind.
"""

from collections import Counter
from collections.abc import Iterator

from bentpipe.engine.programs.browser.page import Page
from bentpipe.engine.programs.browser.sighting import ObjectSighting, Sighting
from bentpipe.model.reason import (
    DocumentMissingReason,
    FurtherResourcesDifferReason,
    LoadEventMissingReason,
    Reason,
    ResourceDiffersReason,
    ResourcesByOtherProtocolReason,
    ResourcesMissingReason,
    ResourcesRepeatedReason,
    ResourcesUnknownReason,
)

_OK = 200
_MOST_NAMED = 3


def doubts(sighting: Sighting, page: Page) -> list[Reason]:
    """Return why a load's numbers cannot be trusted; empty when they can."""
    return [*_of_completeness(sighting, page), *_of_protocol(sighting, page), *_of_bodies(sighting, page)]


def _of_completeness(sighting: Sighting, page: Page) -> Iterator[Reason]:
    seen = Counter(one.url for one in sighting.objects)
    if page.document not in seen:
        yield DocumentMissingReason(url=page.document)
    missing = [url for url in page.bytes_of if url not in seen and url != page.document]
    if missing:
        yield ResourcesMissingReason(
            resources=len(missing), page_resources=len(page.bytes_of), such_as=missing[:_MOST_NAMED]
        )
    if further := [url for url in seen if url not in page.bytes_of]:
        yield ResourcesUnknownReason(resources=len(further), such_as=further[:_MOST_NAMED])
    if repeated := [url for url, times in seen.items() if times > 1]:
        yield ResourcesRepeatedReason(resources=len(repeated), such_as=repeated[:_MOST_NAMED])
    if sighting.loaded_ns is None:
        yield LoadEventMissingReason()


def _of_protocol(sighting: Sighting, page: Page) -> Iterator[Reason]:
    wrong = Counter(one.protocol for one in sighting.objects if one.protocol != page.protocol)
    for found, times in sorted(wrong.items()):
        yield ResourcesByOtherProtocolReason(resources=times, expected=page.protocol, found=found or None)


def _of_bodies(sighting: Sighting, page: Page) -> Iterator[Reason]:
    def is_wrong(one: ObjectSighting) -> bool:
        return one.status != _OK or one.body_bytes != page.bytes_of[one.url]

    wrong = [one for one in sighting.objects if one.url in page.bytes_of and is_wrong(one)]
    for one in wrong[:_MOST_NAMED]:
        yield ResourceDiffersReason(
            url=one.url,
            status=one.status,
            found_bytes=one.body_bytes,
            expected_bytes=page.bytes_of[one.url],
        )
    if len(wrong) > _MOST_NAMED:
        yield FurtherResourcesDifferReason(resources=len(wrong) - _MOST_NAMED)
