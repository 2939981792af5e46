"""Expected defaults: the sources named beside each in defaults.py."""

import json
from pathlib import Path

import pytest

from bentpipe import _core
from bentpipe.model.link import LinkSpec
from bentpipe.scenario import resolve_document
from bentpipe.scenario.link.description import describe_link
from tests.support.refusals import refused


def resolved(run, **scenario):
    document = {**scenario, "run": run}
    return resolve_document(document, file="scenario.toml", folder=Path(), default_name="example")


def spec_of(**run):
    return resolved({"link": "geo-alshagri-flat", **run}).cells[0].spec


PAGE = {"page": "single-100k", "http": "h3"}


RUNS = {
    "page": {"page": "single-100k", "http": "h3"},
    "own page": {"page": {"name": "mine", "objects": ["1 kB"]}, "http": "h1s"},
    "bulk by size": {"bulk": {"size": "10 MB", "transport": "quic", "direction": "up"}},
    "bulk by time": {"bulk": {"duration": "60 s"}},
    "ping": {"ping": {}},
    "pipe": {
        "page": "uniform-2m",
        "http": "h2",
        "link": "flat:down=10Mbit/s,up=2Mbit/s,rtt=600ms,loss=1%,queue=1BDP,queue_up=20ms,jitter=3ms",
    },
    "bit errors": {"ping": {}, "link": {"base": "geo-snep", "forward": {"loss": {"ber": 1e-7}}}},
    "bursts": {"ping": {}, "link": {"base": "lan", "return": {"loss": {"p": 0.1, "r": 0.2, "h": 0, "k": 1}}}},
    "carriers": {"ping": {}, "link": "geo-alshagri"},
    "fast": {"ping": {}, "link": "flat:down=1000Gbit/s,up=1000Gbit/s,rtt=24h"},
}


@pytest.mark.parametrize("case", RUNS)
def test_the_engine_accepts_the_specification(case):
    _core.check_spec(json.dumps({**spec_of(**RUNS[case]), "seed": 2**53 - 1}))


def test_the_engine_would_refuse_a_key_too_many_or_too_few():
    spec = {**spec_of(**PAGE), "seed": 1}
    with pytest.raises(ValueError, match="unknown field"):
        _core.check_spec(json.dumps({**spec, "more": 1}))
    with pytest.raises(ValueError, match="missing field"):
        _core.check_spec(json.dumps({key: value for key, value in spec.items() if key != "http2"}))


def test_the_server_is_behind_the_gateway_unless_it_is_put_behind_the_terminal():
    usual = {"link": "flat:down=20Mbit/s,up=2Mbit/s,rtt=100ms", "bulk": {"size": "100 MB"}}
    assert spec_of(**usual) == spec_of(**usual, server_behind="gateway")
    assert "server_behind" not in spec_of(**usual)
    spec = spec_of(**usual, server_behind="terminal")
    _core.check_spec(json.dumps({**spec, "seed": 1}))
    assert spec["server_behind"] == "terminal"
    assert spec["link"] == spec_of(**usual)["link"]
    # Five times 800 Mbit and a round trip, at 20 and at 2 Mbit/s, and a minute.
    for found, rate_bps in ((spec_of(**usual), 20e6), (spec, 2e6)):
        assert found["validity"]["timeout_ns"] == pytest.approx((60 + 5 * (8e8 / rate_bps + 0.1)) * 1e9)


@pytest.mark.parametrize("pep", ["split", "tunnel"])
def test_there_is_no_proxy_where_the_server_is_behind_the_terminal(pep):
    with refused("run.pep", expected='"none", as the server is behind the terminal', found=pep):
        spec_of(ping={}, pep=pep, server_behind="terminal")


def test_the_server_is_behind_nothing_else():
    with refused("run.server_behind", expected="one of gateway, terminal", found="hub"):
        spec_of(ping={}, server_behind="hub")


def test_bulk_and_ping_are_complete_without_a_word_more_than_needed():
    assert spec_of(bulk={"size": "10 MB"})["workload"] == {
        "kind": "bulk",
        "transport": "tcp",
        "direction": "down",
        "bytes": 10_000_000,
        "duration_ns": None,
    }
    assert spec_of(ping={})["workload"] == {
        "kind": "ping",
        "count": 20,
        "interval_ns": 200_000_000,
        "payload_bytes": 20,
    }


def test_tcp_and_quic_start_with_the_same_number_of_full_packets():
    # 10 packets of 1500 - 20 (IPv4) - 8 (UDP) bytes: RFC 9002 section 7.2 allows 14 720 bytes.
    spec = spec_of(**PAGE)
    assert spec["tcp"]["initial_window"] == 10
    assert spec["quic"]["initial_window_bytes"] == 14_720
    assert spec_of(**PAGE, tcp={"initial_window": 3})["quic"]["initial_window_bytes"] == 3 * 1472


def test_a_quic_packet_fills_the_mtu():
    assert spec_of(**PAGE)["quic"]["udp_payload_bytes"] == 1500 - 20 - 8


@pytest.mark.parametrize(
    ("link", "expected_bytes"),
    [
        # 4 x 662.5 kB is less than Linux's default of 6 MiB.
        ("geo-alshagri-flat", 6 * 2**20),
        # 4 x 144 Mbit/s x 0.597 s / 8
        ("geo-viasat2-flat", 42_984_000),
        # The faster direction counts.
        ("flat:down=1Mbit/s,up=100Mbit/s,rtt=600ms", 30_000_000),
    ],
)
def test_buffers_are_four_bdp_and_the_same_for_tcp_quic_and_http2(link, expected_bytes):
    spec = spec_of(**PAGE | {"link": link})
    sizes = {
        spec["tcp"]["receive_buffer_bytes"],
        spec["tcp"]["send_buffer_bytes"],
        spec["quic"]["stream_receive_window_bytes"],
        spec["quic"]["receive_window_bytes"],
        spec["quic"]["send_window_bytes"],
        spec["http2"]["stream_window_bytes"],
        spec["http2"]["connection_window_bytes"],
    }
    assert sizes == {expected_bytes}


