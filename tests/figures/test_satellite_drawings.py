"""The figures of a satellite link's run: the numbers of the series stand in them, with words for them."""

import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

from bentpipe.figures import class_queues, delay_parts, first_byte, modcod_over_time, slots_over_time
from bentpipe.figures.bins import group_size, last, mean, merged
from bentpipe.figures.drawing import svg_text
from bentpipe.model.dvbs2 import Dvbs2CapacitySpec
from bentpipe.scenario.link.description import modcods
from bentpipe.stats import GRANTS, cumulative
from tests.support.satellite import DELAY_PARTS_S, DVBS2, delayed, demanded, faded, queued

SVG = "{http://www.w3.org/2000/svg}"
LARGEST_BYTES = 250_000


def words(drawing):
    return [element.text for element in ElementTree.fromstring(svg_text(drawing)).iter(f"{SVG}text")]


def drawn(tables):
    return modcod_over_time.draw(
        name="m",
        title="MODCOD",
        acm=tables["acm"],
        link=tables["link"],
        modcods=modcods(Dvbs2CapacitySpec.model_validate(DVBS2)),
        symbols_per_s=DVBS2["symbols_per_s"],
    )


def modcod_drawing(**fade):
    return drawn(faded(**fade))


def test_es_n0_its_reports_and_the_threshold_are_lines_of_their_own():
    acm = faded()["acm"]
    threshold, reported, true, lost = modcod_drawing().figure.axes[0].lines
    np.testing.assert_array_equal(threshold.get_ydata(), acm["threshold_db"])
    np.testing.assert_array_equal(reported.get_ydata(), acm["reported_es_n0_db"])
    np.testing.assert_array_equal(true.get_ydata(), acm["es_n0_db"])
    np.testing.assert_array_equal(lost.get_xdata(), acm["time_s"][acm["frames_lost"] > 0])
    assert len(lost.get_xdata()) > 0


def test_modcods_stand_by_name_at_their_thresholds_and_only_those_in_use():
    names = modcod_drawing(depth_db=0.0, report_s=0.1, delay_s=0.0).figure.axes[2]
    # Clear sky of 13.2 dB less a margin of 1 dB: 16APSK 5/6 at 11.61 dB.
    assert [label.get_text() for label in names.get_yticklabels()] == ["16APSK 5/6"]
    assert names.get_yticks().tolist() == [11.61]


def test_names_of_modcods_do_not_cover_each_other():
    names = modcod_drawing().figure.axes[2]
    low, high = names.get_ylim()
    places = np.sort(names.get_yticks())
    assert len(places) > 4
    # A panel of 2.5 in is 130 points high inside, a name is 8 points high.
    assert np.diff(places).min() > 8 / 150 * (high - low)


def test_the_rate_below_is_what_the_link_delivered_and_what_frames_have_room_for():
    link = faded()["link"]
    delivered, room = modcod_drawing().figure.axes[1].lines
    np.testing.assert_allclose(delivered.get_ydata(), link["forward_delivered_bytes"] * 80 / 1e6)
    efficiency = next(
        m.spectral_efficiency
        for m in modcods(Dvbs2CapacitySpec.model_validate(DVBS2)).values()
        if m.name == "16APSK 5/6"
    )
    assert room.get_ydata()[-1] == pytest.approx(efficiency * 4.4)


def test_a_carrier_without_reports_has_none_in_its_legend():
    tables = faded()
    drawing = drawn({**tables, "acm": {**tables["acm"], "reported_es_n0_db": np.full(400, np.nan)}})
    assert modcod_over_time.REPORTED not in words(drawing)
    assert {modcod_over_time.TRUE, modcod_over_time.THRESHOLD} <= set(words(drawing))


def test_nothing_is_in_use_before_the_first_report_until_a_frame_is_sent():
    tables = faded(depth_db=0.0, report_s=0.1, delay_s=0.0)
    acm = {**tables["acm"], "reported_es_n0_db": tables["acm"]["reported_es_n0_db"].copy()}
    for name, value in (
        ("reported_es_n0_db", np.nan),
        ("modcod", 1.0),
        ("threshold_db", -2.35),
        ("frames", 0.0),
    ):
        acm[name] = np.where(np.arange(len(acm[name])) < 3, value, acm[name])
    drawing = drawn({**tables, "acm": acm})
    threshold, *_ = drawing.figure.axes[0].lines
    assert np.isnan(threshold.get_ydata()[:3]).all()
    assert np.nanmin(threshold.get_ydata()) == 11.61
    acm["frames"] = np.where(np.arange(len(acm["frames"])) == 1, 1.0, acm["frames"])
    threshold, *_ = drawn({**tables, "acm": acm}).figure.axes[0].lines
    assert np.isnan(threshold.get_ydata()[0])
    assert threshold.get_ydata()[1] == -2.35


