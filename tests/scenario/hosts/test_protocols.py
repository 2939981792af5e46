"""Settings of HTTP, TLS, TCP and proxies: what a scenario writes, and what the engine gets.

Expected values: the keys and values of crates/run/src.
"""

import json
from pathlib import Path

import pytest

from bentpipe import _core
from bentpipe.campaign.plan import plan
from bentpipe.errors import InputError
from bentpipe.scenario import parse_override, resolve_document
from tools.specs import document_of

LINK = "geo-alshagri-flat"


def page_spec(http="h2", *settings, **run):
    return document_of({"link": LINK, "page": "single-100k", "http": http, **run}, *settings)


def load(*arguments, **run):
    return page_spec(*arguments, **run)["workload"]


# Two ways to write the same run: without a setting, and with its default.
DEFAULTS = {
    "requests on a connection": ("h1", {"requests_per_connection": "unlimited"}),
    "pipelining": ("h1", {"pipelining": 1}),
    "fewer requests on a new connection than one": ("h1", {"optimistic_pipelining": 4}),
    "push": ("h2", {"push": "0 %"}),
    "priorities": ("h3", {"priorities": "off"}),
    "visit": ("h1s", {"visit": "first"}),
    "slow start": ("h2", {"slow_start": "linux"}),
    "TLS": ("h2", {"tls": {"version": "1.3", "resumption": "none"}}),
    "key exchange": ("h2", {"tls": {"key_exchange": "x25519"}}),
    "key exchange without TLS": ("h1", {"tls": {"key_exchange": "x25519"}}),
    "TLS without TLS": ("h1", {"tls": {"version": "1.3", "resumption": "none"}}),
    "retries of what is not retried": ("h1", {"tcp": {"connect_retries": 5}}),
    "fallback from what is not reset": ("h2", {"tcp": {"idle_fallback": True}}),
    "proxy": ("h2", {"pep": "none"}),
    "proxy in a table": ("h2", {"pep": {"kind": "none", "cc": "hybla", "tcp": {"initial_window": 40}}}),
    "TCP": (
        "h1",
        {
            "tcp": {
                "fast_open": False,
                "nagle": False,
                "pacing": False,
                "ecn": False,
                "quick_ack": False,
                "timestamps": True,
                "connect_retry": "off",
                "connect_retries": 1,
                "idle_reset": "off",
                "idle_fallback": False,
            }
        },
    ),
    "QUIC": ("h3", {"quic": {"cwnd_validation": True, "ecn": True}}),
    "BBR": ("h2", {"cc": "bbr", "bbr": {"extra_acked": True}}),
    "hosts": ("h2", {"host": {"client": {"tls_handshake": "0 s"}, "server": {"quic_packet": "0 ms"}}}),
    "header table": ("h2", {"http2": {"header_table": "4096 B"}}),
    "header table in other words": ("h2", {"http2": {"header_table": "4 KiB"}}),
}


@pytest.mark.parametrize("case", DEFAULTS)
def test_a_setting_at_its_default_leaves_the_run_as_it_was(case):
    http, written = DEFAULTS[case]
    plain = {"cc": written["cc"]} if "cc" in written else {}
    assert page_spec(http, **written) == page_spec(http, **plain)


def test_a_run_without_new_settings_has_the_keys_that_it_had_before_there_were_any():
    # Run ids are hashes of specifications: ledgers would not find their runs.
    spec = page_spec("h1")
    assert set(spec) == {"seed", "link", "cc", "tcp", "quic", "http2", "workload", "validity", "capture"}
    assert set(spec["workload"]) == {"kind", "http", "connections", "page"}
    assert set(spec["workload"]["page"]) == {"name", "objects"}
    assert set(spec["tcp"]) == {
        "initial_window",
        "receive_buffer_bytes",
        "send_buffer_bytes",
        "slow_start_after_idle",
    }
    assert set(spec["http2"]) == {
        "stream_window_bytes",
        "connection_window_bytes",
        "max_concurrent_streams",
    }


@pytest.mark.parametrize("http", ["http10", "http10s", "h1", "h1s", "h2", "h2c", "h3", "spdy"])
def test_every_http_version_is_a_run_of_the_engine(http):
    spec = page_spec(http)
    _core.check_spec(json.dumps(spec))
    assert spec["workload"]["http"] == http
    assert spec["workload"]["connections"] == (6 if http.startswith(("http10", "h1")) else 1)


