"""Whatever is written, the answer is a scenario or an InputError, never another exception."""

import json
from contextlib import suppress
from pathlib import Path

from hypothesis import example, given, settings
from hypothesis import strategies as st

from bentpipe import _core
from bentpipe.errors import InputError
from bentpipe.scenario import load, parse_override
from bentpipe.scenario.link.pipe import KEYS
from bentpipe.scenario.link.resolved import resolved_link
from bentpipe.scenario.links import link
from bentpipe.scenario.written.link_schema import LinkTable
from bentpipe.scenario.written.location import Location
from bentpipe.scenario.written.table import validated
from tools.specs import document_of

VALUES = st.one_of(
    st.text(max_size=12),
    st.sampled_from(
        ["10Mbit/s", "600ms", "1%", "1BDP", "100packets", "1500B", "nan", "inf", "-1", "1e400 ms"]
    ),
)
PAIRS = st.lists(st.tuples(st.sampled_from(KEYS), VALUES), max_size=8)


@given(st.text())
@example("rtt=600ms,rtt=600ms")
@example("down=18446744073709551615Gbit/s,up=1bit/s,rtt=1ms")
def test_any_text_after_flat_is_a_link_or_bad_input(text):
    with suppress(InputError):
        link(f"flat:{text}")


@given(PAIRS)
def test_any_values_of_an_inline_pipe_are_a_link_or_bad_input(pairs):
    with suppress(InputError):
        spec = link("flat:" + ",".join(f"{key}={value}" for key, value in pairs))
        assert spec["forward"]["capacity"]["rate_bps"] > 0


@given(st.text())
@example("\0.toml")
@example("x" * 5000 + ".toml")
@example("/")
def test_any_text_is_a_link_or_bad_input(text):
    with suppress(InputError):
        link(text)


@given(st.binary())
@example(b"a = " + b"[" * 10_000)
@example(b"a = 1" + b"0" * 5000)
@example(b"a = 2024-13-45")
@example(b"\xff")
@settings(max_examples=200)
def test_any_bytes_are_a_scenario_or_bad_input(tmp_path_factory, content):
    path = tmp_path_factory.getbasetemp() / "scenario.toml"
    path.write_bytes(content)
    with suppress(InputError):
        load(path)


SCALARS = st.one_of(
    st.none().map(lambda _: "nan"),
    st.integers().map(str),
    st.floats().map(str),
    st.booleans().map(lambda value: str(value).lower()),
    st.sampled_from(
        ['"h3"', '"lan"', '"10 Mbit/s"', '"600 ms"', "[]", '["h1", "h3"]', "{}", '{ base = "lan" }']
    ),
)
LINES = st.lists(
    st.tuples(
        st.sampled_from(
            [
                "name",
                "repetitions",
                "seed",
                "run.link",
                "run.http",
                "run.page",
                "run.cc",
                "run.bulk",
                "run.ping",
                "run.ping.count",
                "run.tcp.initial_window",
                "run.link.forward.loss",
                "run.link.rtt",
                "run.connections",
                "run.requests_per_connection",
                "run.pipelining",
                "run.push",
                "run.pep",
                "run.pep.cc",
                "run.tls.version",
                "run.host.client.tls_handshake",
                "run.host.server",
                "run.tcp.fast_open",
                "run.tcp.connect_retry",
                "matrix",
                "matrix.http",
                "matrix.link.forward.loss.ber",
                "matrix.page",
                "quick",
                "quick.matrix",
                "run",
                "run.page.objects",
            ]
        ),
        SCALARS,
    ),
    max_size=6,
)


@given(LINES)
@settings(max_examples=300)
def test_any_values_of_known_keys_are_a_scenario_or_bad_input(tmp_path_factory, lines):
    path = tmp_path_factory.getbasetemp() / "scenario.toml"
    valid = ['run.link = "lan"', 'run.page = "single-100k"', 'run.http = "h3"']
    taken = {key.split(".")[1] for key, _ in lines if key.startswith("run.")} | {
        "link" for key, _ in lines if key == "run"
    }
    base = (
        []
        if any(key == "run" for key, _ in lines)
        else [v for v in valid if v[4:8] not in {t[:4] for t in taken}]
    )
    path.write_text("\n".join([*base, *(f"{key} = {value}" for key, value in lines)]))
    with suppress(InputError):
        assert load(path).cells


