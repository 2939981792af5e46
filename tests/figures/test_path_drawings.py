"""Handovers, silences and outages in figures over time: where they stand comes from the series made here."""

import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

from bentpipe import _core
from bentpipe.figures import (
    connections,
    link_plot,
    link_strip,
    path_marks,
    path_over_time,
    rates_over_time,
    run_over_time,
)
from bentpipe.figures.drawing import svg_text
from bentpipe.figures.live.document import document_json
from bentpipe.model.link import LinkSpec
from bentpipe.scenario.links import Link
from bentpipe.stats import Interruption
from tests.support.path import path_series
from tests.support.satellite import constant, link_spec
from tests.support.synthetic import page_load, series_of

EDGES_S = (6.25, 21.25, 36.25, 51.25)
"""Of the epochs of `path_series`."""
SVG = "{http://www.w3.org/2000/svg}"


def link_series(path):
    ends = path["time_s"]
    return {
        "time_s": ends,
        "forward_delivered_bytes": path["forward_capacity_bps"] * 0.1 / 8,
        "return_delivered_bytes": path["return_capacity_bps"] * 0.1 / 8,
        "forward_queue_bytes": np.zeros(len(ends)),
        "forward_drops": np.zeros(len(ends)),
    }


def over_time(path, **changes):
    return run_over_time.draw(
        name="x", title="x", protocol="h2", link=link_series(path_series()), sender={}, capacity_bps=48e6,
        path=path, **changes,
    )  # fmt: skip


def labels(drawing):
    return [text.get_text() for legend in drawing.figure.legends for text in legend.get_texts()]


def upright(axis):
    """Where vertical lines of the axes stand."""
    return [line.get_xdata()[0] for line in axis.lines if len(set(line.get_xdata())) == 1]


def bands(axis):
    return [patch for patch in axis.patches if patch.get_height() == 1.0]


def test_every_panel_of_a_run_over_time_has_lines_at_handovers_and_bands_at_silences():
    drawing = over_time(path_series(silence_s=0.13))
    for axis in drawing.figure.axes:
        assert upright(axis) == pytest.approx(EDGES_S)
        assert [band.get_x() for band in bands(axis)] == pytest.approx(EDGES_S)
        assert [band.get_width() for band in bands(axis)] == pytest.approx([0.13] * 4)
    assert labels(drawing) == ["handover", "silence"]


def test_a_legend_names_only_the_marks_that_there_are():
    assert labels(over_time(path_series(state="outage"))) == ["handover", "outage"]
    assert labels(over_time(path_series(length_s=5.0))) == []
    assert labels(over_time(path_marks.NO_PATH)) == []


def test_the_capacity_of_a_path_is_drawn_in_steps_in_place_of_one_level():
    found = path_marks.capacity(path_series(), "forward", otherwise_bps=48e6)
    there = found.bps[~np.isnan(found.bps)]
    assert sorted(set(np.round(there / 1e6))) == [36, 40, 48, 52, 63]
    constant_one = path_marks.capacity(path_marks.NO_PATH, "forward", otherwise_bps=48e6)
    assert constant_one.end_s is None
    assert path_marks.capacity(path_marks.NO_PATH, "forward", otherwise_bps=None) is None


def test_too_many_handovers_are_not_drawn_but_silences_are():
    path = path_series(length_s=200.0, epoch_s=2.0, silence_s=0.5)
    assert len(path_marks.handovers(path)) == 0
    assert [key.get_label() for key in path_marks.keys(path)] == ["silence"]


def test_the_interactive_run_has_the_same_marks():
    marked, plain = (
        document_json(over_time(path).live(), name="x") for path in (path_series(), path_marks.NO_PATH)
    )
    # In both panels; a plot of its own has a box for zooming, and the plain one the level of its capacity.
    assert marked.count('"name":"BoxAnnotation"') - plain.count('"name":"BoxAnnotation"') == 2 * len(EDGES_S)
    assert (marked.count('"name":"Span"'), plain.count('"name":"Span"')) == (2 * len(EDGES_S), 1)
    assert '"capacity"' in marked


