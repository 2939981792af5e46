"""What a scenario may not write of HTTP, TLS, TCP and proxies, and what it is told.

Expected values: the keys and values of crates/run/src.
"""

import pytest

from tests.support.refusals import refused
from tools.specs import document_of

LINK = "geo-alshagri-flat"

# Settings of a run that has a page over h1s if they say nothing else; the field; what is expected and found.
REFUSED = {
    "early data of TLS 1.2": (
        {"tls": {"version": "1.2", "resumption": "early-data"}},
        "run.tls.resumption",
        '"none" or "ticket", as TLS 1.2 has no early data',
        '"early-data"',
    ),
    "a version of TLS that is none": (
        {"tls": {"version": "1.1"}},
        "run.tls.version",
        "one of 1.3, 1.2",
        '"1.1"',
    ),
    "a pacing rate without pacing": (
        {"tcp": {"pacing": False, "max_pacing_rate": "5 Mbit/s"}},
        "run.tcp.max_pacing_rate",
        "none, as pacing is false",
        '"5 Mbit/s"',
    ),
    "a pacing rate that is none": (
        {"tcp": {"max_pacing_rate": "0 bit/s"}},
        "run.tcp.max_pacing_rate",
        'a rate above zero such as "10 Mbit/s"',
        '"0 bit/s"',
    ),
    "a resumption that is none": (
        {"tls": {"resumption": "tickets"}},
        "run.tls.resumption",
        "one of none, ticket",
        "did you mean 'ticket'?",
    ),
    **{
        f"tickets of {http}": (
            {"http": http, "tls": {"resumption": "ticket"}},
            "run.tls.resumption",
            f"nothing, as {http} has no TLS",
            '"ticket"',
        )
        for http in ("http10", "h1", "h2c")
    },
    "TLS 1.2 in clear text": (
        {"http": "h2c", "tls": {"version": "1.2"}},
        "run.tls.version",
        "nothing, as h2c has no TLS",
        '"1.2"',
    ),
    "TLS 1.2 of QUIC": (
        {"http": "h3", "tls": {"version": "1.2"}},
        "run.tls.version",
        '"1.3", as h3',
        '"1.2"',
    ),
    "a key exchange that is none": (
        {"tls": {"key_exchange": "x25519kyber768"}},
        "run.tls.key_exchange",
        "one of x25519, x25519mlkem768",
        '"x25519kyber768"',
    ),
    "a hybrid key exchange of TLS 1.2": (
        {"tls": {"version": "1.2", "key_exchange": "x25519mlkem768"}},
        "run.tls.key_exchange",
        '"x25519", as TLS 1.2 has no hybrid key exchange',
        '"x25519mlkem768"',
    ),
    **{
        f"a key exchange of {http}": (
            {"http": http, "tls": {"key_exchange": "x25519mlkem768"}},
            "run.tls.key_exchange",
            f"nothing, as {http} has no TLS",
            '"x25519mlkem768"',
        )
        for http in ("http10", "h1", "h2c")
    },
    "a key exchange of a flow over TCP": (
        {
            "http": None,
            "page": None,
            "bulk": {"size": "1 MB"},
            "tls": {"key_exchange": "x25519mlkem768"},
        },
        "run.tls.key_exchange",
        "nothing, as a flow over TCP has no TLS",
        '"x25519mlkem768"',
    ),
    "a key exchange of pings": (
        {"http": None, "page": None, "ping": {}, "tls": {"key_exchange": "x25519mlkem768"}},
        "run.tls.key_exchange",
        "nothing, as ping has no TLS",
        '"x25519mlkem768"',
    ),
    "acknowledgements of fewer than no packets": (
        {"quic": {"ack_frequency": {"ack_eliciting_threshold": -1}}},
        "run.quic.ack_frequency.ack_eliciting_threshold",
        "a whole number from 0 to 10000",
        "-1",
    ),
    "acknowledgements in words": (
        {"quic": {"ack_frequency": "1:10"}},
        "run.quic.ack_frequency",
        "a table",
        '"1:10"',
    ),
    "acknowledgements sooner than the library's clock": (
        {"quic": {"ack_frequency": {"requested_max_ack_delay": "999 us"}}},
        "run.quic.ack_frequency.requested_max_ack_delay",
        "a duration from 1 ms to 24 h",
        '"999 us"',
    ),
    "late packets in half": (
        {"quic": {"ack_frequency": {"reordering_threshold": 0.5}}},
        "run.quic.ack_frequency.reordering_threshold",
        "a whole number of packets",
        "0.5",
    ),
    "a frequency of TCP's acknowledgements": (
        {"tcp": {"ack_frequency": {"ack_eliciting_threshold": 9}}},
        "run.tcp.ack_frequency.ack_eliciting_threshold",
        "nothing, as Linux acknowledges every second segment of TCP",
        "9",
    ),
    "pipelining of nothing": ({"pipelining": 0}, "run.pipelining", "from 1 to 32", "0"),
    "too long a pipeline": ({"pipelining": 33}, "run.pipelining", "from 1 to 32", "33"),
    **{
        f"pipelining of {http}": (
            {"http": http, "pipelining": 4},
            "run.pipelining",
            f"nothing, as {http} multiplexes",
            "4",
        )
        for http in ("h2", "h2c", "h3", "spdy")
    },
    **{
        f"standing connections of a {place} alone": (
            {"pep": {"kind": "split", "place": place, "standing": True}},
            "run.pep.standing",
            'where there are two (place = "both")',
            "true",
        )
        for place in ("terminal", "gateway")
    },
    "Fast Open of standing connections": (
        {"pep": {"kind": "split", "standing": True, "tcp": {"fast_open": True}}},
        "run.pep.tcp.fast_open",
        "no handshake that data could travel with",
        "true",
    ),
    "optimism of nothing": (
        {"pipelining": 8, "optimistic_pipelining": 0},
        "run.optimistic_pipelining",
        "from 1 to 32",
        "0",
    ),
    "optimism of HTTP/2": (
        {"http": "h2", "optimistic_pipelining": 4},
        "run.optimistic_pipelining",
        "nothing, as h2 multiplexes",
        "4",
    ),
    "a header too short for its fields": (
        {"response_header": "199 B"},
        "run.response_header",
        "from 200 B to 16.384 kB",
        '"199 B"',
    ),
    "a header in words": ({"response_header": "long"}, "run.response_header", "a size", '"long"'),
    "pipelining of HTTP/1.0": (
        {"http": "http10", "pipelining": 4},
        "run.pipelining",
        "nothing, as http10 has a connection for each request",
        "4",
    ),
    "requests on connections of HTTP/1.0": (
        {"http": "http10s", "requests_per_connection": 100},
        "run.requests_per_connection",
        "nothing, as http10s has a connection for each request",
        "100",
    ),
    "requests on connections of HTTP/2": (
        {"http": "h2", "requests_per_connection": 100},
        "run.requests_per_connection",
        "nothing, as h2 multiplexes",
        "100",
    ),
    "no request on a connection": (
        {"requests_per_connection": 0},
        "run.requests_per_connection",
        'from 1 to 1000000, or "unlimited"',
        "0",
    ),
    "requests in words": (
        {"requests_per_connection": "many"},
        "run.requests_per_connection",
        '"unlimited"',
        '"many"',
    ),
    **{
        f"push of {http}": (
            {"http": http, "push": "50 %"},
            "run.push",
            f"nothing, as {http} has no",
            '"50 %"',
        )
        for http in ("http10", "h1", "h1s", "h3")
    },
    "more than everything pushed": (
        {"http": "h2", "push": "101 %"},
        "run.push",
        "from 0 % to 100 %",
        '"101 %"',
    ),
    "a push of parts of a percent": (
        {"http": "h2", "push": "0.5 %"},
        "run.push",
        "whole percents",
        '"0.5 %"',
    ),
    "a push without a unit": ({"http": "h2", "push": "50"}, "run.push", '"50 %"', '"50"'),
    **{
        f"priorities of {http}": (
            {"http": http, "priorities": "on"},
            "run.priorities",
            f"nothing, as {http} answers in the order",
            '"on"',
        )
        for http in ("http10", "h1", "h1s")
    },
    "unstated priorities of HTTP/1": (
        {"http": "h1", "priorities": "unstated"},
        "run.priorities",
        "nothing, as h1 answers in the order",
        '"unstated"',
    ),
    "unstated priorities of SPDY": (
        {"http": "spdy", "priorities": "unstated"},
        "run.priorities",
        "one of off, on, as every request of spdy states a priority",
        '"unstated"',
    ),
    "priorities that are none": (
        {"http": "h2", "priorities": "yes"},
        "run.priorities",
        "one of off, unstated, on",
        '"yes"',
    ),
    "a visit that is none": ({"visit": "second"}, "run.visit", "one of first, repeat", '"second"'),
    "a proxy that is none": (
        {"pep": "splt"},
        "run.pep",
        "one of none, split, tunnel, proxy, masque",
        "did you mean 'split'?",
    ),
    "a proxy of no kind": ({"pep": {"cc": "bbr"}}, "run.pep.kind", "one of none, split", "nothing"),
    "a proxy in no place": (
        {"pep": {"kind": "split", "place": "satellite"}},
        "run.pep.place",
        "one of terminal, gateway, both",
        '"satellite"',
    ),
    "a proxy of an unknown congestion control": (
        {"pep": {"kind": "proxy", "cc": "bbr2"}},
        "run.pep.cc",
        "one of reno",
        '"bbr2"',
    ),
    "a relay without room": (
        {"pep": {"kind": "split", "relay_buffer": "0 B"}},
        "run.pep.relay_buffer",
        "a size from 1 B",
        '"0 B"',
    ),
    "a tunnel that leaves no room": (
        {"pep": {"kind": "tunnel", "header": "273 B"}},
        "run.pep.header",
        "a size from 1 B to 272 B",
        '"273 B"',
    ),
    "a proxy that retries": (
        {"pep": {"kind": "split", "tcp": {"connect_retry": "1 s"}}},
        "run.pep.tcp.connect_retry",
        '"off", as a proxy connects when a client does',
        '"1 s"',
    ),
    "a window of a proxy": (
        {"pep": {"kind": "split", "tcp": {"initial_window": 0}}},
        "run.pep.tcp.initial_window",
        "from 1 to 10000",
        "0",
    ),
    "an HTTP proxy of QUIC": (
        {"http": "h3", "pep": "proxy"},
        "run.pep",
        "one of none, split, tunnel, masque, quic-split, as h3 runs over UDP",
        '"proxy"',
    ),
    "an HTTP proxy of a flow": (
        {"http": None, "page": None, "bulk": {"size": "1 MB"}, "pep": "proxy"},
        "run.pep",
        "as bulk makes no HTTP requests",
        '"proxy"',
    ),
    "an HTTP proxy of several flows": (
        {"http": None, "page": None, "bulk": {"size": "1 MB", "flows": ["bbr"]}, "pep": "proxy"},
        "run.pep",
        "as flows makes no HTTP requests",
        '"proxy"',
    ),
    "an HTTP proxy of pings": (
        {"http": None, "page": None, "ping": {}, "pep": "proxy"},
        "run.pep",
        "as ping makes no HTTP requests",
        '"proxy"',
    ),
    "a proxy for UDP of HTTP/2": (
        {"http": "h2", "pep": "masque"},
        "run.pep",
        'one of none, split, tunnel, proxy, as there is no QUIC in http = "h2"',
        '"masque"',
    ),
    "a proxy for UDP of a flow over TCP": (
        {"http": None, "page": None, "bulk": {"size": "1 MB"}, "pep": "masque"},
        "run.pep",
        "as there is no QUIC in a flow over TCP",
        '"masque"',
    ),
    "a proxy for UDP of several flows over TCP": (
        {"http": None, "page": None, "bulk": {"size": "1 MB", "flows": ["bbr"]}, "pep": "masque"},
        "run.pep",
        "as there is no QUIC in flows over TCP",
        '"masque"',
    ),
    "a proxy for UDP of pings": (
        {"http": None, "page": None, "ping": {}, "pep": "masque"},
        "run.pep",
        "as there is no QUIC in ping",
        '"masque"',
    ),
    "a proxy for UDP of a repeat visit": (
        {"http": "h3", "visit": "repeat", "pep": "masque"},
        "run.pep",
        "as the visit before a repeat visit knows no proxy",
        '"masque"',
    ),
    "a proxy for UDP without room for a packet": (
        {"http": "h3", "pep": {"kind": "masque", "relay_buffer": "2 kB"}},
        "run.pep.relay_buffer",
        "a size from 2.944 kB",
        '"2 kB"',
    ),
    "tickets of a flow": (
        {"http": None, "page": None, "bulk": {"size": "1 MB"}, "tls": {"resumption": "ticket"}},
        "run.tls.resumption",
        "nothing, as bulk does not use it",
        '"ticket"',
    ),
    "a visit by a flow": (
        {"http": None, "page": None, "bulk": {"size": "1 MB"}, "visit": "first"},
        "run.visit",
        "nothing, as bulk does not use it",
        '"first"',
    ),
    "timestamps in words": (
        {"tcp": {"timestamps": "off"}},
        "run.tcp.timestamps",
        "true or false",
        '"off"',
    ),
    "a receive window of nothing": (
        {"tcp": {"initial_receive_window": 0}},
        "run.tcp.initial_receive_window",
        "from 1 to 10000",
        "0",
    ),
    "a retry of a flow": (
        {"http": None, "page": None, "bulk": {"size": "1 MB"}, "tcp": {"connect_retry": "1 s"}},
        "run.tcp.connect_retry",
        '"off", as bulk does not use it',
        '"1 s"',
    ),
    "retries of flows": (
        {"http": None, "page": None, "bulk": {"size": "1 MB"}, "tcp": {"connect_retries": 4}},
        "run.tcp.connect_retries",
        "1, as bulk does not use it",
        "4",
    ),
    "no retry": (
        {"tcp": {"connect_retry": "1 s", "connect_retries": 0}},
        "run.tcp.connect_retries",
        "from 1 to 16",
        "0",
    ),
    "a fallback of a proxy": (
        {"pep": {"kind": "split", "tcp": {"idle_fallback": True}}},
        "run.pep.tcp.idle_fallback",
        "false, as a proxy connects when a client does",
        "true",
    ),
    "a retry at once": ({"tcp": {"connect_retry": "0 s"}}, "run.tcp.connect_retry", "from 1 ns", '"0 s"'),
    "a reset of no time": ({"tcp": {"idle_reset": "never"}}, "run.tcp.idle_reset", "a duration", '"never"'),
    "a switch of TCP in words": ({"tcp": {"fast_open": "on"}}, "run.tcp.fast_open", "true or false", '"on"'),
    "an aggregation in words": (
        {"cc": "bbr", "bbr": {"extra_acked": "off"}},
        "run.bbr.extra_acked",
        "true or false",
        '"off"',
    ),
    "a validation in words": (
        {"quic": {"cwnd_validation": "off"}},
        "run.quic.cwnd_validation",
        "true or false",
        '"off"',
    ),
    "marks of QUIC in words": ({"quic": {"ecn": "off"}}, "run.quic.ecn", "true or false", '"off"'),
    "marks of TCP by name": ({"tcp": {"ecn": "accurate"}}, "run.tcp.ecn", "true or false", '"accurate"'),
    "Prague over TCP": ({"cc": "prague", "http": "h2"}, "run.cc", "for TCP one of reno", "needs AccECN"),
    "a proxy with Prague": (
        {"http": "h2", "pep": {"kind": "split", "cc": "prague"}},
        "run.pep.cc",
        "for TCP one of reno",
        "needs AccECN",
    ),
    "a proxy with the run's Prague": (
        {"http": "h3", "cc": "prague", "pep": "split"},
        "run.cc",
        "for the TCP of the proxy, which has no pep.cc beside it, one of reno",
        '"prague", which needs AccECN',
    ),
    "a handshake in words": (
        {"host": {"client": {"tls_handshake": "slow"}}},
        "run.host.client.tls_handshake",
        "a duration from 0 ns to 24 h",
        '"slow"',
    ),
    "a record of a number": (
        {"host": {"server": {"tls_record": 8}}},
        "run.host.server.tls_record",
        'a duration such as "250 ms"',
        "8",
    ),
    "packets in less than no time": (
        {"host": {"server": {"quic_packet": "-1 us"}}},
        "run.host.server.quic_packet",
        "a duration from 0 ns to 24 h",
        '"-1 us"',
    ),
    "a latency in words": (
        {"host": {"wakeup_latency": "late"}},
        "run.host.wakeup_latency",
        "a duration from 0 ns to 24 h",
        '"late"',
    ),
    "a latency of a number": (
        {"host": {"wakeup_latency": 60}},
        "run.host.wakeup_latency",
        'a duration such as "60 us", or a list of sleeps and durations',
        "60",
    ),
    "latencies without a step": (
        {"host": {"wakeup_latency": []}},
        "run.host.wakeup_latency",
        "from 1 to 100 steps",
        "0",
    ),
    "a latency without its sleep": (
        {"host": {"wakeup_latency": [["60 us"]]}},
        "run.host.wakeup_latency.1",
        'a sleep and a latency such as ["20 ms", "90 us"]',
        '["60 us"]',
    ),
    "a first sleep that is none of the shortest": (
        {"host": {"wakeup_latency": [["1 ms", "60 us"]]}},
        "run.host.wakeup_latency.1.1",
        'a first sleep of "0 s"',
        '"1 ms"',
    ),
    "sleeps that do not grow": (
        {"host": {"wakeup_latency": [["0 s", "60 us"], ["2 ms", "70 us"], ["2 ms", "80 us"]]}},
        "run.host.wakeup_latency.3.1",
        "a longer sleep than the one before it",
        '"2 ms"',
    ),
    "packets that come before those before them": (
        {"host": {"packet_spacing": "-6 us"}},
        "run.host.packet_spacing",
        "a duration from 0 ns to 24 h",
        '"-6 us"',
    ),
    "a host that is neither end": (
        {"host": {"gateway": {"tls_handshake": "1 ms"}}},
        "run.host.gateway",
        "client, packet_spacing, server, wakeup_latency",
        "gateway",
    ),
    "HyStart++ of BBR": (
        {"cc": "bbr", "slow_start": "hystart++"},
        "run.slow_start",
        '"linux", as bbr is not one of reno, cubic',
        '"hystart++"',
    ),
    "HyStart++ of one of several flows": (
        {
            "http": None,
            "page": None,
            "bulk": {"size": "1 MB", "flows": ["cubic", "hybla"]},
            "slow_start": "hystart++",
        },
        "run.slow_start",
        '"linux", as hybla is not one of',
        '"hystart++"',
    ),
    **{
        f"SEARCH of {cc}": (
            {"cc": cc, "slow_start": "search"},
            "run.slow_start",
            f'"linux", as {cc} is not one of reno, cubic',
            '"search"',
        )
        for cc in ("bbr", "bbr3", "hybla", "vivace")
    },
    "an unknown slow start": (
        {"slow_start": "hystart"},
        "run.slow_start",
        "one of linux, linux-4.15, hystart++, search, loss",
        '"hystart"',
    ),
    "a header table of less than nothing": (
        {"http": "h2", "http2": {"header_table": "-1 B"}},
        "run.http2.header_table",
        "a size from 0 B",
        '"-1 B"',
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_is_refused_where_it_stands(case):
    written, field, expected, found = REFUSED[case]
    run = {"link": LINK, "http": "h1s", "page": "single-100k", **written}
    with refused(field, expected=expected) as caught:
        document_of({key: value for key, value in run.items() if value is not None})
    error = caught.value
    assert found in f"{error.found} (did you mean '{error.suggestion}'?)"
