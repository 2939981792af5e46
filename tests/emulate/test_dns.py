"""Names over an emulated link: what the first byte waits for.

Expected values: the round trips of docs/models/dns.md; the link's is 200 ms.
"""

import pytest

from tests.emulate.measuring import measured_together

RTT_S = 0.2
LINK = "flat:down=20Mbit/s,up=20Mbit/s,rtt=200ms"
RECURSION_S = 0.1
COLD = {"cache": "cold", "recursion": "100 ms"}
AT_TERMINAL = {"resolver": "terminal"}

# The settings of the resolver, and what the first connection waits for its name in s.
WAITS = {
    "do53": ({"protocol": "do53"}, RTT_S),
    "dot": ({"protocol": "dot"}, 3 * RTT_S),
    "doh": ({"protocol": "doh"}, 3 * RTT_S),
    "doq": ({"protocol": "doq"}, 2 * RTT_S),
    "doh warm": ({"protocol": "doh", "connection": "warm"}, RTT_S),
    "doq warm": ({"protocol": "doq", "connection": "warm"}, RTT_S),
    "dot cold cache": ({"protocol": "dot", **COLD}, 3 * RTT_S + RECURSION_S),
    "do53 terminal": ({"protocol": "do53", **AT_TERMINAL}, 0),
    "doh terminal": ({"protocol": "doh", **AT_TERMINAL}, 0),
    "doq terminal cold cache": ({"protocol": "doq", "cache": "cold", **AT_TERMINAL}, RTT_S),
}
CELLS = [*(("h2", name) for name in WAITS), ("h3", "do53"), ("h3", "doq")]
SLACK_S = 0.02
"""Of encryption and of this machine."""


def load_of(http, dns):
    return {"link": LINK, "http": http, "page": "single-100k", "dns": dns}


@pytest.fixture(scope="module")
def records(mark):
    del mark  # Set before the first process starts.
    runs = [load_of(http, WAITS[name][0]) for http, name in CELLS]
    return dict(zip(CELLS, measured_together(runs), strict=True))


@pytest.mark.parametrize(("http", "name"), CELLS)
def test_the_first_byte_waits_for_the_name_by_the_closed_form(records, http, name):
    record, expected_s = records[http, name], WAITS[name][1]
    waited_s = (record.client_connections[0].name_lookup_ns or 0) / 1e9
    assert expected_s <= waited_s < expected_s + SLACK_S
    # TCP and TLS, or QUIC; then the request.
    handshakes = 2 if http == "h2" else 1
    of_page_s = (handshakes + 1) * RTT_S
    assert expected_s + of_page_s <= record.metrics.ttfb_s < expected_s + of_page_s + 2 * SLACK_S