DURATIONS = st.sampled_from(["0 ms", "1 ms", "-5 ms", "200 ms", "2 s", "1 day", "many"])
NUMBERS = st.one_of(st.sampled_from([0, 1, 0.5, "1 %"]), st.integers(), st.floats(), st.booleans())
SIZES = st.sampled_from(["1 BDP", "10 packets", "36 MB", "200 ms", "0 B", "many"])
LISTS = st.lists(st.lists(st.one_of(NUMBERS, DURATIONS), max_size=3), max_size=4)
PARTS = {
    "jitter": {"sd": DURATIONS, "quantiles": LISTS, "hold": DURATIONS},
    "queue": {"limit": SIZES, "start": SIZES, "p": NUMBERS, "target": DURATIONS, "interval": DURATIONS},
    "loss": {**dict.fromkeys(("p", "r", "h", "k", "ber"), NUMBERS), "every": DURATIONS, "lasting": LISTS},
}


@given(
    st.fixed_dictionaries(
        {}, optional={key: st.fixed_dictionaries({}, optional=part) for key, part in PARTS.items()}
    )
)
@settings(max_examples=300)
def test_any_parts_of_a_direction_are_one_or_bad_input(parts):
    forward = {"rate": "10 Mbit/s", **parts}
    table = {"rtt": "600 ms", "forward": forward, "return": {"rate": "1 Mbit/s"}}
    where = Location(file="test")
    with suppress(InputError):
        found = resolved_link(validated(LinkTable, table, where), where, folder=Path()).spec["forward"]
        assert all(found[key]["kind"] for key in parts)


