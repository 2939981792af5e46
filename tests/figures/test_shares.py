import numpy as np

from bentpipe.figures import shares, style
from bentpipe.figures.drawing import svg_text
from bentpipe.stats import Competitor, Counter, Span


def line(cc, *, label="a flow", transport="tcp", rate_bps=1e6, from_s=0.0, to_s=300.0):
    total = np.array([0.0, rate_bps / 8 * (to_s - from_s)])
    received = Counter(time_s=np.array([from_s, to_s]), total=total)
    return shares.Line(
        label=label,
        congestion_control=cc,
        transport=transport,
        flow=Competitor(received=received, ran=Span(from_s=from_s, to_s=to_s)),
    )


def drawn(*lines):
    return shares.draw(name="shares-1", title="Flows over time", lines=lines)


def test_each_flow_is_a_line_in_the_colour_of_its_congestion_control_and_quic_is_dashed():
    drawing = drawn(line("cubic"), line("bbr", transport="quic"))
    throughput = drawing.figure.axes[0]
    assert [one.get_color() for one in throughput.lines] == [
        style.control_look(cc).colour for cc in ("cubic", "bbr")
    ]
    assert [one.get_linestyle() for one in throughput.lines] == ["-", "--"]


def test_at_most_sixty_values_are_drawn_and_the_caption_says_over_how_long_they_are():
    drawing = drawn(line("cubic"), line("reno"))
    assert len(drawing.figure.axes[0].lines[0].get_xdata()) == 60
    assert "2 flows, means over 5 s" in drawing.caption


def test_the_index_of_equal_flows_is_one():
    drawing = drawn(line("cubic"), line("reno"), line("hybla"))
    np.testing.assert_allclose(drawing.figure.axes[2].lines[0].get_ydata(), 1.0)


def test_the_shares_of_three_flows_are_three_areas_that_fill_the_panel():
    drawing = drawn(line("cubic"), line("reno", rate_bps=2e6), line("bbr3", rate_bps=1e6))
    areas = drawing.figure.axes[1].collections
    tops = [area.get_paths()[0].vertices[:, 1].max() for area in areas]
    np.testing.assert_allclose(tops, [25, 75, 100])


def test_the_legend_names_each_congestion_control_once():
    text = svg_text(drawn(line("cubic"), line("cubic", transport="quic"), line("vivace")))
    assert text.count(">CUBIC<") == 1
    assert ">PCC Vivace<" in text


def test_flows_of_one_congestion_control_have_colours_and_names_of_their_own():
    drawing = drawn(line("cubic", label="cubic"), line("cubic", label="cubic@20s#EF"))
    colours = [one.get_color() for one in drawing.figure.axes[0].lines]
    assert len(set(colours)) == 2
    text = svg_text(drawing)
    assert ">1: cubic<" in text
    assert ">2: cubic@20s#EF<" in text


def test_more_flows_than_colours_have_those_of_their_congestion_controls():
    drawing = drawn(*[line("cubic")] * 7)
    assert {one.get_color() for one in drawing.figure.axes[0].lines} == {style.control_look("cubic").colour}
