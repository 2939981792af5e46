"""The key exchange of today's browsers over an emulated link."""

import pytest

from tests.emulate.measuring import measured_together

LINK = "flat:down=10Mbit/s,up=100kbit/s,rtt=200ms"
HTTPS = ("h1s", "h2", "h3")
HYBRID = "x25519mlkem768"
# draft-ietf-tls-ecdhe-mlkem section 4.1 and RFC 8446 section 4.2.8: a share of 1216 bytes with its group and
# length, its group among those supported, and one segment more.
MORE_BYTES = 1216 + 4 + 2 + 52


def load_of(http, key_exchange):
    tls = {"key_exchange": key_exchange}
    return {"link": LINK, "http": http, "page": "single-100k", "connections": 1, "tls": tls}


@pytest.fixture(scope="module")
def records(mark):
    del mark  # Set before the first process starts.
    cells = [(http, exchange) for http in HTTPS for exchange in ("x25519", HYBRID)]
    return dict(zip(cells, measured_together([load_of(*cell) for cell in cells]), strict=True))


@pytest.mark.parametrize("http", HTTPS)
def test_both_ends_say_which_key_exchange_it_was(records, http):
    record = records[http, HYBRID]
    for connection in (*record.client_connections, *record.origin_connections):
        assert connection.key_exchange == HYBRID


@pytest.mark.parametrize("http", ["h1s", "h2"])
def test_over_a_narrow_return_link_the_handshake_takes_the_time_of_its_bytes_longer(records, http):
    longer_s = records[http, HYBRID].metrics.tls_s - records[http, "x25519"].metrics.tls_s
    assert longer_s == pytest.approx(MORE_BYTES * 8 / 100e3, rel=0.1)


def test_within_quic_it_takes_a_datagram_more_of_1200_bytes_at_least(records):
    # RFC 9000 section 14.1.
    longer_s = records["h3", HYBRID].metrics.connect_s - records["h3", "x25519"].metrics.connect_s
    assert 1200 * 8 / 100e3 <= longer_s < 1.4 * 1200 * 8 / 100e3