AMOUNTS = st.sampled_from(["0 slots", "1 slot", "999 slots", "8 %", "101 %", "64 kbit/s", "1 Tbit/s", "many"])
RATIOS = st.sampled_from(["-1 dB", "0 dB", "1.5 dB", "99 dB", "1e3 dB", "nan dB", "many"])
SYMBOL_RATES = st.sampled_from(
    ["0 sym/s", "1 sym/s", "588 ksym/s", "4 Msym/s", "9999 Msym/s", "1.5 sym/s", "many"]
)
SYMBOLS = st.sampled_from(["0 sym", "4 sym", "536 sym", "-1 sym", "1.5 sym", "many"])
POINTS = st.lists(st.one_of(st.sampled_from(["EF", "AF44", "CS9"]), st.integers(-1, 65)), max_size=3)
FADES = st.one_of(
    RATIOS,
    st.fixed_dictionaries(
        {},
        optional={
            "depth": RATIOS,
            **dict.fromkeys(("start", "rise", "lasting", "fall", "every"), DURATIONS),
            "file": st.just("none.csv"),
        },
    ),
)
CARRIER = {
    "symbol_rate": SYMBOL_RATES,
    "bandwidth": st.sampled_from(["5 MHz", "0 Hz", "1 THz"]),
    "roll_off": NUMBERS,
    "label": st.sampled_from(["0 B", "3 B", "4 B"]),
    "encapsulation": st.sampled_from(["gse", "rle", "mpe"]),
}
CLASS = {"name": st.sampled_from(["voice", "other", ""]), "dscp": POINTS, "queue": SIZES}
MIX = {**dict.fromkeys(("cra", "rbdc", "vbdc", "avbdc"), AMOUNTS), "rbdc_timeout": DURATIONS, "free": NUMBERS}
SIGNAL = {
    "clear_sky": st.fixed_dictionaries({}, optional={"up": RATIOS, "down": RATIOS}),
    "attenuation": st.fixed_dictionaries({}, optional={"up": FADES, "down": FADES}),
}
FORWARD = {
    "dvbs2": st.fixed_dictionaries(
        {},
        optional={
            **CARRIER,
            "fecframe": st.sampled_from(["normal", "short"]),
            "modcod": st.sampled_from(["8PSK 3/4", "8PSK 9/10", ""]),
            "closing_timeout": DURATIONS,
            "scheduling_period": DURATIONS,
        },
    ),
    "acm": st.fixed_dictionaries({}, optional={"margin": RATIOS, "report_period": DURATIONS}),
    "background": st.lists(
        st.fixed_dictionaries(
            {},
            optional={
                "count": st.integers(-1, 1001),
                "load": st.sampled_from(["0 bit/s", "1 Mbit/s"]),
                "packet": st.sampled_from(["0 B", "40 B", "9 kB"]),
                "on": DURATIONS,
                "off": DURATIONS,
            },
        ),
        max_size=2,
    ),
    "classes": st.lists(
        st.fixed_dictionaries({}, optional={**CLASS, "modcod": st.just("QPSK 1/2")}), max_size=2
    ),
    **SIGNAL,
}
RETURN = {
    "rcs2": st.fixed_dictionaries(
        {"traffic_slots": st.integers(-1, 300), "waveform": st.integers(2, 23)},
        optional={
            **CARRIER,
            **dict.fromkeys(("carriers", "frames", "request_slots"), st.integers(-1, 5)),
            **dict.fromkeys(("guard", "silence", "request_length"), SYMBOLS),
            "signalling": st.fixed_dictionaries(
                {}, optional={"period": st.integers(-1, 5), "size": st.sampled_from(["4 B", "1 kB"])}
            ),
            "lead": DURATIONS,
        },
    ),
    "dama": st.sampled_from(["none", "cra", "mixed", "x"]),
    "mixes": st.fixed_dictionaries({}, optional={"x": st.fixed_dictionaries({}, optional=MIX)}),
    "classes": st.lists(
        st.fixed_dictionaries({}, optional={**CLASS, "mix": st.sampled_from(["cra", "x"])}), max_size=2
    ),
    "background": st.lists(
        st.fixed_dictionaries(
            {},
            optional={
                "count": st.integers(-1, 1001),
                "mix": st.sampled_from(["vbdc", "x"]),
                "load": st.sampled_from(["0 bit/s", "1 Mbit/s"]),
                "packet": st.sampled_from(["0 B", "40 B", "9 kB"]),
            },
        ),
        max_size=2,
    ),
    **SIGNAL,
}


@given(
    st.fixed_dictionaries({}, optional=FORWARD),
    st.fixed_dictionaries({}, optional=RETURN),
    st.sampled_from(["0 ms", "1 ns", "500 ms"]),
)
@settings(max_examples=500)
def test_any_carriers_are_a_link_or_bad_input(forward, back, rtt):
    where = Location(file="test")
    table = {"rtt": rtt, "forward": forward, "return": back}
    with suppress(InputError):
        spec = resolved_link(validated(LinkTable, table, where), where, folder=Path()).spec
        assert (spec["forward"]["capacity"]["kind"], spec["return"]["capacity"]["kind"]) == ("dvbs2", "rcs2")