def test_connections_of_http_1_have_limits_and_pipelines():
    found = load("h1", requests_per_connection=100, pipelining=32)
    assert (found["requests_per_connection"], found["pipelining"]) == (100, 32)
    assert load("h1s", requests_per_connection=1)["requests_per_connection"] == 1


def test_a_new_connection_has_fewer_requests_at_once_than_one_that_has_answered():
    found = load("h1", pipelining=32, optimistic_pipelining=4)
    assert (found["pipelining"], found["optimistic_pipelining"]) == (32, 4)
    # As many as on any connection is what a run without the setting has.
    assert load("h1", pipelining=4, optimistic_pipelining=4) == load("h1", pipelining=4)


@pytest.mark.parametrize("http", ["http10", "h1s", "h2", "h3", "spdy"])
def test_response_headers_have_a_size_by_every_protocol(http):
    assert load(http, response_header="291 B")["response_header_bytes"] == 291


def test_origins_push_a_share_and_heed_priorities():
    assert [load(http, push="50 %")["push_percent"] for http in ("h2", "h2c", "spdy")] == [50] * 3
    assert load("h2", push="100%")["push_percent"] == 100
    assert {load(http, priorities="on")["priorities"] for http in ("h2", "h2c", "h3", "spdy")} == {"on"}


@pytest.mark.parametrize("http", ["h2", "h2c", "h3"])
def test_requests_may_leave_their_priorities_to_the_default(http):
    # RFC 9218 section 4.
    spec = page_spec(http, priorities="unstated")
    assert spec["workload"]["priorities"] == "unstated"
    _core.check_spec(json.dumps(spec))


def test_a_visit_may_be_one_of_several():
    assert load("h3", visit="repeat")["visit"] == "repeat"
    # Clear text has nothing to remember but a cookie of TCP Fast Open, which is fine.
    assert load("h1", visit="repeat")["visit"] == "repeat"


def test_tls_has_a_version_and_a_memory():
    assert page_spec("h1s", tls={"version": "1.2"})["tls"] == {"version": "1.2", "resumption": "none"}
    assert page_spec("spdy", tls={"version": "1.2", "resumption": "ticket"})["tls"] == {
        "version": "1.2",
        "resumption": "ticket",
    }
    assert page_spec("h3", tls={"resumption": "early-data"})["tls"] == {
        "version": "1.3",
        "resumption": "early-data",
    }


@pytest.mark.parametrize("setting", ["tls.version=1.2", 'tls.version="1.2"'])
def test_a_version_may_be_written_as_a_number(setting):
    assert page_spec("h2", setting)["tls"]["version"] == "1.2"


def test_tcp_has_its_further_settings():
    tcp = page_spec(
        "h1",
        tcp={
            "fast_open": True,
            "nagle": True,
            "pacing": True,
            "max_pacing_rate": "5 Mbit/s",
            "quick_ack": True,
            "timestamps": False,
            "initial_receive_window": 20,
            "connect_retry": "250 ms",
            "idle_reset": "5 s",
        },
    )["tcp"]
    assert (tcp["timestamps"], tcp["initial_receive_window"]) == ("off", 20)
    assert (tcp["fast_open"], tcp["nagle"], tcp["quick_ack"], tcp["pacing"]) == ("on", "on", "on", "on")
    assert tcp["max_pacing_rate_bps"] == 5_000_000
    assert (tcp["connect_retry_ns"], tcp["idle_reset_ns"]) == (250_000_000, 5_000_000_000)


def test_hosts_take_the_time_that_is_written_and_no_other():
    written = {
        "client": {"tls_handshake": "0.5 ms"},
        "server": {"tls_record": "8 us", "quic_packet": "900 ns"},
    }
    assert page_spec("h2", host=written)["host"] == {
        "client": {"tls_handshake_ns": 500_000, "tls_record_ns": 0, "quic_packet_ns": 0},
        "server": {"tls_handshake_ns": 0, "tls_record_ns": 8_000, "quic_packet_ns": 900},
    }


