"""A DVB-S2 carrier as written and as resolved."""

import pytest

from bentpipe.model.link import LinkSpec
from bentpipe.scenario.link.description import describe_link
from tests.support.link_file import CCM, resolved
from tests.support.refusals import refused

ACM = CCM.replace('modcod = "8PSK 3/4"', "") + "[forward.acm]\n"
CLASSES = """
[[forward.classes]]
name = "voice"
dscp = ["EF", 44]
queue = "50 ms"
[[forward.classes]]
name = "video"
dscp = "AF41"
"""


def carrier(tmp_path, text):
    return resolved(tmp_path, text)["forward"]["capacity"]


def test_a_carrier_is_complete_with_a_symbol_rate_and_a_modcod(tmp_path):
    # Defaults: beside each in defaults.py.
    found = carrier(tmp_path, CCM)
    nominal_bps = found.pop("nominal_bps")
    leg = {"clear_sky_db": 20.0, "attenuation": {"points": [], "period_ns": None}}
    assert found == {
        "kind": "dvbs2",
        "symbols_per_s": 4_000_000,
        "fecframe": "normal",
        "pilots": "off",
        "idle": "dummy-frames",
        "closing_timeout_ns": 0,
        "encapsulation": {"kind": "gse", "label_bytes": 6},
        "modulation": {"kind": "constant", "modcod": "8PSK 3/4"},
        "es_n0": {"up": leg, "down": leg},
        "classes": [],
    }
    # 2.228124 bit per symbol (EN 302 307-1, Table 13), of which GSE takes less than 1 % of full packets.
    assert 0.99 * 4e6 * 2.228124 < nominal_bps < 4e6 * 2.228124


def test_written_settings_replace_every_default(tmp_path):
    text = CCM.replace(
        "[forward.dvbs2]",
        "[forward.dvbs2]\n"
        'fecframe = "short"\npilots = "on"\nidle = "silence"\nclosing_timeout = "3 ms"\nlabel = "3 B"',
    )
    found = carrier(tmp_path, text)
    assert (found["fecframe"], found["pilots"], found["idle"]) == ("short", "on", "silence")
    assert (found["closing_timeout_ns"], found["encapsulation"]["label_bytes"]) == (3_000_000, 3)


def test_frames_may_be_filled_in_steps(tmp_path):
    assert "scheduling_period_ns" not in carrier(tmp_path, CCM)
    stepwise = CCM.replace("[forward.dvbs2]", '[forward.dvbs2]\nscheduling_period = "10 ms"')
    assert carrier(tmp_path, stepwise)["scheduling_period_ns"] == 10_000_000
    with refused("forward.dvbs2.scheduling_period", expected="from 1 us to 24 h", found="999 ns"):
        carrier(tmp_path, stepwise.replace("10 ms", "999 ns"))


OTHERS = """
[[forward.background]]
count = 2
load = "1 Mbit/s"
[[forward.background]]
load = "2 Mbit/s"
packet = "500 B"
on = "5 s"
off = "20 s"
queue = "30 kB"
"""


def test_other_customers_have_a_load_and_a_queue(tmp_path):
    assert "background" not in carrier(tmp_path, CCM)
    direction = resolved(tmp_path, CCM + OTHERS)["forward"]
    first, second, third = direction["capacity"]["background"]
    assert first == second
    # 1 BDP of the carrier, as of the packets that are measured.
    assert first["limit_bytes"] == direction["queue"]["limit_bytes"]
    assert first["load"] == {"kind": "poisson", "rate_bps": 1_000_000, "packet_bytes": 1500}
    assert third == {
        "limit_bytes": 30_000,
        "load": {
            "kind": "on-off",
            "rate_bps": 2_000_000,
            "packet_bytes": 500,
            "on_ns": 5_000_000_000,
            "off_ns": 20_000_000_000,
        },
    }


@pytest.mark.parametrize(
    ("old", "new", "field", "expected"),
    [
        ('on = "5 s"\n', "", "background.2.on", 'a mean duration such as "10 s"'),
        ('"20 s"', '"10 us"', "background.2.off", "from 1 ms to 24 h"),
        ('load = "1 Mbit/s"', "", "background.1.load", "a rate"),
        ("count = 2", "count = 1000", "background", "at most 1000 customers"),
        ('"500 B"', '"1501 B"', "background.2.packet", "1.5 kB"),
        (
            'load = "2 Mbit/s"\npacket = "500 B"',
            'load = "9 Mbit/s"\npacket = "1 B"',
            "background.2",
            "a million",
        ),
    ],
)
def test_other_customers_who_cannot_be_are_refused(tmp_path, old, new, field, expected):
    with refused(f"forward.{field}", expected=expected):
        carrier(tmp_path, CCM + OTHERS.replace(old, new))


