"""Hosts whose processors take time, on the real kernel: what they add, by the closed form."""

import pytest

from tests.emulate.measuring import measured_together

RTT_S = 0.1
CLIENT_S, SERVER_S = 0.05, 0.2
"""Handshakes of the client and of the server: far longer than those of this machine, which hide in them."""
TOLERANCE_S = 0.045
"""What the programs of both ends add, beside whatever else runs: less than a handshake of either."""
CONNECTIONS = 6
LOADS = {
    http: {
        "link": "flat:down=100Mbit/s,up=100Mbit/s,rtt=100ms",
        "http": http,
        "page": "uniform-100k",
        "connections": CONNECTIONS,
        "host": {"client": {"tls_handshake": "50 ms"}, "server": {"tls_handshake": "200 ms"}},
    }
    for http in ("h1s", "h2", "h3")
}


@pytest.fixture(scope="module")
def records(mark):
    del mark  # Set before the first process starts.
    return dict(zip(LOADS, measured_together(list(LOADS.values())), strict=True))


def test_a_handshake_of_tcp_takes_a_round_trip_and_the_time_of_both_ends(records):
    assert records["h2"].metrics.tls_s == pytest.approx(RTT_S + CLIENT_S + SERVER_S, abs=TOLERANCE_S)


def test_so_does_one_of_quic(records):
    assert records["h3"].metrics.connect_s == pytest.approx(RTT_S + CLIENT_S + SERVER_S, abs=TOLERANCE_S)


def test_handshakes_that_come_at_once_are_answered_one_after_the_other(records):
    took_s = sorted(
        (connection.secured_ns - connection.connected_ns) / 1e9
        for connection in records["h1s"].client_connections[1:]
    )
    # All but the first start with the document; the server, which is slower than the client, has a queue.
    expected_s = [RTT_S + (1 + before) * SERVER_S + CLIENT_S for before in range(CONNECTIONS - 1)]
    assert took_s == pytest.approx(expected_s, abs=TOLERANCE_S)