def test_programs_wake_as_late_as_is_written():
    no_time = {"tls_handshake_ns": 0, "tls_record_ns": 0, "quic_packet_ns": 0}
    always = {"wakeup_latency": "60 us"}
    by_sleep = {"wakeup_latency": [["0 s", "57 us"], ["20 ms", "90 us"]]}
    steps = [{"slept_ns": 0, "latency_ns": 57_000}, {"slept_ns": 20_000_000, "latency_ns": 90_000}]
    for written, expected in [(always, [{"slept_ns": 0, "latency_ns": 60_000}]), (by_sleep, steps)]:
        hosts = page_spec("h1", host=written)["host"]
        assert hosts == {"client": no_time, "server": no_time, "wakeup_latency": expected}


def test_packets_come_as_far_apart_as_is_written():
    hosts = page_spec("h1", host={"packet_spacing": "6 us"})["host"]
    assert hosts["packet_spacing_ns"] == 6_000
    assert "wakeup_latency" not in hosts


@pytest.mark.parametrize(
    "written",
    [
        {"wakeup_latency": "0 s"},
        {"wakeup_latency": [["0 s", "0 s"], ["1 ms", "0 s"]]},
        {"packet_spacing": "0 s"},
    ],
)
def test_hosts_on_which_nothing_takes_time_are_not_in_a_specification(written):
    assert "host" not in page_spec("h1", host=written)


def test_without_tls_a_host_may_be_slow_all_the_same():
    # A matrix may vary the protocol.
    assert "host" in page_spec("h1", host={"client": {"tls_handshake": "1 ms"}})


def test_quic_may_do_without_validation_of_its_window():
    assert page_spec("h3", quic={"cwnd_validation": False})["quic"]["cwnd_validation"] == "off"
    assert page_spec("h3", quic={"ecn": False})["quic"]["ecn"] == "off"
    assert page_spec("h2", tcp={"ecn": True})["tcp"]["ecn"] == "on"


@pytest.mark.parametrize("http", ["http10s", "h1s", "h2", "h3", "spdy"])
def test_whatever_has_tls_may_agree_on_keys_as_browsers_do(http):
    spec = page_spec(http, tls={"key_exchange": "x25519mlkem768"})
    assert spec["key_exchange"] == "x25519mlkem768"
    # Tickets and versions are as without it.
    assert "tls" not in spec


@pytest.mark.parametrize(
    "bulk",
    [{"transport": "quic", "size": "1 MB"}, {"size": "1 MB", "flows": ["cubic", "quic:bbr"]}],
    ids=["one flow", "one of several"],
)
def test_a_flow_over_quic_may_too(bulk):
    spec = document_of({"link": LINK, "bulk": bulk, "tls": {"key_exchange": "x25519mlkem768"}})
    assert spec["key_exchange"] == "x25519mlkem768"


def test_quic_asks_for_acknowledgements_as_it_does_unasked_but_for_what_is_written():
    # RFC 9000 sections 13.2.1, 13.2.2 and 18.2.
    unasked = {
        "ack_eliciting_threshold": 1,
        "requested_max_ack_delay_ns": 25_000_000,
        "reordering_threshold": 1,
    }
    assert page_spec("h3", quic={"ack_frequency": {}})["quic"]["ack_frequency"] == unasked
    written = {
        "ack_eliciting_threshold": 9,
        "requested_max_ack_delay": "100 ms",
        "reordering_threshold": 0,
    }
    assert page_spec("h3", quic={"ack_frequency": written})["quic"]["ack_frequency"] == {
        "ack_eliciting_threshold": 9,
        "requested_max_ack_delay_ns": 100_000_000,
        "reordering_threshold": 0,
    }
    assert "ack_frequency" not in page_spec("h3")["quic"]


@pytest.mark.parametrize(
    ("run", "is_used"),
    [
        ({"http": "h2", "cc": "bbr"}, True),
        ({"http": "h3", "cc": "bbr"}, True),
        ({"http": "h2", "cc": "bbr3"}, False),
        ({"http": "h2", "pep": {"kind": "split", "cc": "bbr"}}, True),
        ({"http": "h3", "pep": {"kind": "split", "cc": "bbr"}}, False),
    ],
)
def test_bbr_without_aggregation_is_in_the_specification_where_a_sender_is_bbr(run, is_used):
    run = {"link": LINK, "page": "single-100k", "cc": "cubic", **run}
    found = document_of(run, "bbr.extra_acked=false")
    assert found == {**document_of(run), **({"bbr": {"extra_acked": "off"}} if is_used else {})}