@pytest.mark.parametrize("kind", ["mpe", "ule"])
def test_packets_may_travel_in_a_transport_stream(tmp_path, kind):
    assert carrier(tmp_path, CCM + f'encapsulation = "{kind}"')["encapsulation"] == {"kind": kind}


@pytest.mark.parametrize(
    ("roll_off", "symbols_per_s"), [(0.35, 3_703_703), (0.25, 4_000_000), (0.20, 4_166_666)]
)
def test_a_bandwidth_has_as_many_symbols_as_its_roll_off_leaves(tmp_path, roll_off, symbols_per_s):
    # floor(5 MHz / (1 + roll-off))
    text = CCM.replace('symbol_rate = "4 Msym/s"', f'bandwidth = "5 MHz"\nroll_off = {roll_off}')
    assert carrier(tmp_path, text)["symbols_per_s"] == symbols_per_s


def test_acm_is_asked_for_by_its_table(tmp_path):
    # The report travels back in half of 500 ms; at a constant rate it waits for nobody.
    assert carrier(tmp_path, ACM)["modulation"] == {
        "kind": "adaptive",
        "margin_db": 1.0,
        "hysteresis_db": 0.5,
        "report_period_ns": 1_000_000_000,
        "report_delay_ns": 250_000_000,
    }
    written = ACM + (
        'margin = "1.5 dB"\nhysteresis = "0 dB"\nreport_period = "200 ms"\nreport_delay = "300 ms"\n'
    )
    assert list(carrier(tmp_path, written)["modulation"].values())[1:] == [
        1.5,
        0.0,
        200_000_000,
        300_000_000,
    ]


def test_the_nominal_rate_of_acm_is_that_of_a_clear_sky(tmp_path):
    # 20 dB on either leg are 17 dB together; less 1 dB of margin enough for 32APSK 8/9, 4.397854 bit/symbol.
    fade = '[forward.attenuation]\ndown = "10 dB"\n'
    for text in (ACM, ACM + fade):
        assert carrier(tmp_path, text)["nominal_bps"] == pytest.approx(4e6 * 4.397854, rel=0.01)


def test_classes_stand_in_the_order_of_their_urgency(tmp_path):
    found = carrier(tmp_path, CCM + CLASSES)["classes"]
    assert [(each["name"], each["dscp"]) for each in found] == [("voice", [46, 44]), ("video", [34])]
    assert found[0]["queue"] == {"kind": "time", "limit_ns": 50_000_000}
    # 1 BDP of the carrier, as of packets of no class.
    direction = resolved(tmp_path, CCM + CLASSES)["forward"]
    assert found[1]["queue"] == direction["queue"]
    assert found[1]["queue"]["limit_bytes"] == pytest.approx(direction["capacity"]["nominal_bps"] / 16, abs=1)


def test_classes_may_have_modcods_of_their_own(tmp_path):
    # A class without one has the carrier's.
    text = CCM + CLASSES.replace('queue = "50 ms"', 'modcod = "QPSK 1/2"')
    assert carrier(tmp_path, text)["modulation"] == {
        "kind": "by-class",
        "modcods": ["QPSK 1/2", "8PSK 3/4", "8PSK 3/4"],
    }


@pytest.mark.parametrize("text", [CCM, CCM + CLASSES, ACM], ids=["CCM", "classes", "ACM"])
def test_the_engine_accepts_the_link(tmp_path, text):
    describe_link(LinkSpec.model_validate(resolved(tmp_path, text)))


def test_a_table_upon_a_carrier_changes_what_it_writes(tmp_path):
    (tmp_path / "base.toml").write_text(CCM)
    below = carrier(tmp_path, CCM)
    above = carrier(tmp_path, 'base = "base.toml"\n[forward.dvbs2]\nsymbol_rate = "8 Msym/s"')
    assert above["nominal_bps"] == pytest.approx(2 * below["nominal_bps"], rel=1e-6)
    assert above["modulation"] == below["modulation"]