def test_a_long_run_is_drawn_in_few_bins_and_loses_no_lost_frame():
    tables = faded(length_s=600.0, depth_db=0.0, delay_s=0.0)
    tables["acm"]["frames_lost"][[1234]] = 1.0
    drawing = drawn(tables)
    _, _, true, lost = drawing.figure.axes[0].lines
    assert len(true.get_xdata()) == 600
    # Ten bins are drawn as one; the 1235th is in the one that ends at 124 s.
    assert lost.get_xdata().tolist() == [pytest.approx(124.0)]
    assert len(svg_text(drawing)) < LARGEST_BYTES


def tops(axis):
    """Upper edges of the areas of a panel, from below."""
    return [np.asarray(patch.get_data().values) for patch in axis.patches if patch.get_fill()]


def outlines(axis):
    return [np.asarray(patch.get_data().values) for patch in axis.patches if not patch.get_fill()]


def test_grants_are_stacked_in_the_order_in_which_they_are_given_and_use_is_a_line():
    dama = demanded()
    axis = slots_over_time.draw(name="s", title="S", dama=dama).figure.axes[0]
    stacked = np.cumsum([dama[column] for column in GRANTS], axis=0)
    for area, expected in zip(tops(axis), stacked, strict=True):
        np.testing.assert_array_equal(area, expected)
    np.testing.assert_array_equal(outlines(axis)[0], dama["used_slots"])


def test_what_was_asked_for_and_what_waits_stand_below():
    dama = demanded()
    drawing = slots_over_time.draw(name="s", title="S", dama=dama)
    _, requests, backlog = drawing.figure.axes
    rate, volume = outlines(requests)
    np.testing.assert_array_equal(rate, dama["requested_rate_slots"])
    np.testing.assert_array_equal(volume, dama["requested_volume_slots"])
    np.testing.assert_array_equal(outlines(backlog)[0], dama["backlog_bytes"] / 1000)
    assert {"CRA", "RBDC", "VBDC", "used", "slots", "kB"} <= set(words(drawing))
    assert "FCA" not in words(drawing)


def test_other_terminals_have_a_panel_where_there_are_any():
    drawing = slots_over_time.draw(name="s", title="S", dama=demanded(others=100))
    assert len(drawing.figure.axes) == 4
    assert "Granted to all terminals" in words(drawing)


def test_a_constant_rate_of_parts_of_slots_is_not_taken_for_other_terminals():
    dama = demanded(superframes=5000)
    # As many whole slots as a rate of 1.7 gives; means over 20 of them are not exact.
    dama["granted_cra_slots"] = np.diff(np.floor(1.7 * np.arange(5001)))
    dama["granted_rbdc_slots"] = np.full(5000, 0.3).round(1)
    dama["allocated_slots"] = sum(dama[column] for column in GRANTS)
    assert "Granted to all terminals" not in words(slots_over_time.draw(name="s", title="S", dama=dama))


def test_a_terminal_that_asks_for_nothing_has_no_panel_of_requests():
    dama = demanded()
    dama["requested_volume_slots"] *= 0.0
    found = words(slots_over_time.draw(name="s", title="S", dama=dama))
    assert "Asked for: rate per superframe (RBDC)" in found
    dama["requested_rate_slots"] *= 0.0
    found = words(slots_over_time.draw(name="s", title="S", dama=dama))
    assert not any(word.startswith("Asked for") for word in found)


@pytest.mark.parametrize(("capacity", "is_drawn"), [(228, True), (2280, False)])
def test_all_slots_are_a_line_only_where_grants_can_be_seen_beside_it(capacity, is_drawn):
    found = words(slots_over_time.draw(name="s", title="S", dama=demanded(capacity=capacity)))
    assert ("all slots" in found) is is_drawn
    assert f"Granted to the terminal (areas) and used (line), of {capacity} slots" in found


def test_es_n0_at_the_hub_is_drawn_where_it_moves():
    dama = demanded()
    fading = {**dama, "es_n0_db": 17 - 5 * np.sin(dama["time_s"])}
    axis = slots_over_time.draw(name="s", title="S", dama=fading).figure.axes[-1]
    assert axis.get_title(loc="left") == "Es/N0 at the hub"
    low, high = axis.get_ylim()
    assert low < fading["es_n0_db"].min() < fading["es_n0_db"].max() < high


def test_many_superframes_are_drawn_by_their_means_and_the_caption_says_so():
    drawing = slots_over_time.draw(name="s", title="S", dama=demanded(superframes=5000))
    assert len(tops(drawing.figure.axes[0])[0]) == 250
    assert "means over 20 superframes" in drawing.caption
    assert len(svg_text(drawing)) < LARGEST_BYTES