def test_a_client_opens_several_connections_beside_one_that_is_slow_to_come():
    tcp = page_spec("h2", tcp={"connect_retry": "250 ms", "connect_retries": 4})["tcp"]
    assert (tcp["connect_retry_ns"], tcp["connect_retries"]) == (250_000_000, 4)
    once = page_spec("h2", tcp={"connect_retry": "250 ms", "connect_retries": 1})
    assert once == page_spec("h2", tcp={"connect_retry": "250 ms"})


@pytest.mark.parametrize("http", ["h2", "spdy"])
def test_after_an_idle_reset_a_load_may_go_on_by_http_1_1_over_all_its_connections(http):
    spec = page_spec(http, tcp={"idle_reset": "2 s", "idle_fallback": True})
    assert (spec["tcp"]["idle_fallback"], spec["workload"]["connections"]) == ("on", 6)
    assert load(http, tcp={"idle_reset": "2 s"})["connections"] == 1


def test_http2_has_a_header_table_of_a_size():
    found = [page_spec("h2", http2={"header_table": text})["http2"] for text in ("0 B", "64 KiB")]
    assert [spec["header_table_bytes"] for spec in found] == [0, 65_536]


@pytest.mark.parametrize("way", ["hystart++", "search", "loss"])
def test_slow_start_of_loss_based_congestion_controls_may_end_in_another_way(way):
    for http in ("h2", "h3"):
        assert page_spec(http, slow_start=way)["slow_start"] == way
    flows = {"bulk": {"duration": "9 s", "flows": ["reno", "quic:cubic"]}, "link": LINK}
    assert document_of(flows, f"slow_start={way}")["slow_start"] == way


SPLIT = {"pep": {"kind": "split", "cc": "cubic"}}
PING = {"http": None, "page": None, "ping": {}}


def flows(*names):
    return {"http": None, "page": None, "bulk": {"duration": "9 s", "flows": list(names)}}


@pytest.mark.parametrize(
    ("way", "run", "is_used"),
    [
        ("linux-4.15", {"http": "h2"}, True),
        ("linux-4.15", {"http": "h3"}, False),
        ("linux-4.15", {"http": "h2", "cc": "reno"}, False),
        ("linux-4.15", {"http": "h2", "cc": "bbr"}, False),
        ("linux-4.15", {"http": "h2", "cc": "bbr", **SPLIT}, True),
        ("linux-4.15", {"http": "h3", "cc": "bbr", **SPLIT}, False),
        ("linux-4.15", flows("bbr", "cubic"), True),
        ("linux-4.15", flows("bbr", "quic:cubic"), False),
        ("linux-4.15", PING, False),
        ("loss", {"http": "h3"}, True),
        ("loss", {"http": "h3", "cc": "bbr"}, False),
        ("loss", {"http": "h2", "cc": "bbr", **SPLIT}, True),
        ("loss", flows("bbr", "quic:cubic"), True),
        ("loss", PING, False),
    ],
)
def test_what_becomes_of_hystart_is_in_the_specification_where_a_sender_has_it(way, run, is_used):
    # It is CUBIC's, and an old kernel's is TCP's: all other cells of a matrix are what they were without.
    parts = {"http": "h2", **run}
    without = {key: value for key, value in parts.items() if value is not None}
    base = {"link": LINK, **({} if "page" in parts else {"page": "single-100k"}), **without}
    found = document_of({**base, "slow_start": way})
    assert found == {**document_of(base), **({"slow_start": way} if is_used else {})}


def test_a_transport_proxy_stands_at_both_ends_and_has_what_a_host_has_unless_told():
    spec = page_spec("h2", cc="bbr", pep="split", tcp={"initial_window": 3, "receive_buffer": "128 kB"})
    plain = page_spec("h2")["tcp"]
    assert spec["pep"] == {
        "kind": "split",
        "place": "both",
        "cc": "bbr",
        "tcp": plain,
        "relay_buffer_bytes": 262_144,
    }
    assert (spec["tcp"]["initial_window"], spec["pep"]["tcp"]["initial_window"]) == (3, 10)