def test_the_link_strip_has_bands_and_a_capacity_with_gaps_in_silences():
    path = path_series(silence_s=0.13, first_edge_s=6.2)
    svg = link_strip.draw(link=link_series(path), protocol="h2", capacity_bps=48e6, path=path)
    root = ElementTree.fromstring(svg)
    shade = path_marks.SHADES[Interruption.SILENCE]
    assert len([each for each in root.iter(f"{SVG}rect") if each.get("fill") == shade]) == 4
    dashed = [each.get("d") for each in root.iter(f"{SVG}path") if each.get("stroke-dasharray")]
    marks, capacity = dashed
    assert marks.count("M") == 4
    # The row from 6.2 s to 6.3 s is silent throughout, as are those a period later.
    assert capacity.count("M") == 5


def test_rates_over_time_and_connections_are_marked_too():
    path = path_series()
    panel = rates_over_time.Panel(title="x", protocol="h2", link=link_series(path), path=path)
    assert labels(rates_over_time.draw(name="x", title="x", panels=[panel]))[2:] == ["handover", "silence"]
    entry = page_load()
    drawing = connections.draw(
        name="x", title="x", record=entry.record, link=series_of(entry)["link"], path=path
    )
    assert labels(drawing)[3:] == ["handover", "silence"]


def test_a_path_over_time_has_panels_of_capacity_and_delay_and_of_elevation_where_it_is_known():
    def titles(**changes):
        drawing = path_over_time.draw(name="x", title="x", path=path_series(**changes))
        return [axis.get_title(loc="left") for axis in drawing.figure.axes]

    both = ["Capacity", "One-way delay of propagation"]
    assert titles() == both
    assert titles(elevation_deg=40.0) == [*both, "Elevation of the satellite that serves"]


def test_a_direction_that_does_not_change_is_not_drawn():
    path = path_series()
    for name in ("capacity_bps", "delay_s", "silence_s", "outage_s"):
        path[f"return_{name}"] = np.full(len(path["time_s"]), np.nan)
    assert path_over_time.ways(path) == ["forward"]
    assert labels(path_over_time.draw(name="x", title="x", path=path)) == ["forward", "handover", "silence"]


def test_pings_stand_below_their_path_with_a_tick_for_each_lost_one():
    pings = path_over_time.Pings(sent_s=np.arange(4) * 0.02, rtt_s=np.array([0.02, np.nan, 0.03, np.nan]))
    drawing = path_over_time.draw(name="x", title="x", path=path_series(), pings=pings)
    came, lost = (line for line in drawing.figure.axes[-1].lines if line.get_marker() in (".", "|"))
    assert came.get_ydata().tolist() == pytest.approx([20.0, 30.0])
    assert lost.get_xdata().tolist() == pytest.approx([0.02, 0.06])


def test_the_figure_of_a_link_that_changes_has_its_path_below_the_way_of_a_packet(monkeypatch):
    asked = []

    def series(_link_json, seed, span_ns):
        asked.append((seed, span_ns))
        return {name: values.tolist() for name, values in path_series(length_s=180.0).items()}

    monkeypatch.setattr(_core, "schedule_series", series, raising=False)
    written = link_spec(forward=constant(48_000_000), back=constant(10_000_000))
    row = {"at_ns": 0, "loss": 0.0, "state": "open"}
    written["forward"]["schedule"] = {"kind": "table", "rows": [row], "offset_ns": 0}
    spec = LinkSpec.model_validate(written)
    drawing = link_plot.draw(Link(name="x", title="", source="", assumptions=(), spec=spec))
    assert [axis.get_title(loc="left") for axis in drawing.figure.axes] == [
        "Path of a lone packet of 84 B",
        "Capacity",
        "One-way delay of propagation",
    ]
    assert asked == [(1, 180_000_000_000)]
    assert "silence" in svg_text(drawing)
    assert "seed 1" in drawing.caption
