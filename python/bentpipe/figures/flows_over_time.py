"""Flows over time, one of each congestion control: throughput, round trip and retransmissions, stacked."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from bentpipe.figures import published_mark, style
from bentpipe.figures.drawing import Drawing
from bentpipe.stats import Seconds

Marks = Mapping[str, Sequence[published_mark.Mark]]
"""What is published, by congestion control."""


@dataclass(frozen=True, kw_only=True)
class Published:
    """What is published of the throughput in Mbit/s, the round trip in ms and packets retransmitted in %."""

    throughput: Marks = field(default_factory=dict)
    round_trip: Marks = field(default_factory=dict)
    resent: Marks = field(default_factory=dict)


NOTHING = Published()


@style.applied()
def draw(*, name: str, title: str, flows: Mapping[str, Seconds], published: Published = NOTHING) -> Drawing:
    """Draw a line for each flow in each of the three panels; a value stands at the end of its second."""
    figure, (throughput, round_trip, resent) = style.canvas(panels=3, panel_height_in=1.6, legend_rows=2)
    for control, flow in flows.items():
        colour = style.control_look(control).colour
        for axis, values in (
            (throughput, flow.throughput_bps / 1e6),
            (round_trip, flow.rtt_s * 1e3),
            (resent, flow.resent_percent),
        ):
            axis.plot(flow.end_s, values, color=colour, linewidth=1.1)
    panels = (
        (throughput, published.throughput),
        (round_trip, published.round_trip),
        (resent, published.resent),
    )
    for axis, marks in panels:
        for control, each in marks.items():
            for mark in each:
                published_mark.draw(axis, mark, style.control_look(control).colour)
    throughput.set_title("Throughput")
    throughput.set_ylabel("Mbit/s")
    round_trip.set_title("Smoothed round trip")
    round_trip.set_ylabel("ms")
    resent.set_title("Packets retransmitted, of those sent")
    resent.set_ylabel("%")
    # A flow below a second has no whole one.
    end_s = max((float(flow.end_s[-1]) for flow in flows.values() if len(flow.end_s)), default=1.0)
    for axis in (throughput, round_trip, resent):
        axis.set_xlim(0.0, end_s)
        style.from_zero(axis)
    resent.set_xlabel("Time since the start of the flow in s")
    shown = [mark for _, marks in panels for each in marks.values() for mark in each]
    published_mark.legend(figure, flows, shown)
    caption = "One run of each congestion control, the median one by its length; values of each second."
    return Drawing(name=name, title=title, caption=caption, figure=figure)