def test_a_proxy_s_leg_over_the_satellite_is_its_own():
    table = {
        "kind": "split",
        "place": "gateway",
        "cc": "hybla",
        "relay_buffer": "1 MB",
        "tcp": {"initial_window": 100, "fast_open": True, "send_buffer": "4 MB"},
    }
    pep = page_spec("h1", cc="cubic", pep=table)["pep"]
    assert (pep["place"], pep["cc"], pep["relay_buffer_bytes"]) == ("gateway", "hybla", 1_000_000)
    assert (pep["tcp"]["initial_window"], pep["tcp"]["send_buffer_bytes"]) == (100, 4_000_000)
    assert pep["tcp"]["fast_open"] == "on"


def test_a_transport_proxy_at_both_ends_may_have_standing_connections():
    assert page_spec("h1", pep={"kind": "split", "standing": True})["pep"]["standing"] == "on"
    # At its default it leaves the run as it was, and kinds without such a thing do not look at it.
    assert page_spec("h1", pep={"kind": "split", "standing": False}) == page_spec("h1", pep="split")
    assert page_spec("h1", pep={"kind": "tunnel", "standing": True}) == page_spec("h1", pep="tunnel")


def test_a_tunnel_takes_its_header_from_the_hosts_packets():
    spec = page_spec("h3", pep={"kind": "tunnel", "header": "60 B"})
    assert spec["pep"] == {"kind": "tunnel", "header_bytes": 60}
    # 1500 less the header, IPv4 and UDP: what a host sends must fit through.
    assert spec["quic"]["udp_payload_bytes"] == 1500 - 60 - 28
    assert page_spec("h3", pep="tunnel")["pep"]["header_bytes"] == 24
    with pytest.raises(InputError, match=r"from 20 B to 1.412 kB"):
        document_of({"link": LINK, "pep": {"kind": "tunnel", "header": "60 B"}, "ping": {"size": "1413 B"}})


@pytest.mark.parametrize("http", ["http10", "h1s", "h2c", "spdy"])
def test_an_http_proxy_serves_what_runs_over_tcp(http):
    assert page_spec(http, pep="proxy")["pep"]["kind"] == "proxy"


def test_quic_through_a_proxy_for_udp_has_packets_that_its_datagrams_have_room_for():
    spec = page_spec("h3", cc="cubic", pep={"kind": "masque", "cc": "bbr", "relay_buffer": "1 MB"})
    assert spec["pep"] == {
        "kind": "masque",
        "cc": "bbr",
        # 1500 less IPv4 and UDP.
        "udp_payload_bytes": 1472,
        "relay_buffer_bytes": 1_000_000,
    }
    # Less what stands around them, 41 B (crates/http/src/masque/mod.rs); ten of them are the initial window.
    assert (spec["quic"]["udp_payload_bytes"], spec["quic"]["initial_window_bytes"]) == (1431, 14_310)
    _core.check_spec(json.dumps(spec))
    # Settings of other kinds are not looked at, so that kinds can be varied.
    table = {"kind": "masque", "place": "terminal", "standing": True, "tcp": {"initial_window": 30}}
    assert page_spec("h3", pep=table) == page_spec("h3", pep="masque")


def test_a_proxy_for_udp_needs_an_mtu_that_quic_fits_into_twice():
    # RFC 9000 section 14: 1200 B; 41 B around them, 28 B of UDP and IPv4.
    link = {"rtt": "600 ms", "forward": {"rate": "10 Mbit/s"}, "return": {"rate": "2 Mbit/s"}}
    spec = page_spec("h3", link={**link, "mtu": "1269 B"}, pep="masque")
    assert spec["quic"]["udp_payload_bytes"] == 1200
    with pytest.raises(InputError, match=r"mtu of at least 1269 B.*\"masque\" with an mtu of 1268 B"):
        page_spec("h3", link={**link, "mtu": "1268 B"}, pep="masque")


@pytest.mark.parametrize("kind", ["split", "tunnel", "proxy"])
def test_the_engine_accepts_every_proxy(kind):
    _core.check_spec(json.dumps(page_spec("h2", pep=kind)))