def test_written_settings_replace_every_default():
    spec = spec_of(
        **PAGE,
        cc="bbr",
        tcp={
            "initial_window": 3,
            "receive_buffer": "60 MB",
            "send_buffer": "50 MB",
            "slow_start_after_idle": False,
        },
        quic={
            "initial_window": "20 kB",
            "initial_rtt": "600 ms",
            "stream_receive_window": "1 MB",
            "receive_window": "2 MB",
            "send_window": "3 MB",
            "udp_payload": "1200 B",
            "max_concurrent_streams": 7,
        },
        http2={"stream_window": "65535 B", "connection_window": "1 MB", "max_concurrent_streams": 8},
        validity={"lateness": "5 ms", "timeout": "10 min"},
        capture={"pcapng": True, "qlog": True},
    )
    assert spec["cc"] == "bbr"
    assert list(spec["tcp"].values()) == [3, 60_000_000, 50_000_000, False]
    assert list(spec["quic"].values()) == [20_000, 600_000_000, 1_000_000, 2_000_000, 3_000_000, 1200, 7]
    assert list(spec["http2"].values()) == [65_535, 1_000_000, 8]
    assert list(spec["validity"].values()) == [5_000_000, 600_000_000_000]
    assert list(spec["capture"].values()) == [True, True]


def test_http2_and_http3_use_one_connection_whatever_is_asked_for():
    def connections(http, **run):
        return spec_of(page="single-100k", http=http, **run)["workload"]["connections"]

    assert [connections(http) for http in ("h1", "h1s", "h2", "h3")] == [6, 6, 1, 1]
    assert [connections(http, connections=2) for http in ("h1", "h3")] == [2, 1]


def test_the_lateness_bound_is_half_a_percent_of_the_round_trip_and_never_below_what_a_packet_takes():
    def bound_ns(rate, rtt):
        return spec_of(**PAGE | {"link": f"flat:down={rate},up=1Mbit/s,rtt={rtt}"})["validity"][
            "lateness_p999_ns"
        ]

    assert bound_ns("100Mbit/s", "600ms") == 3_000_000
    assert (bound_ns("100Mbit/s", "20ms"), bound_ns("144Mbit/s", "20ms")) == (1_000_000, 2_000_000)


def test_http2_windows_stay_below_the_protocols_limit():
    # RFC 9113 section 6.9.1: 2^31 - 1; 4 x 10 Gbit/s x 0.6 s / 8 is above it.
    spec = spec_of(**PAGE | {"link": "flat:down=10Gbit/s,up=1Gbit/s,rtt=600ms"})
    assert spec["http2"]["stream_window_bytes"] == 2**31 - 1
    assert spec["quic"]["receive_window_bytes"] == 3_000_000_000


def test_a_timeout_grows_with_what_the_link_needs():
    def timeout_s(**run):
        return spec_of(**run)["validity"]["timeout_ns"] / 1e9

    assert timeout_s(**PAGE) == 120
    # 60 s + 5 x (100 MB at 10 Mbit/s + 0.53 s)
    assert timeout_s(bulk={"size": "100 MB"}) == pytest.approx(60 + 5 * 80.53)
    assert timeout_s(bulk={"duration": "60 s"}) == pytest.approx(60 + 60 + 5 * 0.53)
    assert timeout_s(ping={"count": 100, "interval": "1 s"}) == pytest.approx(60 + 100 + 5 * 0.53)
    # 60 s + 5 x (100 kB at 10 kbit/s + 0.5 s)
    slow = PAGE | {"link": "flat:down=10kbit/s,up=10kbit/s,rtt=500ms"}
    assert timeout_s(**slow) == pytest.approx(60 + 5 * 80.5)


def test_a_page_of_your_own_is_a_list_of_sizes():
    page = spec_of(http="h2", page={"name": "mine", "objects": ["1 kB", "2.5 kB"]})["workload"]["page"]
    assert page == {
        "name": "mine",
        "objects": [{"path": "/object-1.jpg", "bytes": 1000}, {"path": "/object-2.jpg", "bytes": 2500}],
    }


def test_the_scenario_itself_has_defaults():
    scenario = resolved({"link": "lan", **PAGE})
    assert (scenario.name, scenario.repetitions, scenario.seed) == ("example", 3, 1)


def test_what_a_run_sends_may_be_marked():
    assert "dscp" not in spec_of(ping={})
    assert [spec_of(ping={}, dscp=mark)["dscp"] for mark in ("EF", "AF41", "CS1", 46, 0)] == [
        46,
        34,
        8,
        46,
        0,
    ]


def test_waits_of_the_access_count_where_a_run_needs_time():
    # Four times the bandwidth-delay product with the longest wait, and five round trips with it.
    spec = spec_of(bulk={"duration": "60 s"}, link={"base": "geo-snep", "return": {"dama": "vbdc"}})
    model = describe_link(LinkSpec.model_validate(spec["link"]))
    wait_ns = model.forward.longest_wait_ns + model.return_.longest_wait_ns
    assert spec["validity"]["timeout_ns"] == 120 * 10**9 + 5 * (520_000_000 + wait_ns)
    assert wait_ns > 520_000_000
