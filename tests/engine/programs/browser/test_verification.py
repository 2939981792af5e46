"""A load that is not as it was to be is named, whatever its times look like."""

from dataclasses import replace

import pytest

from bentpipe.engine.programs.browser.page import Page
from bentpipe.engine.programs.browser.sighting import ObjectSighting, Sighting
from bentpipe.engine.programs.browser.verification import doubts
from bentpipe.model.reason import LoadEventMissingReason
from tests.support.models import said

DOCUMENT = "https://origin.bentpipe.test/"
IMAGE = f"{DOCUMENT}object-1.jpg"
PAGE = Page(document=DOCUMENT, bytes_of={DOCUMENT: 200, IMAGE: 100_000}, protocol="h2", left_out=[])


def resource(url, body_bytes, **changes):
    whole = ObjectSighting(
        url=url,
        protocol="h2",
        connection=0,
        discovered_ns=0,
        requested_ns=1,
        first_byte_ns=2,
        last_byte_ns=3,
        status=200,
        body_bytes=body_bytes,
        request_header_bytes=100,
        response_header_bytes=100,
    )
    return replace(whole, **changes)


def load(*objects):
    return Sighting(version="Chromium 1", started_ns=0, objects=objects, loaded_ns=4)


WHOLE = (resource(DOCUMENT, 200), resource(IMAGE, 100_000))


def test_a_load_as_the_page_has_it_is_not_doubted():
    assert doubts(load(*WHOLE), PAGE) == []


@pytest.mark.parametrize(
    ("objects", "reason"),
    [
        (WHOLE[:1], f"1 resource of 2 missing: {IMAGE}"),
        (WHOLE[1:], f"the browser did not load {DOCUMENT}"),
        (
            (*WHOLE, resource(f"{DOCUMENT}favicon.ico", 10)),
            f"1 resource that the page does not have: {DOCUMENT}favicon.ico",
        ),
        ((*WHOLE, WHOLE[1]), f"1 resource loaded more than once: {IMAGE}"),
        (
            (WHOLE[0], replace(WHOLE[1], protocol="http/1.1")),
            "wrong protocol of 1 resources: expected h2, found http/1.1",
        ),
        ((WHOLE[0], replace(WHOLE[1], body_bytes=99_999)), f"{IMAGE}: status 200, 99999 bytes of 100000"),
        ((WHOLE[0], replace(WHOLE[1], status=404)), f"{IMAGE}: status 404, 100000 bytes of 100000"),
    ],
)
def test_what_is_missing_short_or_otherwise_is_said(objects, reason):
    assert said(doubts(load(*objects), PAGE)) == [reason]


def test_a_load_without_its_load_event_is_doubted():
    unfinished = replace(load(*WHOLE), loaded_ns=None)
    assert doubts(unfinished, PAGE) == [LoadEventMissingReason()]