ANY_SIZE = st.sampled_from(["0 B", "1 B", "24 B", "272 B", "273 B", "256 KiB", "1 TB", "many"])
ANY_HOST_TIME = st.sampled_from(["0 s", "0.5 ms", "-1 ms", "25 h", "x"])
SWITCHES = st.one_of(st.booleans(), st.sampled_from(["on", "off"]))
TIMES = st.sampled_from(["off", "0 s", "250 ms", "never"])
TCP = st.fixed_dictionaries(
    {},
    optional={
        **dict.fromkeys(("initial_window", "initial_receive_window"), st.integers(-1, 10_001)),
        **dict.fromkeys(("fast_open", "nagle", "pacing", "timestamps", "ecn", "quick_ack"), SWITCHES),
        **dict.fromkeys(("connect_retry", "idle_reset"), TIMES),
        **dict.fromkeys(("receive_buffer", "send_buffer"), ANY_SIZE),
    },
)
PROTOCOLS = {
    "http": st.sampled_from(["http10", "http10s", "h1", "h1s", "h2", "h2c", "h3", "spdy"]),
    "cc": st.sampled_from(["reno", "bbr", "x"]),
    "requests_per_connection": st.one_of(st.integers(-1, 101), st.sampled_from(["unlimited", "x"])),
    "pipelining": st.integers(-1, 33),
    "push": st.sampled_from(["0 %", "50 %", "100%", "101 %", "0.1 %", "-1 %", "x"]),
    "priorities": st.sampled_from(["off", "unstated", "on", "x"]),
    "visit": st.sampled_from(["first", "repeat", "x"]),
    "slow_start": st.sampled_from(["linux", "linux-4.15", "hystart++", "search", "loss", "x"]),
    "tcp": TCP,
    "client": st.sampled_from(["loader", "chromium", "firefox", "iperf3", "x"]),
    "server": st.sampled_from(["bentpipe", "nginx", "caddy", "iperf3", "x"]),
    "connections": st.integers(0, 8),
    "tls": st.fixed_dictionaries(
        {},
        optional={
            "version": st.sampled_from(["1.3", "1.2", 1.2, 1.3, 1, "nan"]),
            "resumption": st.sampled_from(["none", "ticket", "early-data", "x"]),
            "key_exchange": st.sampled_from(["x25519", "x25519mlkem768", "x"]),
        },
    ),
    "dns": st.one_of(
        st.sampled_from(["none", "do53", "dot", "doh", "doq", "x"]),
        st.fixed_dictionaries(
            {},
            optional={
                "protocol": st.sampled_from(["none", "do53", "dot", "doh", "doq", "x"]),
                "resolver": st.sampled_from(["gateway", "terminal", "x"]),
                "cache": st.sampled_from(["warm", "cold", "x"]),
                "recursion": st.sampled_from(["0 s", "100 ms", "-1 ms", "25 h", "x"]),
                "connection": st.sampled_from(["cold", "warm", "x"]),
            },
        ),
    ),
    "host": st.dictionaries(
        st.sampled_from(["client", "server", "wakeup_latency", "packet_spacing", "x"]),
        st.one_of(
            st.dictionaries(
                st.sampled_from(["tls_handshake", "tls_record", "quic_packet", "x"]), ANY_HOST_TIME
            ),
            ANY_HOST_TIME,
            st.lists(st.lists(ANY_HOST_TIME, max_size=3), max_size=3),
        ),
    ),
    "http2": st.fixed_dictionaries({}, optional={"header_table": ANY_SIZE, "stream_window": ANY_SIZE}),
    "pep": st.one_of(
        st.sampled_from(["none", "split", "tunnel", "proxy", "masque", "x"]),
        st.fixed_dictionaries(
            {},
            optional={
                "kind": st.sampled_from(["none", "split", "tunnel", "proxy", "masque", "x"]),
                "place": st.sampled_from(["terminal", "gateway", "both", "x"]),
                "cc": st.sampled_from(["hybla", "x"]),
                "relay_buffer": ANY_SIZE,
                "header": ANY_SIZE,
                "tcp": TCP,
            },
        ),
    ),
}


@given(st.fixed_dictionaries({}, optional=PROTOCOLS), st.sampled_from(["page", "bulk", "ping"]))
@settings(max_examples=500)
def test_any_protocols_are_a_run_that_the_engine_takes_or_bad_input(run, workload):
    of_workload = {"page": "single-100k", "bulk": {"size": "1 MB"}, "ping": {}}
    with suppress(InputError):
        spec = document_of({"link": "lan", **run, workload: of_workload[workload]})
        _core.check_spec(json.dumps(spec))


@given(st.text())
@example("a=" + "[" * 10_000)
def test_any_override_is_one_or_bad_input(text):
    with suppress(InputError):
        parse_override(text)
