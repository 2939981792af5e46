"""A link as it is specified: where things stand in its figure comes from the specification by hand."""

import copy
import xml.etree.ElementTree as ElementTree

import pytest

from bentpipe.figures import link_plot, packet_path
from bentpipe.figures.drawing import svg_text
from bentpipe.model.link import LinkSpec
from bentpipe.model.rcs2 import MixSpec
from bentpipe.scenario.link.description import describe_link
from bentpipe.scenario.link.mix_words import mix_words
from bentpipe.scenario.links import Link, presets
from tests.support.satellite import DVBS2, MIX, RCS2, classified, constant, link_spec

FEW = {**MIX, "cra": {"slots": 2, "superframes": 1}, "rbdc": None}
SVG = "{http://www.w3.org/2000/svg}"


def drawn(**capacities):
    spec = LinkSpec.model_validate(link_spec(**capacities))
    return link_plot.draw(Link(name="my link.toml", title="A link", source="", assumptions=(), spec=spec))


def words(drawing):
    return " ".join(
        element.text
        for element in ElementTree.fromstring(svg_text(drawing)).iter(f"{SVG}text")
        if element.text
    )


def titles(drawing):
    return [axis.get_title(loc="left").partition(":")[0] for axis in drawing.figure.axes]


def test_a_constant_link_has_one_panel_and_a_carrier_its_own():
    assert titles(drawn(forward=constant(4_000_000), back=constant(1_000_000))) == [
        "Path of a lone packet of 84 B"
    ]
    assert titles(drawn()) == [
        "Path of a lone packet of 84 B",
        "Forward carrier of 4.4 Msymbol/s",
        "Return superframe of 96.4 ms",
        "A burst",
        "What the terminal may have",
        "Attenuation",
    ]


def test_a_figure_is_named_after_its_link_without_what_files_cannot_have():
    assert drawn().name == "my-link.toml"
    assert drawn().title == "my link.toml: A link"


@pytest.mark.parametrize("preset", presets(), ids=lambda preset: preset.name)
def test_every_preset_can_be_drawn(preset):
    assert "Forward, " in words(link_plot.draw(preset))


def stages(**capacities):
    return {path.heading: path.stages for path in paths(LinkSpec.model_validate(link_spec(**capacities)))}


def paths(spec):
    return packet_path.paths(spec, describe_link(spec))


def test_a_packet_on_a_constant_link_is_sent_and_propagates():
    found = stages(forward=constant(4_000_000), back=constant(1_000_000))
    # 84 B at 4 Mbit/s; 260 kB at 4 Mbit/s.
    assert dict(found["Forward, 4 Mbit/s"]) == pytest.approx(
        {"transmission": 84 * 8 / 4e6, "propagation": 0.26, "full queue": 0.52}
    )


def test_a_packet_waits_for_others_to_fill_its_frame_at_most_for_the_closing_timeout():
    found = dict(stages()["Forward, 14.1 Mbit/s"])
    # 16APSK 5/6 with pilots: 90 + 16200 + 11 x 36 symbols.
    assert found["waiting, at most"] == 0.010
    assert found["transmission"] == pytest.approx((90 + 16_200 + 11 * 36) / 4.4e6)


def test_a_packet_on_demand_waits_for_its_request_slot_the_loop_and_a_superframe():
    found = stages()
    superframe_s = 4 * 58 * 540 / 1.3e6
    assert found["Return, 1.07 Mbit/s, on demand"][:4] == [
        ("waiting, at most", pytest.approx(superframe_s)),
        ("request and plan", pytest.approx(536 / 1.3e6 + 0.520)),
        ("waiting, at most", pytest.approx(superframe_s)),
        # 84 B take two bursts of 59 B.
        ("transmission", pytest.approx(2 * 536 / 1.3e6)),
    ]
    # 18 of 228 slots, spread by multiples of 143: the longest way from one to the next is 27.
    assert found["Return, 1.07 Mbit/s, constant rate"][0] == (
        "waiting, at most",
        pytest.approx(superframe_s * 27 / 228),
    )


@pytest.mark.parametrize(
    ("slots", "superframes", "placement", "expected"),
    [
        (1, 3, "spread", 3.0),
        (2, 5, "spread", 3.0),
        # One slot in each superframe, and a second one in some.
        (17, 10, "spread", 1.0),
        (18, 1, "contiguous", 211 / 228),
        (228, 1, "spread", 1 / 228),
    ],
)
def test_the_longest_wait_within_a_constant_rate(slots, superframes, placement, expected):
    mix = {**MIX, "cra": {"slots": slots, "superframes": superframes}, "rbdc": None, "volume": None}
    model = describe_link(
        LinkSpec.model_validate(link_spec(back={**RCS2, "mix": mix, "placement": placement}))
    )
    assert model.return_.rcs2.longest_gap == pytest.approx(expected)


