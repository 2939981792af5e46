"""What the link refuses is reported by the key that its author wrote, with what was expected and found."""

import pytest

from bentpipe import _core
from bentpipe.model.link import LinkSpec
from bentpipe.scenario.link.description import describe_link
from bentpipe.scenario.link.errors import written_key
from bentpipe.scenario.links import link
from bentpipe.scenario.written.link_schema import LinkTable
from tests.support import link_file
from tests.support.link_file import CCM
from tests.support.refusals import refused

# 1 Msym/s: a slot is 540 microseconds, a superframe of 173 and a request slot 93.96 ms; 85 bytes in a burst.
RETURN = """
rtt = "500 ms"
[forward]
rate = "10 Mbit/s"
[return]
dama = "x"
[return.rcs2]
symbol_rate = "1 Msym/s"
traffic_slots = 173
waveform = 5
"""
BUILT_IN = RETURN.replace('dama = "x"', 'dama = "rbdc"')
CLASS = '[[{direction}.classes]]\nname = "voice"\ndscp = "EF"\n{rest}\n'


def mix(text):
    return f"[return.mixes.x]\n{text}\n"


# The link as written; the key; a part of what is expected; what is found.
REFUSED = {
    "a maximum rate beside a constant one": (
        # 100 kbit/s in slots of 85 B: 100 000 x 0.09396 / 680 = 13.818.
        RETURN + mix('rbdc = "171 slots"\ncra = "100 kbit/s"'),
        "return.mixes.x.rbdc",
        "at most 173 slots per superframe together",
        "184.818 slots with these 171",
    ),
    "rates of a class and of the other packets": (
        RETURN
        + mix('cra = "100 slots"')
        + '[return.mixes.y]\ncra = "80 slots"\n'
        + CLASS.format(direction="return", rest='mix = "y"'),
        "return.mixes.x.cra",
        "one terminal of at most 173 slots",
        "180 slots with these 100",
    ),
    "constant rates of all terminals": (
        RETURN.replace("traffic_slots", "request_slots = 3\ntraffic_slots")
        + mix('cra = "60 slots"')
        + '[return.mixes.y]\ncra = "58 slots"\n'
        + '[[return.background]]\nmix = "y"\nload = "1 kbit/s"\ncount = 2\n',
        "return.mixes.y.cra",
        "all terminals of at most 173 slots",
        "176 slots with these 58",
    ),
    "a request slot for two terminals": (
        BUILT_IN + '[[return.background]]\nmix = "cra"\nload = "1 kbit/s"\n',
        "return.rcs2.request_slots",
        "each of 2 terminals",
        "1",
    ),
    "requests in front of data of a built-in mix without a constant rate": (
        BUILT_IN + 'signalling = { size = "8 B" }\n',
        "return.dama",
        "a constant rate",
        "none",
    ),
    "requests in front of data without a constant rate": (
        RETURN + 'signalling = { size = "8 B" }\n' + mix('rbdc = "9 slots"'),
        "return.mixes.x.cra",
        "a constant rate",
        "none",
    ),
    "a class that is never given anything": (
        RETURN
        + mix('rbdc = "9 slots"')
        + '[return.mixes.y]\ncra = "0 slots"\n'
        + CLASS.format(direction="return", rest='mix = "y"'),
        "return.mixes.y",
        "a capacity of its own",
        "none",
    ),
    "superframes too short": (
        BUILT_IN.replace("173", "1").replace('"1 Msym/s"', '"900 Msym/s"'),
        "return.rcs2",
        "superframes of 1 ms to 60 s",
        None,
    ),
    "a burst shorter than its packets": (
        BUILT_IN.replace(
            "waveform = 5", 'burst = { packets = 4, length = "1503 sym", threshold = "4.5 dB" }'
        ),
        "return.rcs2.burst.length",
        "1504 at least",
        "1503",
    ),
    "bursts without room beside a request": (
        RETURN + 'signalling = { size = "85 B" }\n' + mix('cra = "9 slots"'),
        "return.rcs2.waveform",
        "room for a fragment",
        "85",
    ),
    "a load of too many packets": (
        BUILT_IN.replace("traffic_slots", "request_slots = 2\ntraffic_slots")
        + '[[return.background]]\nmix = "cra"\nload = "1 Gbit/s"\npacket = "1 B"\n',
        "return.background",
        "a million packets per second",
        "more",
    ),
    "packets too long for RLE": (
        'mtu = "5000 B"' + BUILT_IN,
        "mtu",
        "the longest packet that the encapsulation takes",
        "5000 B",
    ),
    "a queue of the return link without room": (
        BUILT_IN.replace("[return]", '[return]\nqueue = "1499 B"'),
        "return.queue",
        "1500 at least",
        "1499",
    ),
    "a class's queue of the return link without room": (
        BUILT_IN + CLASS.format(direction="return", rest='mix = "cra"\nqueue = "1499 B"'),
        "return.classes.1.queue",
        "1500 at least",
        "1499",
    ),
    "a queue of a carrier without room": (
        CCM.replace("[forward.dvbs2]", '[forward]\nqueue = "1499 B"\n[forward.dvbs2]'),
        "forward.queue",
        "1500 at least",
        "1499",
    ),
    "a class's queue of a carrier without room": (
        CCM + CLASS.format(direction="forward", rest='queue = "1499 B"'),
        "forward.classes.1.queue",
        "1500 at least",
        "1499",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_the_link_refuses_is_reported_where_it_is_written(tmp_path, name):
    text, field, expected, found = REFUSED[name]
    with refused(field, expected=expected, file=tmp_path / link_file.NAME) as caught:
        link_file.resolved(tmp_path, text)
    assert found is None or caught.value.found == found


def test_a_refusal_of_the_link_has_a_path_what_was_expected_and_what_was_found():
    spec = link("geo-alshagri")
    spec["return"]["capacity"]["layout"]["carriers"] = 0
    with pytest.raises(_core.SpecError) as caught:
        describe_link(LinkSpec.model_validate(spec))
    error = caught.value
    assert (error.path, error.expected, error.found) == ("return.capacity.layout.carriers", "at least 1", "0")
    assert str(error) == "return.capacity.layout.carriers: expected at least 1, found 0"


LINK = LinkTable.model_validate(
    {
        "forward": {"dvbs2": {"bandwidth": "5 MHz"}, "classes": [{"modcod": "QPSK 1/2"}, {}]},
        "return": {
            "rcs2": {"waveform": 5},
            "dama": "x",
            "mixes": {"x": {"rbdc": "1 slot", "avbdc": "1 slot"}},
            "classes": [{"mix": "x"}, {"mix": "cra"}],
            "background": [{"count": 3, "mix": "cra"}, {"mix": "x"}],
        },
    }
)


@pytest.mark.parametrize(
    ("path", "key"),
    [
        ("mtu_bytes", "mtu"),
        ("forward.queue.limit_bytes", "forward.queue"),
        ("forward.capacity.symbols_per_s", "forward.dvbs2.bandwidth"),
        ("forward.capacity.encapsulation.label_bytes", "forward.dvbs2.label"),
        ("forward.capacity.modulation.modcod", "forward.dvbs2.modcod"),
        ("forward.capacity.modulation.modcods[0]", "forward.classes.1.modcod"),
        ("forward.capacity.modulation.modcods[1]", "forward.dvbs2.modcod"),
        ("forward.capacity.modulation.report_period_ns", "forward.acm.report_period"),
        ("forward.capacity.modulation.margin_db", "forward.acm.margin"),
        ("forward.capacity.classes[1].dscp", "forward.classes.2.dscp"),
        ("forward.capacity.es_n0.up.clear_sky_db", "forward.clear_sky.up"),
        ("forward.capacity.es_n0.down.attenuation.points[3].db", "forward.attenuation.down"),
        ("return.capacity.layout", "return.rcs2"),
        ("return.capacity.layout.symbols_per_s", "return.rcs2.symbol_rate"),
        ("return.capacity.layout.burst_symbols", "return.rcs2.waveform"),
        ("return.capacity.layout.idle_symbols", "return.rcs2.silence"),
        ("return.capacity.encapsulation.protocol_bytes", "return.rcs2.protocol"),
        ("return.capacity.encapsulation.kind", "return.rcs2.encapsulation"),
        ("return.capacity.signalling.period", "return.rcs2.signalling.period"),
        ("return.capacity.lead_ns", "return.rcs2.lead"),
        ("return.capacity.request_delay_ns", "return.delay"),
        ("return.capacity.mix.rbdc.max.slots", "return.mixes.x.rbdc"),
        ("return.capacity.mix.volume.max_slots", "return.mixes.x.avbdc"),
        ("return.capacity.mix.rbdc.timeout_superframes", "return.mixes.x.rbdc"),
        ("return.capacity.classes[0].mix.cra", "return.mixes.x.cra"),
        ("return.capacity.classes[1].mix.cra", "return.classes.2.mix"),
        ("return.capacity.background[2].mix.cra", "return.background.1.mix"),
        ("return.capacity.background[3].limit_bytes", "return.background.2.queue"),
    ],
)
def test_each_field_of_a_specification_has_a_key(path, key):
    assert written_key(path, LINK) == key
