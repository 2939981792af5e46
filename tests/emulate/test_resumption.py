"""Round trips before the first byte on the real kernel: some cells of docs/round-trips.md."""

import pytest

from tests.emulate.measuring import measured_together

RTT_S = 0.5
LINK = "flat:down=100Mbit/s,up=100Mbit/s,rtt=500ms"
TOLERANCE_S = 0.05
"""Above the round trips: transmission and the programs of both ends, beside whatever else runs."""

CELLS = {
    ("h2", "1.2", "none", "repeat"): (4, "full"),
    ("h2", "1.2", "ticket", "repeat"): (3, "resumed"),
    ("h1s", "1.3", "ticket", "repeat"): (3, "resumed"),
    ("h1s", "1.3", "early-data", "repeat"): (2, "early-data-accepted"),
    ("h2", "1.3", "early-data", "first"): (3, "full"),
    ("h2", "1.3", "early-data", "repeat"): (2, "early-data-accepted"),
    ("h3", "1.3", "ticket", "repeat"): (2, "resumed"),
    ("h3", "1.3", "early-data", "repeat"): (1, "early-data-accepted"),
}


def load_of(http, version, resumption, visit):
    tls = {"version": version, "resumption": resumption}
    return {"link": LINK, "http": http, "page": "single-100k", "connections": 1, "tls": tls, "visit": visit}


@pytest.fixture(scope="module")
def records(mark):
    del mark  # Set before the first process starts.
    return dict(zip(CELLS, measured_together([load_of(*cell) for cell in CELLS]), strict=True))


@pytest.fixture(params=CELLS, ids="-".join)
def cell(request, records):
    """The round trips and the handshake of a cell, and its record."""
    return *CELLS[request.param], records[request.param]


def test_the_first_byte_takes_the_round_trips_of_the_closed_form(cell):
    round_trips, _, record = cell
    excess_s = record.metrics.ttfb_s - round_trips * RTT_S
    assert 0 <= excess_s < TOLERANCE_S


def test_both_ends_say_how_the_handshake_went(cell):
    _, handshake, record = cell
    for end in ("client_connections", "origin_connections"):
        (connection,) = getattr(record, end)
        assert connection.handshake == handshake