def test_a_delay_that_varies_says_so():
    spec = link_spec(forward=constant(4_000_000), back=constant(1_000_000))
    spec["forward"]["jitter"] = {"kind": "normal", "sd_ns": 10_000_000}
    spec["return"]["jitter"] = {
        "kind": "empirical",
        "hold_ns": 200_000_000,
        "quantiles": [{"p": 0.0, "offset_ns": -20_000_000}, {"p": 1.0, "offset_ns": 20_000_000}],
    }
    # A straight line from -20 to 20 ms is at +-19.8 ms at 0.5 and 99.5 %.
    assert [path.variation for path in paths(LinkSpec.model_validate(spec))] == [
        ", sd 10 ms",
        " \N{MINUS SIGN}20 to +20 ms (99 %)",
    ]


def test_a_terminal_without_a_constant_rate_has_no_path_within_it():
    mix = {**MIX, "cra": {"slots": 0, "superframes": 1}}
    assert [path for path in stages(back={**RCS2, "mix": mix}) if "constant" in path] == []
    assert mix_words(MixSpec.model_validate(mix)) == "RBDC up to 105 + VBDC up to 105"


def test_left_overs_are_named_in_a_mix():
    only_free = {**MIX, "rbdc": None, "volume": None, "free": "fca"}
    assert mix_words(MixSpec.model_validate(only_free)) == "CRA 18 + FCA"


def legend(axis):
    return [text.get_text() for text in axis.get_legend().get_texts()]


def test_clear_sky_its_margin_and_the_modcod_it_gives_stand_in_the_ladder():
    ladder = drawn().figure.axes[1]
    # 1 / (10^-2.5 + 10^-1.35) is 13.2 dB; less a margin of 1 dB it is above 11.61 dB of 16APSK 5/6.
    assert {"clear sky, 13.2 dB", "margin, 1 dB", "16APSK 5/6 in use"} <= set(legend(ladder))
    ring = next(line for line in ladder.lines if line.get_markersize() == 11)
    assert ring.get_xdata()[0] == 11.61


def test_every_modcod_stands_at_its_threshold():
    ladder = drawn().figure.axes[1]
    points = [x for line in ladder.lines if line.get_markersize() == 4.5 for x in line.get_xdata()]
    assert len(points) == 28
    assert {-2.35, 5.50, 8.97, 16.05} <= set(points)


def test_with_vcm_each_class_is_named_at_its_modcod():
    carrier = copy.deepcopy(DVBS2)
    carrier["modulation"] = {"kind": "by-class", "modcods": ["QPSK 1/2", "8PSK 2/3", "8PSK 2/3"]}
    carrier["classes"] = [classified("voice"), {**classified("web"), "dscp": [0]}]
    found = legend(drawn(forward=carrier).figure.axes[1])
    assert "QPSK 1/2: voice" in found
    assert "8PSK 2/3: web, other" in found
    assert "what ACM takes" not in found


def bars(axis):
    return sorted(
        (round(float(path.vertices[:, 0].min()), 6), round(float(path.vertices[:, 0].max()), 6))
        for collection in axis.collections
        for path in collection.get_paths()
    )


def test_slots_of_a_superframe_stand_at_their_symbols():
    layout = {
        **RCS2["layout"],
        "frames": 2,
        "traffic_slots": 3,
        "symbols_per_s": 1_000_000,
        "idle_symbols": 40,
    }
    found = bars(drawn(back={**RCS2, "layout": layout, "mix": FEW}).figure.axes[2 + 0])
    # A slot has 540 symbols of 1 us, guard time included; a frame has four slots and 40 symbols of silence.
    expected = [(start + n * 0.54, start + n * 0.54 + 0.536) for start in (0.0, 2.2) for n in range(4)]
    assert found == [pytest.approx(span) for span in expected]


def test_too_many_slots_to_see_are_drawn_as_one_and_carriers_beyond_six_are_counted():
    layout = {**RCS2["layout"], "traffic_slots": 100, "carriers": 20}
    drawing = drawn(back={**RCS2, "layout": layout})
    # Four frames with a request slot and a block of traffic slots, on each of six carriers.
    assert len(bars(drawing.figure.axes[2])) == 6 * 4 * 2
    assert "(6 of 20 carriers are shown)" in words(drawing)


def test_what_a_burst_carries_and_what_guards_it_is_said():
    found = words(drawn())
    assert "A burst: waveform 4, QPSK 1/2, 59 B" in found
    assert "guard times of 4 black" in found
    unguarded = {**RCS2, "layout": {**RCS2["layout"], "guard_symbols": 0}}
    assert "no guard times" in words(drawn(back=unguarded))


def test_classes_have_a_bar_each():
    each = {"class": classified("voice"), "mix": MIX}
    # 228 slots are enough for the rates of both.
    found = words(drawn(back={**RCS2, "classes": [each], "mix": FEW}))
    assert "voice: CRA 18 + RBDC up to 105 + VBDC up to 105" in found
    assert "What the terminal may have, by class" in found


def test_attenuation_is_drawn_where_there_is_any():
    (line,) = drawn().figure.axes[-1].lines
    assert line.get_ydata().tolist() == [0.0, 0.0, 10.0, 0.0, 0.0]
    assert line.get_xdata()[:4].tolist() == [0.0, 10.0, 20.0, 30.0]
    assert "forward, to the terminal" in words(drawn())
