"""Matplotlib's figures: files, words and numbers."""

import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

from bentpipe.figures import by_cell, by_page_size, byte_layers, connections, overhead, run_over_time, style
from bentpipe.figures.bins import bin_rates_bps
from bentpipe.figures.drawing import interval_caption, save, svg_text
from bentpipe.stats import LAYERS, Layers, summarise
from tests.support.models import record_with

SVG = "{http://www.w3.org/2000/svg}"


def curve(protocol, *, stroke=style.Stroke.SOLID, label="BBR", mean=2.0):
    points = [
        (100_000, summarise([mean, mean + 0.1, mean + 0.2], seed=1)),
        (500_000, summarise([4.0], seed=1)),
    ]
    return by_page_size.Curve(protocol=protocol, stroke=stroke, stroke_label=label, points=points)


def page_size_drawing(*curves):
    panel = by_page_size.Panel(title="Satellite", axis_label="Page load time in s", curves=curves)
    return by_page_size.draw(name="plt", title="Page load time", panels=[panel])


def words(svg):
    return [element.text for element in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def test_text_stays_text_and_axes_name_their_units():
    found = words(svg_text(page_size_drawing(curve("h2"))))
    assert {"Page load time in s", "Page size in kB", "HTTP/2", "Satellite", "100", "500"} <= set(found)


def test_points_stand_near_their_page_size_even_when_there_is_only_one():
    curves = [
        by_page_size.Curve(
            protocol=protocol,
            stroke=style.Stroke.SOLID,
            stroke_label="BBR",
            points=[(500_000, summarise([2.0, 2.1], seed=1))],
        )
        for protocol in ("h1", "h2", "h3")
    ]
    (axis,) = page_size_drawing(*curves).figure.axes
    assert axis.get_xlim() == (0.0, 525.0)
    places = [float(container.lines[0].get_xdata()[0]) for container in axis.containers]
    assert places == [494.0, 500.0, 506.0]


def test_the_axis_of_values_starts_at_zero_and_holds_every_point():
    (axis,) = page_size_drawing(curve("h2", mean=9.0)).figure.axes
    low, high = axis.get_ylim()
    assert low == 0.0
    assert high > 9.2


def test_the_legend_names_a_second_factor_only_when_it_varies():
    alone = words(svg_text(page_size_drawing(curve("h2"), curve("h3"))))
    assert "BBR" not in alone
    both = words(
        svg_text(page_size_drawing(curve("h2"), curve("h2", stroke=style.Stroke.DASHED, label="CUBIC")))
    )
    assert {"BBR", "CUBIC"} <= set(both)


def test_a_protocol_is_drawn_in_its_colour_and_in_no_other_protocols():
    svg = svg_text(page_size_drawing(curve("h3"))).lower()
    assert style.look("h3").colour.lower() in svg
    assert style.look("h2").colour.lower() not in svg


def test_the_caption_says_n_and_which_interval():
    assert page_size_drawing(curve("h2")).caption == (
        "Means with 95 % t intervals, n = 1 to 3 runs per point. A point of one run has no interval."
    )
    assert interval_caption([3, 3]) == "Means with 95 % t intervals, n = 3 runs per point."
    assert interval_caption([]) == "No run to show."


def test_the_same_figure_gives_the_same_bytes(tmp_path):
    first, second = (save(page_size_drawing(curve("h2")), tmp_path / name) for name in ("a", "b"))
    assert first == second
    assert (tmp_path / "a/plt.pdf").read_bytes() == (tmp_path / "b/plt.pdf").read_bytes()


def test_saving_writes_svg_and_pdf_side_by_side(tmp_path):
    svg = save(page_size_drawing(curve("h2")), tmp_path)
    assert (tmp_path / "plt.svg").read_text(encoding="utf-8") == svg
    assert (tmp_path / "plt.pdf").read_bytes().startswith(b"%PDF-")


def test_a_figure_by_cell_has_a_row_for_each_combination_of_the_other_factors():
    marks = [
        by_cell.Mark(
            row=row, protocol=protocol, congestion_control="cubic", summary=summarise([1.0, 2.0], seed=1)
        )
        for row in ("lan", "geo")
        for protocol in ("h2", "h3")
    ]
    drawing = by_cell.draw(name="plt", title="PLT by cell", axis_label="PLT in s", marks=marks)
    found = words(svg_text(drawing))
    assert {"lan", "geo", "HTTP/2, CUBIC", "HTTP/3, CUBIC", "PLT in s"} <= set(found)


def test_more_controls_of_one_protocol_than_strokes_tell_apart_have_colours():
    controls = ("cubic", "bbr", "bbr3")
    marks = [
        by_cell.Mark(row="", protocol="tcp", congestion_control=name, summary=summarise([1.0, 2.0], seed=1))
        for name in controls
    ]
    drawing = by_cell.draw(name="goodput", title="Goodput by cell", axis_label="Mbit/s", marks=marks)
    shown = svg_text(drawing).lower()
    assert all(style.control_look(name).colour.lower() in shown for name in controls)


def test_a_row_with_a_long_name_leaves_room_for_what_it_shows():
    pipe = "base=flat:down=50Mbit/s,up=10Mbit/s,rtt=40ms"
    link = f"{pipe}, forward.schedule=at=0 s at=5 s, state=outage at=5.1 s, delay=40 ms, rate=30 Mbit/s"
    mark = by_cell.Mark(
        row=link, protocol="tcp", congestion_control="bbr", summary=summarise([1.0, 2.0], seed=1)
    )
    drawing = by_cell.draw(name="goodput", title="Goodput by cell", axis_label="Mbit/s", marks=[mark])
    found = words(svg_text(drawing))
    assert {"base=flat:down=50Mbit/s,", "up=10Mbit/s, rtt=40ms,", "forward.schedule=at=0 s …"} <= set(found)
    assert drawing.figure.axes[0].get_position().width > 0.4


def test_a_row_named_by_a_user_is_shown_as_it_is_and_breaks_nothing():
    mark = by_cell.Mark(
        row="<script> & $x^2$", protocol="h2", congestion_control="", summary=summarise([1.0], seed=1)
    )
    svg = svg_text(by_cell.draw(name="x", title="x", axis_label="s", marks=[mark]))
    assert "<script>" not in svg
    assert "<script> & $x^2$" in words(svg)


def test_overhead_shows_published_values_even_where_nothing_was_measured():
    drawing = overhead.draw(
        name="overhead",
        title="Overhead",
        sizes_bytes=[100_000],
        both_directions={},
        forward_only={"h2": {100_000: summarise([10.0, 11.0], seed=1)}},
        published_percent={"h1": {100_000: 11.76}, "h2": {100_000: 11.27}},
    )
    assert {"HTTP/1.1", "HTTP/2", "published", "ours, forward only"} <= set(words(svg_text(drawing)))


def test_rates_come_from_bytes_per_bin_dated_by_its_end():
    link = {"time_s": np.array([0.1, 0.2, 0.35]), "bytes": np.array([125_000.0, 62_500.0, 0.0])}
    assert bin_rates_bps(link, "bytes") == pytest.approx([10e6, 5e6, 0.0])


@pytest.mark.parametrize(("times", "rates"), [([0.1, 0.13], [10e6, 10e6]), ([0.05], [20e6]), ([0.1], [10e6])])
def test_a_short_last_bin_is_rated_over_its_own_length(times, rates):
    sizes = [125_000.0, 37_500.0][: len(times)]
    link = {"time_s": np.array(times), "bytes": np.array(sizes)}
    assert bin_rates_bps(link, "bytes") == pytest.approx(rates)


@pytest.mark.parametrize("link", [{}, {"time_s": np.array([])}])
def test_a_run_without_series_is_drawn_empty(link):
    drawing = run_over_time.draw(
        name="x", title="x", protocol="h2", link=link, sender=link, capacity_bps=None
    )
    assert "Delivered by the link" in words(svg_text(drawing))


def test_connections_of_several_flows_have_their_own_colours_and_names():
    sender = {
        "time_s": np.array([0.1, 0.1]),
        "client_port": np.array([40000.0, 40001.0]),
        **{name: np.ones(2) for name in ("cwnd_bytes", "in_flight_bytes", "srtt_s")},
    }
    flows = {40000: style.control_look("bbr"), 40001: style.control_look("cubic")}
    drawing = run_over_time.draw(
        name="x", title="x", protocol="flows", link={}, sender=sender, capacity_bps=1e6, flows=flows
    )
    colours = [line.get_color() for line in drawing.figure.axes[3].lines]
    assert colours == [look.colour for look in flows.values()]
    assert {"BBR", "CUBIC", "Delivered by the link (dashed: its capacity)"} <= set(words(svg_text(drawing)))


def test_phases_of_careful_resume_stand_behind_the_window_alone():
    phases = [(0.0, "reconnaissance"), (1.2, "unvalidated"), (1.8, "validating"), (2.4, "normal")]
    link = {
        "time_s": np.array([1.0, 5.0]),
        **{name: np.ones(2) for name in ("forward_delivered_bytes", "forward_queue_bytes", "forward_drops")},
    }
    drawing = run_over_time.draw(
        name="x", title="x", protocol="h3", link=link, sender={}, capacity_bps=None, phases=phases
    )
    bands = [
        [(patch.get_x(), round(patch.get_x() + patch.get_width(), 9)) for patch in axis.patches]
        for axis in drawing.figure.axes
    ]
    assert bands == [[], [], [(0.0, 1.2), (1.2, 1.8), (1.8, 2.4)], []]
    assert {"reconnaissance", "unvalidated", "validating"} <= set(words(svg_text(drawing)))


def layers(**changes):
    return Layers(n=3, mean_bytes={**dict.fromkeys(LAYERS, 10_000.0), **changes}, header_ratio=0.25)


def test_a_bar_of_layers_is_as_long_as_all_of_them_and_says_what_headers_were_compressed_to():
    drawing = byte_layers.draw(name="x", title="x", rows={"h2": layers(body=50_000.0), "h3": layers()})
    (axis,) = drawing.figure.axes
    ends = {round(patch.get_y(), 2): patch.get_x() + patch.get_width() for patch in axis.patches}
    assert sorted(ends.values()) == [60.0, 100.0]
    assert {"h2", "h3", "100 (25%)", "60 (25%)", "TLS over TCP", "bodies"} <= set(words(svg_text(drawing)))


def test_a_page_of_many_objects_has_its_points_on_a_logarithmic_axis():
    points = [(count, summarise([1.0, 1.1], seed=1)) for count in (5, 100, 500)]
    curve = by_page_size.Curve(protocol="spdy", stroke=style.Stroke.SOLID, stroke_label="", points=points)
    panel = by_page_size.Panel(title="PEP", axis_label="s", curves=[curve])
    drawing = by_page_size.draw(name="x", title="x", panels=[panel], across=by_page_size.OBJECTS)
    (axis,) = drawing.figure.axes
    assert axis.get_xscale() == "log"
    assert {"Objects of the page", "5", "100", "500", "SPDY"} <= set(words(svg_text(drawing)))


def test_each_connection_is_a_line_from_its_first_packet_to_its_last():
    second = 1_000_000_000
    opened = {"transport": "tcp", "secured_ns": None}
    record = record_with(
        client_connections=[
            {**opened, "started_ns": 0, "connected_ns": second, "closed_ns": 3 * second},
            {**opened, "started_ns": second, "connected_ns": 2 * second, "purpose": "duplicate"},
        ],
        objects=[{"connection": 0, "request_s": 1.0, "last_byte_s": 4.0}],
        spec={"workload": {"kind": "page-load", "http": "h1"}},
    )
    drawing = connections.draw(name="x", title="x", record=record, link={})
    _, activity = drawing.figure.axes
    lines = [[tuple(end) for end in path.vertices] for c in activity.collections for path in c.get_paths()]
    # The second connection was open when the last object was complete.
    assert [(0.0, 0.0), (3.0, 0.0)] in lines
    assert [(1.0, 1.0), (4.0, 1.0)] in lines
    assert "2 connections" in drawing.caption
    assert "1 of them opened because another took long" in drawing.caption