def test_a_table_upon_a_carrier_may_choose_the_other_way_to_say_the_same(tmp_path):
    (tmp_path / "base.toml").write_text(CCM)
    by_bandwidth = carrier(
        tmp_path, 'base = "base.toml"\n[forward.dvbs2]\nbandwidth = "5 MHz"\nroll_off = 0.25'
    )
    assert by_bandwidth["symbols_per_s"] == 4_000_000
    assert carrier(tmp_path, 'base = "base.toml"\n[forward.acm]\n')["modulation"]["kind"] == "adaptive"
    (tmp_path / "base.toml").write_text(ACM)
    constant = carrier(tmp_path, 'base = "base.toml"\n[forward.dvbs2]\nmodcod = "QPSK 1/2"')
    assert constant["modulation"] == {"kind": "constant", "modcod": "QPSK 1/2"}


def test_a_carrier_upon_a_constant_rate_takes_its_place(tmp_path):
    text = 'base = "geo-alshagri-flat"\n' + CCM.partition("[return]\n")[2].partition("\n")[2]
    assert carrier(tmp_path, text)["kind"] == "dvbs2"


# What stands in place of what; the field; a part of what is expected; a part of what is found.
REFUSED = {
    "a rate beside it": (
        "[forward.dvbs2]",
        '[forward]\nrate = "1 Mbit/s"\n[forward.dvbs2]',
        "forward.rate",
        "presets that end in -flat",
        '"1 Mbit/s"',
    ),
    "no symbols": ('symbol_rate = "4 Msym/s"', "", "forward.dvbs2.symbol_rate", "or bandwidth", "nothing"),
    "symbols twice": (
        'symbol_rate = "4 Msym/s"',
        'symbol_rate = "4 Msym/s"\nbandwidth = "5 MHz"',
        "forward.dvbs2.bandwidth",
        "nothing, as symbol_rate",
        '"5 MHz"',
    ),
    "half a symbol": ("4 Msym/s", "0.5 sym/s", "forward.dvbs2.symbol_rate", "whole symbols", '"0.5 sym/s"'),
    "symbols without a unit": ("4 Msym/s", "4", "forward.dvbs2.symbol_rate", "Msym/s", '"4"'),
    "a bandwidth without a roll-off": (
        'symbol_rate = "4 Msym/s"',
        'bandwidth = "5 MHz"',
        "forward.dvbs2.roll_off",
        "0.35, 0.25 or 0.20",
        "nothing",
    ),
    "a roll-off of another standard": (
        'symbol_rate = "4 Msym/s"',
        'bandwidth = "5 MHz"\nroll_off = 0.05',
        "forward.dvbs2.roll_off",
        "0.35, 0.25 or 0.20",
        "0.05",
    ),
    "a bandwidth of nothing": (
        'symbol_rate = "4 Msym/s"',
        'bandwidth = "1 Hz"\nroll_off = 0.25',
        "forward.dvbs2.bandwidth",
        "a bandwidth for 1 sym/s",
        '"1 Hz"',
    ),
    "a negative bandwidth": (
        'symbol_rate = "4 Msym/s"',
        'bandwidth = "-1 MHz"\nroll_off = 0.25',
        "forward.dvbs2.bandwidth",
        "above zero",
        '"-1 MHz"',
    ),
    "no modcod": ('modcod = "8PSK 3/4"', "", "forward.dvbs2.modcod", "or the table acm", "nothing"),
    "a modcod of no standard": ("8PSK 3/4", "8PSK 1/2", "forward.dvbs2.modcod", "QPSK 1/4", '"8PSK 1/2"'),
    "a modcod that short frames lack": (
        "8PSK 3/4",
        '8PSK 9/10"\nfecframe = "short',
        "forward.dvbs2.modcod",
        "with short frames",
        '"8PSK 9/10"',
    ),
    "a modcod beside acm": (
        'modcod = "8PSK 3/4"',
        'modcod = "8PSK 3/4"\n[forward.acm]',
        "forward.dvbs2.modcod",
        "nothing, as acm",
        '"8PSK 3/4"',
    ),
    "a class's modcod beside acm": (
        'modcod = "8PSK 3/4"',
        '[forward.acm]\n[[forward.classes]]\nname = "x"\ndscp = 1\nmodcod = "QPSK 1/2"',
        "forward.classes.1.modcod",
        "nothing, as acm",
        '"QPSK 1/2"',
    ),
    "a margin below zero": (
        'modcod = "8PSK 3/4"',
        '[forward.acm]\nmargin = "-1 dB"',
        "forward.acm.margin",
        "from 0 dB to 20 dB",
        '"-1 dB"',
    ),
    "reports all the time": (
        'modcod = "8PSK 3/4"',
        '[forward.acm]\nreport_period = "1 us"',
        "forward.acm.report_period",
        "a duration from 1 ms",
        '"1 us"',
    ),
    "acm without a carrier": (
        'dvbs2]\nsymbol_rate = "4 Msym/s"\nmodcod = "8PSK 3/4"',
        'acm]\n[forward]\nrate = "1 Mbit/s"',
        "forward.acm",
        "nothing, as there is no dvbs2",
        "a table",
    ),
    "a clear sky without a carrier": (
        'dvbs2]\nsymbol_rate = "4 Msym/s"\nmodcod = "8PSK 3/4"',
        'clear_sky]\nup = "20 dB"\n[forward]\nrate = "1 Mbit/s"',
        "forward.clear_sky.up",
        "nothing, as there is no dvbs2",
        '"20 dB"',
    ),
    "a clear sky without decibels": (
        "[forward.dvbs2]",
        '[forward.clear_sky]\nup = "20"\n[forward.dvbs2]',
        "forward.clear_sky.up",
        'such as "10 dB"',
        '"20"',
    ),
    "frames of another size": (
        "[forward.dvbs2]",
        '[forward.dvbs2]\nfecframe = "medium"',
        "forward.dvbs2.fecframe",
        "one of normal, short",
        '"medium"',
    ),
    "a label beside mpe": (
        "[forward.dvbs2]",
        '[forward.dvbs2]\nencapsulation = "mpe"\nlabel = "3 B"',
        "forward.dvbs2.label",
        "nothing, as mpe has no label",
        '"3 B"',
    ),
    "a label of another length": (
        "[forward.dvbs2]",
        '[forward.dvbs2]\nlabel = "4 B"',
        "forward.dvbs2.label",
        "one of 0 B, 3 B, 6 B",
        '"4 B"',
    ),
    "an unknown key": (
        "[forward.dvbs2]",
        "[forward.dvbs2]\npilot = true",
        "forward.dvbs2.pilot",
        "one of",
        '"pilot"',
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_carrier_is_refused_where_it_stands(tmp_path, name):
    old, new, field, expected, found = REFUSED[name]
    assert old in CCM
    with refused(field, expected=expected, found=found):
        resolved(tmp_path, CCM.replace(old, new))


VOICE = '[[forward.classes]]\nname = "voice"\ndscp = ["EF"]\n'
CLASSES_REFUSED = {
    "a class of no name": ('[[forward.classes]]\ndscp = ["EF"]', "1.name", "a name", "nothing"),
    "a class of the others' name": (VOICE.replace("voice", "other"), "1.name", 'not "other"', '"other"'),
    "a class of capitals": (VOICE.replace("voice", "Voice"), "1.name", "small letters", '"Voice"'),
    "two classes of a name": (VOICE + VOICE.replace("EF", "LE"), "2.name", "of its own", '"voice" twice'),
    "a code point twice": (VOICE + VOICE.replace("voice", "x"), "2.dscp.1", "once", '"EF" twice'),
    "a code point twice in a class": (VOICE.replace('"EF"', '"EF", 46'), "1.dscp.2", "once", "46 twice"),
    "no code point": (VOICE.replace('"EF"', ""), "1.dscp", "code points", "an empty list"),
    "an unknown code point": (VOICE.replace('"EF"', '"AF44"'), "1.dscp.1", "one of DF, CS0", '"AF44"'),
    "a code point of seven bits": (VOICE.replace('"EF"', "64"), "1.dscp.1", "0 to 63", "64"),
    "a code point that is none": (VOICE.replace('"EF"', "1.5"), "1.dscp.1", "a code point", "1.5"),
    "a queue that is none": (VOICE + 'queue = "much"', "1.queue", '"1 BDP"', '"much"'),
}


@pytest.mark.parametrize("name", CLASSES_REFUSED)
def test_what_is_no_class_is_refused_where_it_stands(tmp_path, name):
    text, field, expected, found = CLASSES_REFUSED[name]
    with refused(f"forward.classes.{field}", expected=expected, found=found):
        resolved(tmp_path, CCM + text)


def test_more_classes_than_anybody_can_mean_are_refused(tmp_path):
    text = "".join(f'[[forward.classes]]\nname = "c{n}"\ndscp = {n}\n' for n in range(17))
    with refused("forward.classes", expected="at most 16 classes", found="17 classes"):
        resolved(tmp_path, CCM + text)
