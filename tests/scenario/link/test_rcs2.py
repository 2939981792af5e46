"""A DVB-RCS2 return link as written and as resolved: superframes, mixes, classes, other terminals."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bentpipe.errors import InputError
from bentpipe.model.link import LinkSpec
from bentpipe.scenario.link.description import describe_link
from bentpipe.scenario.link.mix import Supply, mix_spec
from bentpipe.scenario.written.location import Location
from bentpipe.scenario.written.satellite_schema import MixTable
from tests.support.link_file import resolved
from tests.support.refusals import refused

# 1 Msym/s, so that a symbol is a microsecond; 85 bytes in a burst of waveform 5.
LINK = """
rtt = "500 ms"
[forward]
rate = "10 Mbit/s"
[return.rcs2]
symbol_rate = "1 Msym/s"
traffic_slots = 49
waveform = 5
"""
SUPERFRAME_NS = 50 * 540 * 1000
ALL = {"slots": 49, "superframes": 1}
NONE = {"slots": 0, "superframes": 1}


def return_link(tmp_path, text=LINK):
    return resolved(tmp_path, text)["return"]["capacity"]


def mix_of(tmp_path, name, mixes=""):
    text = LINK.replace("[return.rcs2]", f'[return]\ndama = "{name}"\n[return.rcs2]')
    return return_link(tmp_path, text + mixes)["mix"]


def test_a_return_link_is_complete_with_a_symbol_rate_slots_and_a_waveform(tmp_path):
    # Defaults: beside each in defaults.py. One hop is half of 500 ms.
    found = return_link(tmp_path)
    nominal_bps = found.pop("nominal_bps")
    leg = {"clear_sky_db": 20.0, "attenuation": {"points": [], "period_ns": None}}
    assert found == {
        "kind": "rcs2",
        "layout": {
            "symbols_per_s": 1_000_000,
            "carriers": 1,
            "frames": 1,
            "request_slots": 1,
            "traffic_slots": 49,
            "request_symbols": 536,
            "burst_symbols": 536,
            "guard_symbols": 4,
            "idle_symbols": 0,
        },
        "burst": {"kind": "waveform", "id": 5},
        "encapsulation": {
            "kind": "rle",
            "protocol_bytes": 1,
            "label_bytes": 0,
            "protection": "sequence",
        },
        "request_delay_ns": 250_000_000,
        "lead_ns": 250_000_000,
        "signalling": {"kind": "request-slot", "period": 1},
        "placement": "spread",
        "order": "oldest-first",
        "es_n0": {"up": leg, "down": leg},
        "mix": {"cra": ALL, "rbdc": None, "volume": None, "free": "none"},
        "classes": [],
        "background": [],
    }
    # 49 bursts of 85 bytes in 27 ms, of which RLE takes some per cent of full packets.
    payload_bps = 49 * 85 * 8 / 0.027
    assert 0.94 * payload_bps < nominal_bps < payload_bps


def test_written_settings_replace_every_default(tmp_path):
    text = LINK.replace("waveform = 5", "waveform = 13") + (
        "carriers = 3\nframes = 2\nrequest_slots = 4\n"
        'request_length = "262 sym"\nguard = "8 sym"\nsilence = "100 sym"\n'
        'protocol = "2 B"\nlabel = "3 B"\nprotection = "crc"\n'
        "signalling = { period = 4 }\n"
        'placement = "contiguous"\norder = "largest-first"\nlead = "300 ms"\n'
    )
    found = return_link(tmp_path, text)
    assert list(found["layout"].values()) == [1_000_000, 3, 2, 4, 49, 262, 1616, 8, 100]
    assert list(found["encapsulation"].values()) == ["rle", 2, 3, "crc"]
    assert found["signalling"] == {"kind": "request-slot", "period": 4}
    assert (found["placement"], found["order"], found["lead_ns"]) == (
        "contiguous",
        "largest-first",
        300_000_000,
    )


def test_a_request_may_ride_on_data(tmp_path):
    found = return_link(tmp_path, LINK + 'signalling = { period = 2, size = "4 B" }')
    assert found["signalling"] == {"kind": "piggyback", "period": 2, "bytes": 4}


MPEG = LINK.replace("waveform = 5", 'burst = { packets = 2, length = "3008 sym", threshold = "1.71 dB" }')


@pytest.mark.parametrize("kind", ["mpe", "ule"])
def test_bursts_may_carry_mpeg_packets_as_in_dvb_rcs(tmp_path, kind):
    found = return_link(tmp_path, MPEG + f'encapsulation = "{kind}"')
    assert found["burst"] == {"kind": "mpeg", "packets": 2, "threshold_db": 1.71}
    assert found["layout"]["burst_symbols"] == 3008
    assert found["encapsulation"] == {"kind": kind}


def test_a_table_upon_a_return_link_may_choose_the_other_kind_of_burst(tmp_path):
    (tmp_path / "base.toml").write_text(MPEG)
    found = return_link(tmp_path, 'base = "base.toml"\n[return.rcs2]\nwaveform = 3')
    assert found["burst"] == {"kind": "waveform", "id": 3}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("cra", {"cra": ALL, "rbdc": None, "volume": None}),
        # 2 s are 74.07 superframes of 27 ms.
        ("rbdc", {"cra": NONE, "rbdc": {"max": ALL, "timeout_superframes": 75}, "volume": None}),
        ("vbdc", {"cra": NONE, "rbdc": None, "volume": {"kind": "vbdc", "max_slots": 49}}),
        ("avbdc", {"cra": NONE, "rbdc": None, "volume": {"kind": "avbdc", "max_slots": 49}}),
        # 8 % and 46 % of 49 slots: 3.92 and 22.54.
        (
            "mixed",
            {
                "cra": {"slots": 98, "superframes": 25},
                "rbdc": {"max": {"slots": 1127, "superframes": 50}, "timeout_superframes": 75},
                "volume": {"kind": "vbdc", "max_slots": 22},
            },
        ),
    ],
)
def test_every_return_link_has_five_mixes(tmp_path, name, expected):
    assert mix_of(tmp_path, name) == {**expected, "free": "none"}


def test_a_link_may_have_mixes_of_its_own_under_any_name(tmp_path):
    mixes = (
        '[return.mixes.ours]\ncra = "2 slots"\nrbdc = "10.5 slots"\nrbdc_timeout = "270 ms"\nfree = true\n'
    )
    assert mix_of(tmp_path, "ours", mixes) == {
        "cra": {"slots": 2, "superframes": 1},
        "rbdc": {"max": {"slots": 21, "superframes": 2}, "timeout_superframes": 10},
        "volume": None,
        "free": "fca",
    }
    assert mix_of(tmp_path, "cra", '[return.mixes.cra]\ncra = "1 slot"\n')["cra"]["slots"] == 1


def test_a_rate_is_as_many_slots_as_carry_it(tmp_path):
    # 64 kbit/s for 27 ms are 1728 bits, in bursts of 85 bytes.
    cra = mix_of(tmp_path, "ours", '[return.mixes.ours]\ncra = "64 kbit/s"\n')["cra"]
    assert Fraction(cra["slots"], cra["superframes"]) == Fraction(1728, 85 * 8)


def test_a_terminal_that_asks_rarely_keeps_its_rate_until_it_may_ask_again(tmp_path):
    text = LINK.replace("[return.rcs2]", '[return]\ndama = "rbdc"\n[return.rcs2]')
    found = return_link(tmp_path, text + "signalling = { period = 100 }")
    assert found["mix"]["rbdc"]["timeout_superframes"] == 200


AMOUNTS = st.one_of(
    st.integers(0, 300).map(lambda slots: f"{slots} slots"),
    st.integers(0, 100).map(lambda percent: f"{percent} %"),
    st.integers(1, 10**7).map(lambda rate: f"{rate} bit/s"),
)


@given(
    st.fixed_dictionaries(
        {}, optional={**dict.fromkeys(("cra", "rbdc", "vbdc", "avbdc"), AMOUNTS), "free": st.booleans()}
    ),
    st.integers(1, 250),
    st.integers(10, 600),
    st.fractions(Fraction(1, 1000), Fraction(1)),
)
@settings(max_examples=300)
def test_any_mix_is_bad_input_or_within_what_a_terminal_can_send(written, columns, payload, superframe_s):
    supply = Supply(columns=columns, payload_bytes=payload, superframe_s=superframe_s, request_period=1)
    try:
        mix = mix_spec(MixTable(**written), Location(file="test"), supply=supply)
    except InputError:
        return
    rates = [mix["cra"], *([mix["rbdc"]["max"]] if mix["rbdc"] else [])]
    for rate in rates:
        assert 0 <= Fraction(rate["slots"], rate["superframes"]) <= columns
        assert rate["superframes"] >= 1
    assert (mix["rbdc"] is not None) == ("rbdc" in written)
    if mix["volume"] is not None:
        assert 1 <= mix["volume"]["max_slots"] <= columns
        assert mix["volume"]["kind"] in written
    assert mix["free"] == ("fca" if written.get("free") else "none")


CLASSES = """
[[return.classes]]
name = "voice"
dscp = ["EF"]
mix = "mixed"
queue = "10 packets"
"""


def test_a_class_of_the_terminal_has_capacity_of_its_own(tmp_path):
    mixes = '[return.mixes.rest]\nvbdc = "40 %"\n'
    text = LINK.replace("[return.rcs2]", '[return]\ndama = "rest"\n[return.rcs2]') + mixes + CLASSES
    found = return_link(tmp_path, text.replace('"mixed"', '"few"') + '[return.mixes.few]\ncra = "3 slots"\n')
    (voice,) = found["classes"]
    queue = {"kind": "packets", "limit_packets": 10}
    assert voice["class"] == {"name": "voice", "dscp": [46], "queue": queue}
    assert voice["mix"]["cra"] == {"slots": 3, "superframes": 1}
    assert found["mix"]["volume"]["max_slots"] == 19


def test_other_terminals_send_at_random(tmp_path):
    text = LINK + (
        '[[return.background]]\ncount = 19\nmix = "vbdc"\nload = "256 kbit/s"\n'
        '[[return.background]]\nmix = "rbdc"\nload = "1 Mbit/s"\npacket = "100 B"\nqueue = "50 kB"\n'
    )
    direction = resolved(tmp_path, text.replace("traffic_slots", "request_slots = 21\ntraffic_slots"))[
        "return"
    ]
    terminals = direction["capacity"]["background"]
    assert len(terminals) == 20
    assert terminals[0] == terminals[18]
    # The queue of this direction: 1 BDP.
    assert terminals[0]["limit_bytes"] == direction["queue"]["limit_bytes"]
    assert terminals[0]["load"] == {"kind": "poisson", "rate_bps": 256_000, "packet_bytes": 1500}
    assert terminals[0]["mix"]["volume"] == {"kind": "vbdc", "max_slots": 49}
    assert (terminals[19]["load"]["packet_bytes"], terminals[19]["limit_bytes"]) == (100, 50_000)


def test_another_terminal_may_send_what_one_once_sent(tmp_path):
    (tmp_path / "sent.csv").write_text("time_s,bytes\n0,1500\n0.25,40\n")
    text = LINK + 'request_slots = 2\n[[return.background]]\nmix = "vbdc"\nfile = "sent.csv"\nevery = "1 s"\n'
    (terminal,) = return_link(tmp_path, text)["background"]
    assert terminal["load"] == {
        "kind": "trace",
        "packets": [{"at_ns": 0, "bytes": 1500}, {"at_ns": 250_000_000, "bytes": 40}],
        "period_ns": 1_000_000_000,
    }


def test_a_report_of_acm_waits_for_a_superframe_of_the_return_link(tmp_path):
    text = LINK.replace('rate = "10 Mbit/s"', 'dvbs2 = { symbol_rate = "4 Msym/s" }\nacm = {}')
    modulation = resolved(tmp_path, text)["forward"]["capacity"]["modulation"]
    assert modulation["report_delay_ns"] == 250_000_000 + SUPERFRAME_NS


def test_the_longest_wait_covers_a_cycle_of_asking(tmp_path):
    # docs/models/dama.md: at most b + d + l + c + b and n + 1 superframes.
    text = LINK.replace("[return.rcs2]", '[return]\ndama = "vbdc"\n[return.rcs2]')
    for period in (1, 4):
        found_ns = longest_wait_ns(tmp_path, text + f"signalling = {{ period = {period} }}")
        closed_form_ns = 500_000_000 + 3 * 540_000 + (period + 1) * SUPERFRAME_NS
        assert closed_form_ns <= found_ns <= closed_form_ns + 2 * SUPERFRAME_NS
    assert longest_wait_ns(tmp_path, LINK) == SUPERFRAME_NS


def longest_wait_ns(tmp_path, text):
    return describe_link(LinkSpec.model_validate(resolved(tmp_path, text))).return_.longest_wait_ns


@pytest.mark.parametrize("text", [LINK, MPEG], ids=["RCS2", "RCS"])
@pytest.mark.parametrize("dama", ["cra", "rbdc", "vbdc", "avbdc", "mixed"])
def test_the_engine_accepts_the_link(tmp_path, text, dama):
    text = text.replace("[return.rcs2]", f'[return]\ndama = "{dama}"\n[return.rcs2]')
    describe_link(LinkSpec.model_validate(resolved(tmp_path, text)))


def test_the_engine_s_refusal_is_bad_input(tmp_path):
    # Two terminals, one request slot.
    text = LINK + '[[return.background]]\nmix = "cra"\nload = "1 kbit/s"\n'
    with pytest.raises(InputError) as caught:
        resolved(tmp_path, text)
    assert caught.value.field == "return.rcs2.request_slots"


# What stands in place of what; the field; a part of what is expected; a part of what is found.
REFUSED = {
    "a rate beside it": (
        "[return.rcs2]",
        '[return]\nrate = "1 Mbit/s"\n[return.rcs2]',
        "return.rate",
        "presets that end in -flat",
        '"1 Mbit/s"',
    ),
    "no slots": ("traffic_slots = 49", "", "return.rcs2.traffic_slots", "the traffic slots", "nothing"),
    "too many slots": ("= 49", "= 49000\nframes = 3", "return.rcs2.traffic_slots", "100000", "147000 slots"),
    "no carrier": ("= 49", "= 49\ncarriers = 0", "return.rcs2.carriers", "from 1", "0"),
    "no symbols": ('symbol_rate = "1 Msym/s"', "", "return.rcs2.symbol_rate", "a symbol rate", "nothing"),
    "no burst": ("waveform = 5", "", "return.rcs2.waveform", "or the table burst", "nothing"),
    "two bursts": (
        "waveform = 5",
        "waveform = 5\nburst = { packets = 1 }",
        "return.rcs2.burst.packets",
        "nothing, as waveform",
        "1",
    ),
    "an unknown waveform": ("waveform = 5", "waveform = 2", "return.rcs2.waveform", "from 3 to 22", "2"),
    "a burst of nothing": (
        "waveform = 5",
        'burst = { length = "9 sym", threshold = "1 dB" }',
        "return.rcs2.burst.packets",
        "the MPEG packets",
        "nothing",
    ),
    "a burst of no length": (
        "waveform = 5",
        'burst = { packets = 1, threshold = "1 dB" }',
        "return.rcs2.burst.length",
        '"1504 sym"',
        "nothing",
    ),
    "a burst of no threshold": (
        "waveform = 5",
        'burst = { packets = 1, length = "1504 sym" }',
        "return.rcs2.burst.threshold",
        "one burst of 100 000",
        "nothing",
    ),
    "a guard of half a symbol": (
        "waveform = 5",
        'waveform = 5\nguard = "0.5 sym"',
        "return.rcs2.guard",
        "whole symbols from 0 sym",
        '"0.5 sym"',
    ),
    "an encapsulation of the other burst": (
        "waveform = 5",
        'waveform = 5\nencapsulation = "mpe"',
        "return.rcs2.encapsulation",
        '"rle" in bursts of a waveform',
        '"mpe"',
    ),
    "a label beside mpe": (
        "waveform = 5",
        'label = "0 B"\nburst = { packets = 1, length = "1504 sym", threshold = "1 dB" }',
        "return.rcs2.label",
        "nothing, as mpe has none",
        '"0 B"',
    ),
    "a placement unheard of": (
        "waveform = 5",
        'waveform = 5\nplacement = "random"',
        "return.rcs2.placement",
        "one of spread, contiguous",
        '"random"',
    ),
    "requests never": (
        "waveform = 5",
        "waveform = 5\nsignalling = { period = 0 }",
        "return.rcs2.signalling.period",
        "from 1",
        "0",
    ),
    "dama that is no mix": (
        "[return.rcs2]",
        '[return]\ndama = "rbcd"\n[return.rcs2]',
        "return.dama",
        "one of cra, rbdc, vbdc, avbdc, mixed",
        '"rbcd"',
    ),
    "a scheme without slots": (
        '[return.rcs2]\nsymbol_rate = "1 Msym/s"\ntraffic_slots = 49\nwaveform = 5',
        '[return]\nrate = "1 Mbit/s"\ndama = "rbdc"',
        "return.dama",
        '"none", as there is no rcs2',
        '"rbdc"',
    ),
    "mixes without slots": (
        '[return.rcs2]\nsymbol_rate = "1 Msym/s"\ntraffic_slots = 49\nwaveform = 5',
        '[return]\nrate = "1 Mbit/s"\nmixes = { x = { free = true } }',
        "return.mixes",
        "nothing, as there is no rcs2",
        "a table",
    ),
}
PARTS_REFUSED = {
    "an empty mix": ("[return.mixes.x]", "mixes.x", "some of cra", "an empty table"),
    "a mix of an unknown key": ('[return.mixes.x]\ncar = "1 slot"', "mixes.x.car", "one of avbdc", '"car"'),
    "a mix that is none": ('[return.mixes]\nx = "1 slot"', "mixes.x", "a table", '"1 slot"'),
    "a capacity that is a number": ("[return.mixes.x]\ncra = 3", "mixes.x.cra", '"18 slots"', "3"),
    "a capacity without a unit": ('[return.mixes.x]\ncra = "3"', "mixes.x.cra", '"18 slots"', '"3"'),
    "more than there is": (
        '[return.mixes.x]\ncra = "50 slots"',
        "mixes.x.cra",
        "at most 49 slots",
        '"50 slots"',
    ),
    "a rate above what there is": (
        '[return.mixes.x]\nrbdc = "2 Mbit/s"',
        "mixes.x.rbdc",
        "at most 49 slots",
        "79.4",
    ),
    "a volume of half a slot": (
        '[return.mixes.x]\nvbdc = "0.5 slots"',
        "mixes.x.vbdc",
        "at least one slot",
        '"0.5 slots"',
    ),
    "two volumes": (
        '[return.mixes.x]\nvbdc = "1 slot"\navbdc = "1 slot"',
        "mixes.x.avbdc",
        "nothing, as vbdc",
        '"1 slot"',
    ),
    "a timeout of nothing": (
        '[return.mixes.x]\ncra = "1 slot"\nrbdc_timeout = "1 s"',
        "mixes.x.rbdc_timeout",
        "nothing, as there is no rbdc",
        '"1 s"',
    ),
    "a class without a mix": (
        CLASSES.replace('mix = "mixed"', ""),
        "classes.1.mix",
        "the name of a mix",
        "nothing",
    ),
    "a class of an unknown mix": (
        CLASSES.replace("mixed", "mixt"),
        "classes.1.mix",
        "one of cra",
        '"mixt"',
    ),
    "another terminal without a mix": (
        '[[return.background]]\nload = "1 kbit/s"',
        "background.1.mix",
        "the name of a mix",
        "nothing",
    ),
    "another terminal that sends nothing": (
        '[[return.background]]\nmix = "cra"',
        "background.1.load",
        "or file",
        "nothing",
    ),
    "another terminal that sends twice": (
        '[[return.background]]\nmix = "cra"\nload = "1 kbit/s"\nfile = "x.csv"',
        "background.1.load",
        "nothing, as file",
        '"1 kbit/s"',
    ),
    "a random load that starts again": (
        '[[return.background]]\nmix = "cra"\nload = "1 kbit/s"\nevery = "1 s"',
        "background.1.every",
        "nothing, as a load at random",
        '"1 s"',
    ),
    "a packet above the largest": (
        '[[return.background]]\nmix = "cra"\nload = "1 kbit/s"\npacket = "9 kB"',
        "background.1.packet",
        "to 1.5 kB",
        '"9 kB"',
    ),
    "too many terminals": (
        '[[return.background]]\nmix = "cra"\nload = "1 kbit/s"\ncount = 999\n'
        '[[return.background]]\nmix = "cra"\nload = "1 kbit/s"\ncount = 2',
        "background",
        "at most 1000 terminals",
        "1001 terminals",
    ),
    "a terminal that is text": ('[return]\nbackground = ["x"]', "background.1", "a list of tables", '"x"'),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_return_link_is_refused_where_it_stands(tmp_path, name):
    old, new, field, expected, found = REFUSED[name]
    assert old in LINK
    with refused(field, expected=expected, found=found):
        resolved(tmp_path, LINK.replace(old, new))


@pytest.mark.parametrize("name", PARTS_REFUSED)
def test_what_is_no_part_of_one_is_refused_where_it_stands(tmp_path, name):
    text, field, expected, found = PARTS_REFUSED[name]
    with refused(f"return.{field}", expected=expected, found=found):
        resolved(tmp_path, LINK + text)


TRACES = {
    "a packet of half a byte": ("0,40\n1,0.5\n", "whole bytes from 1 to 1500", "0.5 at 1 s"),
    "a packet above the largest": ("0,1501\n", "whole bytes from 1 to 1500", "1501 at 0 s"),
}


@pytest.mark.parametrize("name", TRACES)
def test_a_trace_is_refused_that_has(tmp_path, name):
    rows, expected, found = TRACES[name]
    path = tmp_path / "sent.csv"
    path.write_text("time_s,bytes\n" + rows)
    with pytest.raises(InputError) as caught:
        resolved(tmp_path, LINK + '[[return.background]]\nmix = "cra"\nfile = "sent.csv"\n')
    assert caught.value.file == str(path)
    assert (expected, found) == (caught.value.expected, caught.value.found)


def test_a_trace_that_starts_again_before_its_end_is_refused(tmp_path):
    (tmp_path / "sent.csv").write_text("time_s,bytes\n1,40\n")
    text = LINK + '[[return.background]]\nmix = "cra"\nfile = "sent.csv"\nevery = "1 s"\n'
    with refused("return.background.1.every", expected="more than up to its last packet", found='"1 s"'):
        resolved(tmp_path, text)
