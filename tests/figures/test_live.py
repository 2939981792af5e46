"""Interactive figures: no peak is lost, and the same data as the drawn ones."""

import json

import numpy as np
import pytest

from bentpipe.figures import by_cell, run_over_time
from bentpipe.figures.live import lines, plot
from bentpipe.figures.live.document import document_json
from bentpipe.stats import summarise


def link(bins=3):
    return {
        "time_s": np.arange(1, bins + 1) / 10,
        "forward_delivered_bytes": np.full(bins, 125_000.0),
        "forward_queue_bytes": np.zeros(bins),
        "forward_drops": np.array([0.0, 2.0, *[0.0] * (bins - 2)]),
    }


def test_a_long_line_keeps_its_lowest_and_its_highest_point():
    x = np.arange(100_000.0)
    y = np.zeros(100_000)
    y[12_345], y[54_321] = 7.0, -3.0
    thin_x, thin_y = plot.thinned(x, y)
    assert len(thin_x) <= plot.MOST_POINTS
    assert (thin_y.max(), thin_y.min()) == (7.0, -3.0)
    assert thin_x[thin_y.argmax()] == 12_345
    assert np.all(np.diff(thin_x) > 0)


def test_a_short_line_stays_as_it_is_and_gaps_of_a_long_one_are_left_out():
    x, y = plot.thinned(np.arange(3.0), np.array([1.0, np.nan, 2.0]))
    assert (len(x), np.isnan(y[1])) == (3, True)
    _, y = plot.thinned(np.arange(10_000.0), np.full(10_000, np.nan))
    assert len(y) == 0


def test_the_axis_of_panels_is_one_and_ends_where_the_run_does():
    line = lines.Line(label="a", x=np.array([0.0, 4.0]), y=np.array([1.0, 2.0]), colour="black")
    panels = [lines.Panel(title=title, y_label="kB", lines=[line]) for title in ("one", "two")]
    found = json.loads(document_json(lines.draw(panels, x_label="Time in s", x_end=5.0), name="x"))
    text = json.dumps(found)
    assert text.count('"name": "Range1d", "id": "x-') == 3  # one of x, two of y
    assert '"end": 5.0' in text


def test_a_run_over_time_has_its_panels_and_without_a_senders_series_two():
    drawing = run_over_time.draw(
        name="x", title="x", protocol="h2", link=link(), sender={}, capacity_bps=10e6
    )
    text = document_json(drawing.live(), name="x")
    assert text.count('"name":"Figure"') == 2
    assert "packets lost" in text


def test_the_same_figure_gives_the_same_bytes_each_time():
    mark = by_cell.Mark(
        row="<lan>",
        protocol="h2",
        congestion_control="bbr",
        summary=summarise([1.0, 1.1], seed=1),
        is_best=True,
    )
    drawing = by_cell.draw(name="x", title="x", axis_label="s", marks=[mark])
    first, second = (document_json(drawing.live(), name="x") for _ in range(2))
    assert first == second
    assert "<" not in first
    assert '"x-0"' in first


@pytest.mark.parametrize("shape", ["line", "step-before", "step-after", "dots", "crosses"])
def test_every_shape_of_a_line_is_drawn(shape):
    line = lines.Line(label="a", x=np.array([0.0, 4.0]), y=np.array([1.0, 2.0]), colour="black", shape=shape)
    panel = lines.Panel(title="", y_label="share", lines=[line])
    text = document_json(lines.draw([panel], x_label="Time in s"), name="x")
    assert text.count('"name":"GlyphRenderer"') == 1