def test_each_class_has_a_panel_in_each_direction_the_most_urgent_first():
    # A record has its columns in the order of the alphabet.
    classes = queued(length_s=12.0, names=("assured", "other", "voice"))
    drawing = class_queues.draw(name="q", title="Q", classes=classes, order=["voice", "assured"])
    assert [word for word in words(drawing) if ": " in word] == [
        "Forward: voice", "Return: voice",
        "Forward: assured", "Return: assured",
        "Forward: other", "Return: other",
    ]  # fmt: skip
    (line,) = drawing.figure.axes[2].lines
    np.testing.assert_array_equal(line.get_ydata(), classes["forward_assured_queue_bytes"] / 1000)


def test_a_class_of_one_direction_leaves_its_place_in_the_other_empty():
    classes = queued()
    del classes["return_voice_queue_bytes"]
    found = words(class_queues.draw(name="q", title="Q", classes=classes, order=["voice", "assured"]))
    assert "Forward: voice" in found
    assert "Return: voice" not in found


def test_a_class_may_have_underscores_in_its_name():
    classes = queued(names=("very_urgent", "other"))
    found = words(class_queues.draw(name="q", title="Q", classes=classes, order=["very_urgent"]))
    assert "Return: very_urgent" in found


def test_delays_are_stacked_up_to_the_delay_of_a_direction():
    axis = delay_parts.draw(name="d", title="D", delays=delayed()).figure.axes[0]
    highest = max(area.get_paths()[0].vertices[:, 1].max() for area in axis.collections)
    delays = delayed()
    total = sum(delays[name] for name in DELAY_PARTS_S if name.startswith("forward"))
    assert highest == pytest.approx(np.nanmax(total) * 1e3)


def test_a_silence_leaves_a_gap_and_a_bin_without_packets_does_not():
    axis = delay_parts.draw(name="d", title="D", delays=delayed(silent=(12.0, 15.0))).figure.axes[0]
    spans = [
        (path.vertices[:, 0].min(), path.vertices[:, 0].max()) for path in axis.collections[0].get_paths()
    ]
    # Packets arrive in every other bin from the first on, so the last before the silence ends at 11.9 s.
    assert spans == [pytest.approx((0.0, 11.9)), pytest.approx((15.0, 19.9))]


def test_the_bars_are_means_and_the_title_is_their_sum():
    drawing = delay_parts.draw(name="d", title="D", delays=delayed(silent=(5.0, 5.0)))
    axis = drawing.figure.axes[2]
    widths = sorted(bar.get_width() for bar in axis.patches)
    assert widths == pytest.approx(sorted(value * 1e3 for value in DELAY_PARTS_S.values()))
    assert f"Means: together {sum(DELAY_PARTS_S.values()) * 1e3:.0f} ms" in words(drawing)


def test_parts_that_never_occur_are_not_in_the_legend():
    delays = delayed()
    for name in ("return_request_s", "return_slot_s"):
        delays[name] = delays[name] * 0.0
    found = words(delay_parts.draw(name="d", title="D", delays=delays))
    assert {"propagation", "framing or burst", "queue"} <= set(found)
    assert not {"request and plan", "wait for the slot"} & set(found)


def test_a_direction_without_packets_is_empty_and_its_bar_too():
    delays = {
        name: np.full(200, np.nan) if name.startswith("return") else column
        for name, column in delayed().items()
    }
    drawing = delay_parts.draw(name="d", title="D", delays=delays)
    assert len(drawing.figure.axes[1].collections) == 0
    assert "0 ms" in words(drawing)


def test_first_bytes_are_lines_by_scheme_with_the_propagation_that_bounds_them():
    schemes = {"CRA": cumulative([0.53, 0.54]), "VBDC": cumulative([1.2, 1.1, 1.3])}
    drawing = first_byte.draw(name="f", title="F", schemes=schemes, propagation_s=0.52)
    cra, vbdc, bound = drawing.figure.axes[0].lines
    assert cra.get_xdata().tolist() == [0.53, 0.53, 0.54]
    assert vbdc.get_ydata() == pytest.approx([0.0, 1 / 3, 2 / 3, 1.0])
    assert bound.get_xdata() == [0.52, 0.52]
    assert {"CRA", "VBDC", "Round trip in s"} <= set(words(drawing))
    assert drawing.caption.endswith("2 to 3 per line.")


def test_equal_lines_of_two_schemes_are_both_seen():
    same = cumulative([1.2, 1.3])
    axis = first_byte.draw(
        name="f", title="F", schemes={"RBDC": same, "VBDC": same}, propagation_s=None
    ).figure.axes[0]
    below, above = axis.lines
    assert (below.get_linestyle(), above.get_linestyle()) == ("-", "--")
    assert below.get_zorder() < above.get_zorder()


def test_bins_are_put_together_with_a_smaller_last_group():
    values = np.array([1.0, 2.0, 3.0, np.nan, 5.0])
    assert group_size(5, most=2) == 3
    assert merged(values, 3, last).tolist() == [3.0, 5.0]
    assert merged(values, 3, mean).tolist() == [2.0, 5.0]
    assert np.isnan(mean(np.array([np.nan])))
