"""Proxies that end QUIC, and the terrestrial network: what scenarios write, and what they may not.

Expected values: the keys and values of crates/run/src/pep.rs and crates/link/src/terrestrial.rs.
"""

import pytest

from bentpipe.campaign.requirements import require_terrestrial
from bentpipe.engine.emulate import Emulator
from bentpipe.engine.simulate import Simulator
from bentpipe.engine.testbed import congestion_control
from bentpipe.scenario.written.location import Location
from tests.support.refusals import refused
from tools.specs import document_of, spec_of

LINK = "geo-alshagri-flat"
QUIC = {"link": LINK, "bulk": {"transport": "quic", "size": "1 MB"}}
PAGE = {"link": LINK, "http": "h3", "page": "single-100k"}


def test_a_word_gives_the_proxies_the_congestion_control_and_windows_of_the_run():
    spec = document_of({**QUIC, "cc": "bbr", "pep": "quic-split"})
    assert spec["pep"] == {
        "kind": "quic-split",
        "cc": "bbr",
        "quic": spec["quic"],
        "relay_buffer_bytes": 256 * 1024,
    }


def test_the_satellite_has_a_congestion_control_and_settings_of_quic_of_its_own():
    pep = {"kind": "quic-split", "cc": "hybla", "relay_buffer": "64 KiB", "quic": {"initial_window": "45 kB"}}
    spec = document_of({**QUIC, "pep": pep, "quic": {"initial_window": "30 kB"}})
    assert (spec["cc"], spec["pep"]["cc"]) == ("cubic", "hybla")
    assert spec["quic"]["initial_window_bytes"] == 30_000
    assert spec["pep"]["quic"]["initial_window_bytes"] == 45_000
    assert spec["pep"]["relay_buffer_bytes"] == 64 * 1024


def test_its_first_flight_has_as_many_packets_as_that_of_a_proxy_that_splits_tcp():
    # 30 packets of 1500 - 20 (IPv4) - 8 (UDP) bytes.
    spec = document_of({**QUIC, "pep": {"kind": "quic-split", "tcp": {"initial_window": 30}}})
    assert spec["pep"]["quic"]["initial_window_bytes"] == 30 * 1472


def test_prague_may_be_the_congestion_control_of_quic_over_the_satellite_beside_flows_over_tcp():
    flows = {"bulk": {"flows": ["quic:cubic", "tcp:cubic"], "duration": "10 s"}}
    spec = document_of({"link": LINK, **flows, "pep": {"kind": "quic-split", "cc": "prague"}})
    assert spec["pep"]["cc"] == "prague"


def test_no_socket_of_tcp_asks_for_a_congestion_control():
    assert congestion_control.of_sockets(spec_of({**PAGE, "cc": "bbr3", "pep": "quic-split"})) == ()


REFUSED = {
    "one place": (
        {"pep": {"kind": "quic-split", "place": "gateway"}},
        "run.pep.place",
        '"both"',
        '"gateway"',
    ),
    "standing connections": (
        {"pep": {"kind": "quic-split", "standing": True}},
        "run.pep.standing",
        "false, as a connection over the satellite has the host",
        "true",
    ),
    "a buffer below a window": (
        {"pep": {"kind": "quic-split", "relay_buffer": "1 kB"}},
        "run.pep.relay_buffer",
        "a size from 2.4 kB",
        '"1 kB"',
    ),
    **{
        f"{http}": (
            {"http": http, "pep": "quic-split"},
            "run.pep",
            f"as {http} runs over TCP",
            '"quic-split"',
        )
        for http in ("h1", "h1s", "h2")
    },
    **{
        f"resumption by {how}": (
            {"pep": "quic-split", "tls": {"resumption": how}},
            "run.tls.resumption",
            "each leg has a handshake of its own",
            f'"{how}"',
        )
        for how in ("ticket", "early-data")
    },
    "careful resume": (
        {"pep": "quic-split", "visit": "repeat", "resume": "careful"},
        "run.resume.method",
        "do not cross the satellite",
        '"careful"',
    ),
    "a browser": ({"pep": "quic-split", "client": "firefox"}, "run.pep", "QUIC of firefox", '"quic-split"'),
    "a server of others": (
        {"pep": "quic-split", "server": "caddy", "cc": "reno"},
        "run.pep",
        "QUIC of caddy",
        '"quic-split"',
    ),
    "the server behind the terminal": (
        {"pep": "quic-split", "server_behind": "terminal"},
        "run.pep",
        '"none", as the server is behind the terminal',
        '"quic-split"',
    ),
    "terrestrial losses with the server behind the terminal": (
        {"terrestrial": {"loss": "1 %"}, "server_behind": "terminal"},
        "run.terrestrial.loss",
        "nothing, as the server is behind the terminal",
        "losses",
    ),
    "losses of more than all": (
        {"terrestrial": {"loss": "101 %"}},
        "run.terrestrial.loss.p",
        "a fraction from 0 to 1",
        '"101 %"',
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_is_refused_where_it_stands(case):
    written, field, expected, found = REFUSED[case]
    with refused(field, expected=expected, found=found):
        document_of({**PAGE, **written})


@pytest.mark.parametrize("workload", [{"bulk": {"size": "1 MB"}}, {"ping": {}}])
def test_what_has_no_connection_of_quic_is_refused(workload):
    with refused("run.pep", expected="one of none, split, tunnel, proxy", found="quic-split"):
        document_of({"link": LINK, **workload, "pep": "quic-split"})


def test_the_terrestrial_side_loses_by_the_laws_of_a_link():
    for written, expected in (
        ("1 %", {"kind": "bernoulli", "p": 0.01}),
        ({"ber": 1e-7}, {"kind": "bit-error", "ber": 1e-7}),
    ):
        assert document_of({**QUIC, "terrestrial": {"loss": written}})["terrestrial"] == {"loss": expected}


def test_a_terrestrial_side_that_loses_nothing_is_no_part_of_a_run():
    assert "terrestrial" not in document_of({**QUIC, "terrestrial": {"loss": 0}})


def test_losses_of_the_terrestrial_side_are_simulated_alone():
    specs = [spec_of({**QUIC, "terrestrial": {"loss": "1 %"}})]
    where = Location(file="scenario.toml", field="run.terrestrial.loss")
    require_terrestrial(Simulator(), specs, where=where)
    with refused("run.terrestrial.loss", expected="nothing on the emulate engine", found="--engine simulate"):
        require_terrestrial(Emulator(), specs, where=where)
