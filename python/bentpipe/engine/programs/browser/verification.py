"""Whether a browser loaded the page that it was to load, and as it was to load it.

A certificate error, a missing image or a fallback to another protocol leaves plausible times behind.
"""

from collections import Counter
from collections.abc import Iterator

from bentpipe.engine.programs.browser.page import Page
from bentpipe.engine.programs.browser.sighting import ObjectSighting, Sighting

_OK = 200
_MOST_NAMED = 3


def doubts(sighting: Sighting, page: Page) -> list[str]:
    """Return why a load's numbers cannot be trusted; empty when they can."""
    return [*_of_completeness(sighting, page), *_of_protocol(sighting, page), *_of_bodies(sighting, page)]


def _of_completeness(sighting: Sighting, page: Page) -> Iterator[str]:
    seen = Counter(one.url for one in sighting.objects)
    if page.document not in seen:
        yield f"the browser did not load {page.document}"
    missing = [url for url in page.bytes_of if url not in seen and url != page.document]
    if missing:
        yield f"{_resources(missing)} of {len(page.bytes_of)} missing: {_some(missing)}"
    if further := [url for url in seen if url not in page.bytes_of]:
        yield f"{_resources(further)} that the page does not have: {_some(further)}"
    if repeated := [url for url, times in seen.items() if times > 1]:
        yield f"{_resources(repeated)} loaded more than once: {_some(repeated)}"
    if sighting.loaded_ns is None:
        yield "the browser has not reported the load event"


def _of_protocol(sighting: Sighting, page: Page) -> Iterator[str]:
    wrong = Counter(one.protocol for one in sighting.objects if one.protocol != page.protocol)
    for found, times in sorted(wrong.items()):
        yield f"wrong protocol of {times} resources: expected {page.protocol}, found {found or 'none'}"


def _of_bodies(sighting: Sighting, page: Page) -> Iterator[str]:
    def is_wrong(one: ObjectSighting) -> bool:
        return one.status != _OK or one.body_bytes != page.bytes_of[one.url]

    wrong = [one for one in sighting.objects if one.url in page.bytes_of and is_wrong(one)]
    for one in wrong[:_MOST_NAMED]:
        expected = page.bytes_of[one.url]
        yield f"{one.url}: status {one.status}, {one.body_bytes} bytes of {expected}"
    if len(wrong) > _MOST_NAMED:
        yield f"{len(wrong) - _MOST_NAMED} further resources came otherwise than the page has them"


def _resources(urls: list[str]) -> str:
    return "1 resource" if len(urls) == 1 else f"{len(urls)} resources"


def _some(urls: list[str]) -> str:
    return ", ".join(urls[:_MOST_NAMED]) + (", ..." if len(urls) > _MOST_NAMED else "")
