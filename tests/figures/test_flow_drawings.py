"""The figures of downloads and pings: words, places, numbers."""

import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

from bentpipe.figures import boxes, ccdf, cdf, flows_over_time, style, transfer_time
from bentpipe.figures.drawing import count_range, svg_text
from bentpipe.stats import Interval, Seconds, cumulative, exceedance

SVG = "{http://www.w3.org/2000/svg}"


def words(drawing):
    return {element.text for element in ElementTree.fromstring(svg_text(drawing)).iter(f"{SVG}text")}


def box_drawing(values):
    panel = boxes.Panel(
        title="Overall", axis_label="Mbit/s", groups={"mean": {"bbr": values, "cubic": [1.0, 2.0]}}
    )
    return boxes.draw(name="throughput", title="Throughput", panels=[panel])


def test_boxes_are_named_by_group_and_congestion_control():
    assert {"Overall", "mean", "Mbit/s", "BBR", "CUBIC"} <= words(box_drawing([1.0, 2.0, 3.0]))


def test_what_lies_beyond_1_4_interquartile_ranges_is_an_outlier_and_the_whisker_ends_before_it():
    # Quartiles of 0 ... 10 and one more value: 2.75 and 8.25 of 0 ... 11; 8.25 + 1.4 x 5.5 = 15.95.
    values = [float(n) for n in range(11)]
    for farthest, is_outlier in ((15.9, False), (16.1, True)):
        (axis,) = box_drawing([*values, farthest]).figure.axes
        quartiles = np.percentile([*values, farthest], [25, 75])
        assert quartiles.tolist() == [2.75, 8.25]
        ends = [line.get_ydata().max() for line in axis.lines if len(line.get_ydata()) and not _is_dots(line)]
        dots = [value for line in axis.lines if _is_dots(line) for value in line.get_ydata()]
        assert (farthest in dots) is is_outlier
        assert max(ends) == (10.0 if is_outlier else farthest)


def _is_dots(line):
    return line.get_linestyle() == "None"


def test_a_caption_says_how_many_runs_a_box_has():
    assert "n = 2 to 3 runs per box" in box_drawing([1.0, 2.0, 3.0]).caption
    assert count_range([4, 4]) == "4"


def test_a_cumulative_distribution_rises_from_nothing_to_all():
    panel = cdf.Panel(title="Steady", curves={"hybla": cumulative([1.0, 2.0, 4.0])})
    drawing = cdf.draw(name="rtt", title="RTT", axis_label="RTT in ms", panels=[panel], values="seconds")
    (axis,) = drawing.figure.axes
    (line,) = axis.lines
    assert line.get_xdata().tolist() == [1.0, 1.0, 2.0, 4.0]
    assert line.get_ydata() == pytest.approx([0.0, 1 / 3, 2 / 3, 1.0])
    assert drawing.caption == "3 seconds per line."
    assert {"Steady", "RTT in ms", "Share", "Hybla"} <= words(drawing)


def test_a_tail_stands_on_a_logarithmic_axis_with_readable_shares():
    curve = exceedance(np.arange(1000.0))
    drawing = ccdf.draw(
        name="tail", title="Tail", axis_label="RTT in ms", curves={"geo": curve, "lan": curve}
    )
    (axis,) = drawing.figure.axes
    assert axis.get_yscale() == "log"
    assert {"0.001", "0.01", "0.1", "geo", "lan"} <= words(drawing)
    assert len({line.get_color() for line in axis.lines}) == 2


def test_transfer_times_have_a_band_where_there_is_an_interval():
    points = [
        transfer_time.Point(
            size_mb=size, mean_s=4.0 + size, ci=Interval(low=3.0 + size, high=5.0 + size), n=80
        )
        for size in (1, 2)
    ]
    panel = transfer_time.Panel(title="The first MB", curves={"vivace": points})
    drawing = transfer_time.draw(name="times", title="Times", panels=[panel])
    (axis,) = drawing.figure.axes
    (band,) = axis.collections
    heights = band.get_paths()[0].vertices[:, 1]
    assert (heights.min(), heights.max()) == (4.0, 7.0)
    assert "Size in MB" in words(drawing)
    assert "n = 80 runs per point" in drawing.caption


def test_flows_over_time_are_stacked_in_three_panels_in_the_colour_of_their_control():
    seconds = Seconds(
        end_s=np.array([1.0, 2.0]),
        throughput_bps=np.array([10e6, 20e6]),
        rtt_s=np.array([0.6, np.nan]),
        resent_percent=np.array([0.0, 2.0]),
    )
    drawing = flows_over_time.draw(name="flows", title="Flows", flows={"bbr": seconds, "cubic": seconds})
    assert [axis.get_ylabel() for axis in drawing.figure.axes] == ["Mbit/s", "ms", "%"]
    throughput = drawing.figure.axes[0].lines
    assert [line.get_color() for line in throughput] == [
        style.control_look(cc).colour for cc in ("bbr", "cubic")
    ]
    assert throughput[0].get_ydata().tolist() == [10.0, 20.0]
