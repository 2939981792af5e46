"""Page loads of every protocol and congestion control over the GEO link, two at a time."""

import pytest

from tests.emulate.measuring import measured, measured_together

RTT_S = 0.530
"""Of geo-alshagri-flat."""

ROUND_TRIPS_TO_FIRST_BYTE = {"h1": 2, "h1s": 3, "h2": 3, "h3": 2}
"""TCP 1, TLS 1.3 1 (RFC 8446 section 2), QUIC with TLS 1 (RFC 9001 section 4), the request 1."""

ALPN = {"h1": "http/1.1", "h1s": "http/1.1", "h2": "h2", "h3": "h3"}
IW10_BYTES = 10 * 1500
PAGE = "uniform-500k"
OBJECT_BYTES = {f"/object-{number}.jpg": 62_500 for number in range(1, 9)}
"""Eight objects of equal size, half a megabyte together (alshagri2023, table 3)."""

LOADS = [(http, cc) for http in ALPN for cc in ("cubic", "bbr")]


def load_of(http, cc):
    # One connection, as in the study: what differs is the protocol.
    return {"link": "geo-alshagri-flat", "http": http, "cc": cc, "page": PAGE, "connections": 1}


@pytest.fixture(scope="module")
def records(mark):
    del mark  # Set before the first process starts.
    measurements = measured_together([load_of(http, cc) for http, cc in LOADS])
    return dict(zip(LOADS, measurements, strict=True))


@pytest.fixture(params=LOADS, ids="-".join)
def load(request, records):
    """A load's protocol, congestion control and record."""
    http, cc = request.param
    return http, cc, records[http, cc]


def test_a_load_starts_when_the_page_to_compare_with_is_there():
    """Drawing 2 MB takes 20 to 40 ms, a connection over the LAN 1.1. The quickest of three loads counts."""
    run = {"link": "lan", "http": "h1", "page": "single-2m", "connections": 1}
    requests_s = []
    for _ in range(3):
        document = measured(run).objects[0]
        assert document.discovered_s == 0
        requests_s.append(document.request_s)
    assert min(requests_s) < 0.01


def test_the_time_of_a_path_counts_from_the_start_of_the_load():
    """Drawing 20 MB takes 0.3 s: counted from before it, the path would be silent at the handshake."""
    rows = [{"at": "0 s"}, {"at": "0.2 s", "state": "silence"}, {"at": "1.2 s", "state": "open"}]
    lan = {"rate": "100 Mbit/s", "delay": "1 ms", "queue": "1000 packets"}
    link = {"forward": {**lan, "schedule": rows}, "return": lan}
    record = measured({"link": link, "http": "h1", "page": {"name": "large", "objects": ["20 MB"]}})
    assert record.metrics.connect_s < 0.15
    assert record.metrics.plt_s > 1.2


@pytest.mark.parametrize("http", ["h1", "h1s"])
def test_a_response_header_has_the_size_that_the_run_gives_it(http):
    """The size of Apache's for caviglione2014: the document's and eight objects'."""
    run = {"link": "lan", "http": http, "page": "uniform-100k", "response_header": "291 B"}
    assert measured(run).bytes_by_layer.down.header_bytes == 9 * 291


def test_every_object_arrives_whole(load):
    _, _, record = load
    paths = {"/" + item.url.split("/", 3)[3]: item.bytes for item in record.objects}
    assert {path: size for path, size in paths.items() if path != "/"} == OBJECT_BYTES
    assert [item.status for item in record.objects] == [200] * (len(OBJECT_BYTES) + 1)
    assert max(item.last_byte_s for item in record.objects) == record.metrics.plt_s


def test_both_ends_use_the_protocol_and_the_congestion_control_asked_for(load):
    http, cc, record = load
    for end in ("client_connections", "origin_connections"):
        (connection,) = getattr(record, end)
        assert connection.transport == ("quic" if http == "h3" else "tcp")
        assert connection.protocol == ALPN[http]
        assert connection.congestion_control == cc


def test_the_first_byte_takes_the_round_trips_of_the_handshakes_and_the_request(load):
    http, _, record = load
    expected_s = ROUND_TRIPS_TO_FIRST_BYTE[http] * RTT_S
    # For programs, transmission and a machine that takes them their core for 100 ms; a round trip is 530.
    assert 0 < record.metrics.ttfb_s - expected_s < RTT_S / 4


def test_the_load_takes_longer_than_its_handshakes_and_its_transmission(load):
    http, _, record = load
    transmission_s = 8 * sum(OBJECT_BYTES.values()) / 10e6
    # One round trip more: the document must be there before its objects are asked for.
    assert record.metrics.plt_s > (ROUND_TRIPS_TO_FIRST_BYTE[http] + 1) * RTT_S + transmission_s


@pytest.mark.parametrize("http", list(ALPN))
def test_the_first_flight_of_every_protocol_is_ten_packets(records, http):
    """RFC 6928 for TCP; RFC 9002 section 7.2 allows QUIC as much."""
    flight_bytes = records[http, "cubic"].metrics.first_flight_bytes
    assert flight_bytes == pytest.approx(IW10_BYTES, rel=0.10)


def test_nothing_of_one_load_speeds_up_the_next(records):
    """Kernel metrics carried over would start the second load with the first one's ssthresh and RTT."""
    again = measured(load_of("h2", "cubic"))
    first = records["h2", "cubic"]
    assert again.metrics.plt_s == pytest.approx(first.metrics.plt_s, rel=0.02)


@pytest.mark.parametrize(
    ("http", "window_bytes"),
    # Segments of 1448 bytes of TCP (MSS less timestamps), packets of 1472 bytes of UDP payload.
    [("h1", 3 * 1448), ("h3", 3 * 1472)],
)
def test_an_initial_window_of_three_is_read_back_and_seen_on_the_wire(http, window_bytes):
    link = "flat:down=10Mbit/s,up=10Mbit/s,rtt=200ms"
    run = {"link": link, "http": http, "cc": "cubic", "page": "single-100k"}
    record = measured(run, "tcp.initial_window=3")
    assert record.origin_connections[0].initial_cwnd_bytes == window_bytes
    # The exchange of the document has opened the window by a packet before the object's first flight.
    assert 3 * 1500 <= record.metrics.first_flight_bytes < 5 * 1500
