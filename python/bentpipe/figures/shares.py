"""Several flows over time: the throughput of each, its share, and Jain's fairness index."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bentpipe.figures import path_marks, style
from bentpipe.figures.bins import Series
from bentpipe.figures.drawing import Drawing
from bentpipe.figures.flow_looks import Flow, looks
from bentpipe.figures.path_marks import NO_PATH
from bentpipe.figures.style import Stroke
from bentpipe.stats.fairness import Competitor, sharing

MOST_STEPS = 60
"""More would draw each flow's own sawtooth over those of the others."""

_STROKES = {"tcp": Stroke.SOLID, "quic": Stroke.DASHED}


@dataclass(frozen=True, kw_only=True)
class Line(Flow):
    """One flow: what it is, and what it received."""

    flow: Competitor


@style.applied()
def draw(*, name: str, title: str, lines: Sequence[Line], path: Series = NO_PATH) -> Drawing:
    """Draw flows that run on one link; colours are those of `looks`, dashes tell QUIC from TCP.

    `path` is the run's series of that name, where its path changes.
    """
    length_s = max(line.flow.ran.to_s for line in lines)
    step_s = max(1.0, float(np.ceil(length_s / MOST_STEPS)))
    found = sharing([line.flow for line in lines], step_s=step_s)
    figure, (throughput, share, index) = style.canvas(panels=3, panel_height_in=1.6, legend_rows=2)
    path_marks.draw_on((throughput, index), path)
    found_looks = looks(lines)
    for line, look, rates_bps in zip(lines, found_looks, found.throughput_bps, strict=True):
        dash = style.dash(_STROKES[line.transport])
        throughput.plot(found.end_s, rates_bps / 1e6, color=look.colour, linestyle=dash, linewidth=1.1)
    throughput.set_title("Throughput of each flow")
    throughput.set_ylabel("Mbit/s")
    share.set_title("Shares of all that arrived, the first flow at the bottom")
    share.set_ylabel("%")
    share.stackplot(
        found.end_s,
        100 * np.nan_to_num(found.share),
        colors=[look.colour for look in found_looks],
        edgecolor="white",
        linewidth=0.5,
    )
    index.set_title("Jain's fairness index")
    index.plot(found.end_s, found.jain_index, color="black")
    index.axhline(1.0, color=style.GREY, linewidth=1.0, linestyle=(0, (4, 2)))
    for axis in (throughput, share, index):
        axis.set_xlim(0.0, length_s)
    style.from_zero(throughput)
    share.set_ylim(0.0, 100.0)
    index.set_ylim(0.0, 1.05)
    index.set_xlabel("Time since the start of the run in s")
    style.colour_legend(
        figure, {look.label: look.colour for look in found_looks}, columns=4, marks=path_marks.keys(path)
    )
    caption = (
        f"One run of {len(lines)} flows, means over {step_s:.0f} s. QUIC is dashed. The index counts the "
        "flows that ran all the while: 1 when they got the same, 1/n when one of n got everything."
    )
    return Drawing(name=name, title=title, caption=caption, figure=figure)
