"""The published numbers are those of the paper, and what they say together."""

from math import ceil

import pytest

from bentpipe.scenario.page.pages import SNEP_DOCUMENT_BYTES, SNEP_OBJECT_BYTES, SNEP_OBJECTS
from bentpipe.studies.caviglione2014 import published
from bentpipe.studies.published_number import PublishedNumber
from tests.support.caviglione2014 import STUDY

TURNS = ceil((published.OBJECTS - 1) / published.CONNECTIONS_AT_ONCE)
"""Objects one after the other on each of six connections."""

NUMBERS = [
    *(each for table in (published.DATA, published.PLT, published.VBDC_PLT) for each in table.values()),
    *(each for each in vars(published).values() if isinstance(each, PublishedNumber)),
]


def test_the_numbers_are_those_of_the_paper():
    protocols = ("http10", "http10s", "h1", "h1s", "spdy")
    assert [published.DATA[http].value for http in protocols] == [508, 871, 508, 659, 416]
    assert [published.PLT[http].value for http in ("http10", "http10s", "h1", "spdy")] == [131, 198, 10, 9]
    assert published.H1_TLS_SLOWER.value == 2
    rates = (published.RATE_HTTP10, published.RATE_H1, published.RATE_SPDY)
    assert [each.value for each in rates] == [9, 200, 250]
    assert [published.VBDC_PLT[http].value for http in ("http10", "h1", "spdy")] == [300, 150, 21]
    assert (published.VBDC_ROUND_TRIP.value, published.SPDY_VBDC_ABOVE_CRA.value) == (1.6, 10)


@pytest.mark.parametrize("number", NUMBERS, ids=lambda each: f"{each.value:g} {each.unit}")
def test_every_number_says_where_it_stands_and_why_its_margin(number):
    assert number.source.startswith("section 4.")
    assert len(number.margin_because) > 5


def test_every_claim_has_a_name_of_its_own_and_a_source():
    verdicts = STUDY.claims([])
    assert len({each.claim_id for each in verdicts}) == len(verdicts)
    assert all(each.source.startswith("section 4.") for each in verdicts)


def test_the_size_of_the_images_follows_from_the_data_of_http_1_1():
    each = (1000 * published.DATA["h1"].value - SNEP_DOCUMENT_BYTES) / SNEP_OBJECTS
    assert each == pytest.approx(754, abs=1)
    assert each - 291 == pytest.approx(SNEP_OBJECT_BYTES, abs=5)


def test_the_headers_of_apache_are_as_long_as_the_rig_has_them():
    common = (
        "HTTP/1.1 200 OK\r\nDate: Tue, 24 Sep 2013 10:00:00 GMT\r\nServer: Apache/2.2.22 (Debian)\r\n"
        "Last-Modified: Tue, 24 Sep 2013 10:00:00 GMT\r\n"
        'ETag: "1a2b3-1cc-4e719f4d1c2a0"\r\nAccept-Ranges: bytes\r\n'
        f"Content-Length: {SNEP_OBJECT_BYTES}\r\n"
    )
    kept = "Keep-Alive: timeout=5, max=100\r\nConnection: Keep-Alive\r\n"
    of_png = "Content-Type: image/png\r\n\r\n"
    settings = {fact.name: dict(fact.variation.settings) for fact in STUDY.rig.facts if fact.variation}
    for name, own in (("header-fields", kept), ("http-1-0-header-fields", "Connection: close\r\n")):
        assert settings[name] == {"response_header": f"{len(common + own + of_png)} B"}


def test_throughputs_are_no_data_over_load_times():
    rates = {
        http: published.DATA[http].value / published.PLT[http].value for http in ("http10", "h1", "spdy")
    }
    assert rates == {
        "http10": pytest.approx(3.9, abs=0.1),
        "h1": pytest.approx(51, abs=1),
        "spdy": pytest.approx(46, abs=1),
    }
    # Ten packets of 52 to 60 B, a request of 350 B and a response of 755 B for each object: 1641 B in all.
    wire_kb = published.OBJECTS * 1.641
    assert wire_kb / published.PLT["http10"].value == pytest.approx(published.RATE_HTTP10.value, rel=0.15)


def test_http_1_0_takes_a_turn_of_two_round_trips_and_over_tls_of_three():
    round_trip_s = published.PLT["http10"].value / TURNS / 2
    assert round_trip_s == pytest.approx(published.PROPAGATION_S, rel=0.2)
    assert published.PLT["http10s"].value / TURNS / 3 == pytest.approx(round_trip_s, rel=0.02)


def test_150_s_of_http_1_1_with_vbdc_are_requests_one_at_a_time_and_10_s_are_not():
    """Pipelined, a load whose bytes fit the link grows at most as the round trip does."""
    fast_s, slow_s = published.PLT["h1"].value, published.VBDC_PLT["h1"].value
    longer = published.VBDC_ROUND_TRIP.value / published.PROPAGATION_S
    transmission_s = published.DATA["h1"].value * 8e3 / published.RETURN_BPS
    assert fast_s * longer == pytest.approx(31, abs=0.5)
    assert transmission_s == pytest.approx(4.1, abs=0.1)
    most_s = fast_s * longer + transmission_s
    assert most_s < 0.25 * slow_s
    # One request at a time: turns of 1.4 s with VBDC, and of less than a fifth of the propagation in 10 s.
    assert slow_s / TURNS == pytest.approx(1.4, abs=0.01)
    assert fast_s / TURNS < 0.2 * published.PROPAGATION_S


def test_firefox_gives_pipelines_up_between_the_round_trips_of_propagation_and_of_vbdc():
    (fact,) = (each for each in STUDY.rig.facts if each.name == "pipelines-are-given-up")
    assert "reschedule-timeout 1500" in fact.source
    assert published.PROPAGATION_S < 1.5 < published.VBDC_ROUND_TRIP.value


def test_firefox_paces_requests_so_that_the_page_takes_six_seconds_at_least():
    (fact,) = (each for each in STUDY.rig.facts if each.name == "paced-requests")
    at_once, per_second = 32, 100
    assert f"{(SNEP_OBJECTS - at_once) / per_second:.1f} s" in fact.limit