def test_the_engine_accepts_every_setting():
    spec = page_spec(
        "h1s",
        requests_per_connection=100,
        pipelining=32,
        optimistic_pipelining=4,
        response_header="291 B",
        visit="repeat",
        slow_start="loss",
        quic={"cwnd_validation": False, "ack_frequency": {"ack_eliciting_threshold": 9}},
        tcp={
            "fast_open": True,
            "nagle": True,
            "pacing": True,
            "max_pacing_rate": "5 Mbit/s",
            "quick_ack": True,
            "timestamps": False,
            "initial_receive_window": 20,
            "connect_retry": "1500 ms",
            "connect_retries": 4,
            "idle_reset": "5 s",
            "idle_fallback": True,
        },
        tls={"version": "1.2", "resumption": "ticket"},
        http2={"header_table": "0 B"},
        host={"client": {"tls_handshake": "1 ms"}, "server": {"tls_record": "10 us"}},
        pep={"kind": "split", "standing": True},
    )
    _core.check_spec(json.dumps(spec))
    tls = {"resumption": "early-data", "key_exchange": "x25519mlkem768"}
    multiplexed = page_spec("spdy", push="10 %", priorities="on", tls=tls)
    _core.check_spec(
        json.dumps(
            {
                **multiplexed,
                "workload": {**multiplexed["workload"], "page": load("h1", page="snep-642")["page"]},
            }
        )
    )


def cells(run, matrix=None, settings=()):
    document = {"run": {"link": LINK, "page": "single-100k", "http": "h2", **run}}
    return resolve_document(
        document if matrix is None else {**document, "matrix": matrix},
        file="scenario.toml",
        folder=Path(),
        default_name="example",
        overrides=[parse_override(text) for text in settings],
    )


def test_settings_are_factors_only_where_the_matrix_varies_them():
    names = set(
        cells({"tls": {"resumption": "ticket"}, "visit": "repeat", "priorities": "on"}).cells[0].factors
    )
    assert names == set(cells({}).cells[0].factors)
    varied = cells({}, {"tls.resumption": ["none", "ticket"], "visit": ["first", "repeat"]}).cells
    assert [(cell.factors["tls.resumption"], cell.factors["visit"]) for cell in varied] == [
        ("none", "first"),
        ("none", "repeat"),
        ("ticket", "first"),
        ("ticket", "repeat"),
    ]


def test_a_cell_at_its_defaults_is_the_cell_of_a_scenario_that_does_not_know_the_setting():
    varied = cells({}, {"push": ["0 %", "50 %"]})
    before = plan(cells({}))
    assert {run.run_id for run in before} < {run.run_id for run in plan(varied)}


def test_kinds_of_proxy_may_be_varied_and_keep_the_settings_of_the_table():
    table = {"kind": "split", "cc": "bbr", "tcp": {"initial_window": 30}, "header": "40 B"}
    found = cells({"pep": table}, {"pep": ["none", "split", "tunnel", "proxy"]}).cells
    assert [cell.factors["pep"] for cell in found] == ["none", "split", "tunnel", "proxy"]
    none, split, tunnel, proxy = (cell.spec.get("pep") for cell in found)
    assert none is None
    assert tunnel == {"kind": "tunnel", "header_bytes": 40}
    assert [pep["cc"] for pep in (split, proxy)] == ["bbr", "bbr"]
    assert split["tcp"] == proxy["tcp"]
    assert split["tcp"]["initial_window"] == 30


def test_the_command_line_changes_a_proxy_as_the_matrix_does():
    table = {"kind": "split", "cc": "bbr"}
    [cell] = cells({"pep": table}, settings=["pep=none"]).cells
    assert "pep" not in cell.spec
    [cell] = cells({"pep": "split"}, settings=["pep.cc=hybla", "pep.tcp.fast_open=true"]).cells
    assert (cell.spec["pep"]["kind"], cell.spec["pep"]["cc"]) == ("split", "hybla")
    assert cell.spec["pep"]["tcp"]["fast_open"] == "on"
    assert cell.factors["pep"] == "split"


def test_proxies_that_the_matrix_writes_as_tables_are_called_by_what_they_say():
    tables = [{"kind": "split", "place": "gateway"}, {"kind": "split"}]
    found = cells({}, {"pep": tables}).cells
    assert [cell.factors["pep"] for cell in found] == ["kind=split, place=gateway", "kind=split"]
