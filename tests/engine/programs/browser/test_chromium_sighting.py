"""What Chromium's events come to: instants of CLOCK_MONOTONIC, one connection for each number."""

import pytest

from bentpipe.engine.programs.browser.chromium_sighting import Requests, failures, sightings
from bentpipe.engine.programs.browser.remote import Event
from bentpipe.engine.programs.server.sockets import Sample
from bentpipe.model.reason import ResourceFailedReason

ORIGIN = "https://origin.bentpipe.test"
SENT = {"GET": "x"}
"""With colon, blank and CRLF eight bytes."""


def events_of(request, path, *, sent_s, timing, ended_s, chunks, protocol="h2", connection=7):
    """Return the events of one request, in the order in which Chromium 156 sends them."""
    response = {
        "url": f"{ORIGIN}{path}",
        "status": 200,
        "headers": {"server": "bentpipe"},
        "protocol": protocol,
        "connectionId": connection,
        "timing": timing,
    }
    named = [
        ("requestWillBeSent", {"request": {"url": f"{ORIGIN}{path}"}, "timestamp": sent_s}),
        ("requestWillBeSentExtraInfo", {"headers": SENT}),
        ("responseReceivedExtraInfo", {"headers": response["headers"]}),
        ("responseReceived", {"response": response}),
        *(("dataReceived", {"dataLength": length}) for length in chunks),
        ("loadingFinished", {"timestamp": ended_s, "encodedDataLength": sum(chunks) + 50}),
    ]
    return [
        Event(method=f"Network.{name}", params={"requestId": request, **params}, session="tab", received_ns=0)
        for name, params in named
    ]


def timing(requested_s, *, send_ms, headers_ms, connect_ms=None):
    """Return a `ResourceTiming`; without `connect_ms` of a connection that was there."""
    start, ssl, end = connect_ms or (-1, -1, -1)
    return {
        "requestTime": requested_s,
        "connectStart": start,
        "sslStart": ssl,
        "sslEnd": end,
        "connectEnd": end,
        "sendStart": send_ms,
        "receiveHeadersEnd": headers_ms,
    }


DOCUMENT = events_of(
    "A",
    "/",
    sent_s=1000.002,
    timing=timing(1000.003, connect_ms=(2, 514, 1030), send_ms=1031, headers_ms=1550),
    ended_s=1001.554,
    chunks=[150, 80],
)
IMAGE = events_of(
    "B",
    "/object-1.jpg",
    sent_s=1001.560,
    timing=timing(1001.561, send_ms=1, headers_ms=520),
    ended_s=1003.0,
    chunks=[60_000, 40_000],
)


def taken(*events):
    requests = Requests()
    for event in events:
        requests.take(event)
    return requests


def seen(*events, samples=None, started_ns=1_000_000_000_000):
    return sightings(
        taken(*events).finished(),
        ports={7: 40_000},
        samples=samples or {},
        started_ns=started_ns,
    )


def test_objects_have_the_instants_of_their_events_on_the_runs_clock():
    (document, image), _ = seen(*DOCUMENT, *IMAGE)
    # The document was known of when the navigation started.
    assert document.discovered_ns == 1_000_000_000_000
    assert document.requested_ns == pytest.approx(1_001_034_000_000, abs=1)
    assert document.first_byte_ns == pytest.approx(1_001_553_000_000, abs=1)
    assert document.last_byte_ns == pytest.approx(1_001_554_000_000, abs=1)
    assert image.discovered_ns == pytest.approx(1_001_560_000_000, abs=1)
    assert (document.body_bytes, image.body_bytes) == (230, 100_000)
    assert (image.request_header_bytes, image.response_header_bytes) == (8, 18)


def test_the_document_is_first_although_an_object_may_end_before_it():
    slow = events_of(
        "A",
        "/",
        sent_s=1000.0,
        timing=timing(1000.0, connect_ms=(1, 500, 1000), send_ms=1001, headers_ms=1500),
        ended_s=1009.0,
        chunks=[10],
    )
    objects, _ = seen(*slow, *IMAGE)
    assert [one.url for one in objects] == [f"{ORIGIN}/", f"{ORIGIN}/object-1.jpg"]


def test_a_connection_has_the_times_of_the_request_that_opened_it_and_what_the_kernel_says():
    sample = Sample(
        cookie=b"",
        local_port=40_000,
        client_port=443,
        congestion_control="cubic",
        cwnd_bytes=14_480,
        in_flight_bytes=0,
        acknowledged_bytes=900,
        srtt_s=0.512,
        min_rtt_s=0.510,
        delivery_rate_bps=0,
        retransmitted_packets=1,
        rwnd_limited_s=0,
        sndbuf_limited_s=0,
    )
    (_, image), (connection,) = seen(*DOCUMENT, *IMAGE, samples={40_000: sample})
    assert image.connection == 0
    assert connection.transport == "tcp"
    assert connection.started_ns == pytest.approx(1_000_005_000_000, abs=1)
    assert connection.connected_ns == pytest.approx(1_000_517_000_000, abs=1)
    assert connection.secured_ns == pytest.approx(1_001_033_000_000, abs=1)
    report = connection.report()
    assert (report.client_port, report.congestion_control) == (40_000, "cubic")
    assert (report.retransmitted_packets, report.srtt_ns) == (1, 512_000_000)


def test_quics_handshake_is_one():
    quic = events_of(
        "A",
        "/",
        sent_s=1000.0,
        timing=timing(1000.0, connect_ms=(1, 1, 520), send_ms=521, headers_ms=1040),
        ended_s=1001.1,
        chunks=[10],
        protocol="h3",
    )
    _, (connection,) = seen(*quic)
    assert (connection.transport, connection.secured_ns) == ("quic", None)
    assert connection.connected_ns == pytest.approx(1_000_520_000_000, abs=1)


def test_a_request_that_failed_is_no_object_but_a_reason():
    failed = Event(
        method="Network.loadingFailed",
        params={"requestId": "A", "errorText": "net::ERR_CERT_AUTHORITY_INVALID"},
        session="tab",
        received_ns=0,
    )
    requests = taken(DOCUMENT[0], failed)
    assert requests.finished() == []
    assert failures(requests.all) == [
        ResourceFailedReason(url=f"{ORIGIN}/", error="net::ERR_CERT_AUTHORITY_INVALID")
    ]
