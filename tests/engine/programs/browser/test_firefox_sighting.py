"""What Firefox says of its requests, as connections and objects."""

from bentpipe.engine.programs.browser import firefox_sighting
from bentpipe.model.reason import ResourceFailedReason

EPOCH_NS = -1_000_000_000
"""The clock of the run started to count a second after 1970."""

NONE = {
    "error": 0,
    "status": 200,
    "protocol": "http/1.1",
    "client_port": 59100,
    "server_address": "198.18.0.2",
    "body_bytes": 62_500,
    "request_header_bytes": 425,
    "response_header_bytes": 92,
    "connect_started_us": 0,
    "tcp_connected_us": 0,
    "connect_ended_us": 0,
}


def entry(path, *, opened_ms, requested_ms, first_byte_ms, last_byte_ms, connect_ms=(0, 0, 0), **others):
    started, connected, ended = connect_ms
    return {
        **NONE,
        "url": f"https://origin.bentpipe.test/{path}",
        "opened_us": 1000 * opened_ms,
        "connect_started_us": 1000 * started,
        "tcp_connected_us": 1000 * connected,
        "connect_ended_us": 1000 * ended,
        "requested_us": 1000 * requested_ms,
        "first_byte_us": 1000 * first_byte_ms,
        "last_byte_us": 1000 * last_byte_ms,
        **others,
    }


# As Firefox 153 told it of uniform-500k over geo-alshagri, in milliseconds from the navigation on.
DOCUMENT = entry(
    "", opened_ms=1, requested_ms=1191, first_byte_ms=1718, last_byte_ms=1771, connect_ms=(10, 525, 1190)
)
ON_THE_SAME = entry("object-1.jpg", opened_ms=1864, requested_ms=1880, first_byte_ms=2418, last_byte_ms=3486)
ON_ANOTHER = entry(
    "object-2.jpg", opened_ms=1864, requested_ms=3459, first_byte_ms=3981, last_byte_ms=5043,
    connect_ms=(1881, 2435, 3458), client_port=59104,
)  # fmt: skip
CHANGED_ITS_MIND = entry(
    "object-8.jpg", opened_ms=1868, requested_ms=4251, first_byte_ms=4834, last_byte_ms=4880,
    connect_ms=(1882, 0, 0),
)  # fmt: skip
"""It was to have a connection of its own, and took one that came free before; seen on the loopback."""


def test_requests_from_one_port_share_a_connection_and_objects_are_in_order_of_completion():
    seen = firefox_sighting.requests([ON_ANOTHER, CHANGED_ITS_MIND, DOCUMENT, ON_THE_SAME], epoch_ns=EPOCH_NS)
    assert [one.client_port for one in seen.connections] == [59100, 59104]
    assert [(one.url.rpartition("/")[2], one.connection) for one in seen.objects] == [
        ("", 0),
        ("object-1.jpg", 0),
        ("object-8.jpg", 0),
        ("object-2.jpg", 1),
    ]


def test_the_document_is_first_although_an_object_may_end_before_it():
    """A document may be long, and what it names early in it short."""
    slow = {**DOCUMENT, "last_byte_us": 1000 * 9000}
    seen = firefox_sighting.requests([ON_THE_SAME, slow], epoch_ns=EPOCH_NS)
    assert [one.url.rpartition("/")[2] for one in seen.objects] == ["", "object-1.jpg"]


def test_instants_are_by_the_clock_of_the_run():
    seen = firefox_sighting.requests([DOCUMENT], epoch_ns=EPOCH_NS)
    (document,), (connection,) = seen.objects, seen.connections
    assert document.discovered_ns == 1_000_000 + EPOCH_NS
    assert document.last_byte_ns == 1_771_000_000 + EPOCH_NS
    assert connection.started_ns == 10_000_000 + EPOCH_NS
    assert connection.connected_ns == 525_000_000 + EPOCH_NS
    assert connection.secured_ns == 1_190_000_000 + EPOCH_NS


def test_a_connection_whose_opening_nobody_waited_for_started_by_its_first_request():
    seen = firefox_sighting.requests([ON_THE_SAME], epoch_ns=EPOCH_NS)
    (connection,) = seen.connections
    assert connection.started_ns == 1_880_000_000 + EPOCH_NS
    assert connection.connected_ns is None
    assert connection.secured_ns is None


def test_the_handshake_of_quic_is_one():
    """RFC 9001 section 4: TLS is within."""
    seen = firefox_sighting.requests([{**DOCUMENT, "protocol": "h3"}], epoch_ns=EPOCH_NS)
    (connection,) = seen.connections
    assert (connection.transport, connection.connected_ns) == ("quic", 1_190_000_000 + EPOCH_NS)
    assert connection.secured_ns is None


def test_clear_text_is_never_secured():
    clear = {**DOCUMENT, "url": "http://origin.bentpipe.test/"}
    (connection,) = firefox_sighting.requests([clear], epoch_ns=EPOCH_NS).connections
    assert connection.secured_ns is None


def test_a_request_that_failed_is_no_object():
    """Firefox: NS_ERROR_UNKNOWN_HOST is 0x804b001e."""
    lost = {**DOCUMENT, "error": 0x804B001E, "status": 0, "last_byte_us": 0}
    seen = firefox_sighting.requests([lost], epoch_ns=EPOCH_NS)
    assert (seen.objects, seen.connections) == ([], [])
    assert seen.failures == [
        ResourceFailedReason(url="https://origin.bentpipe.test/", error="error 0x804b001e")
    ]


def test_what_the_page_saw_counts_from_the_beginning_of_its_navigation():
    requests = firefox_sighting.requests([DOCUMENT, ON_THE_SAME], epoch_ns=EPOCH_NS)
    seen = {
        "time_origin_ms": 2000.5,
        "parsed_ms": 1873,
        "loaded_ms": 5084,
        "first_contentful_paint_ms": 1897.25,
        "largest_contentful_paint_ms": None,
    }
    sighting = firefox_sighting.sighting(
        requests, seen, version="Firefox 153", started_ns=0, epoch_ns=EPOCH_NS, frames=[]
    )
    assert sighting.started_ns == 2_000_500_000 + EPOCH_NS
    # The document was known of then, an object when it was asked for.
    assert [one.discovered_ns for one in sighting.objects] == [
        sighting.started_ns,
        1_864_000_000 + EPOCH_NS,
    ]
    assert sighting.first_contentful_paint_ns == 3_897_750_000 + EPOCH_NS
    assert sighting.largest_contentful_paint_ns is None


def test_a_page_that_could_not_be_asked_has_started_when_it_was_ordered():
    requests = firefox_sighting.requests([], epoch_ns=EPOCH_NS)
    sighting = firefox_sighting.sighting(
        requests, {}, version="Firefox 153", started_ns=7, epoch_ns=EPOCH_NS, frames=[]
    )
    assert (sighting.started_ns, sighting.loaded_ns) == (7, None)
