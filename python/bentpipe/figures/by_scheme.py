"""A metric by scheme of bandwidth on demand: one mark for each protocol, on a logarithmic axis."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from matplotlib.lines import Line2D
from matplotlib.ticker import LogLocator, NullFormatter, ScalarFormatter

from bentpipe.figures import mean_mark, style
from bentpipe.figures.drawing import Drawing, interval_caption
from bentpipe.stats import Summary

_ROW_IN = 0.95
_SPREAD = 0.72
_PUBLISHED = 0.1
"""Half of the length of its line, which stands out above and below a mark at the same place."""


@dataclass(frozen=True, kw_only=True)
class Marks:
    """One protocol, or a kind of it: its summary by scheme, and what of it a publication prints."""

    label: str
    protocol: str
    stroke: style.Stroke
    summaries: Mapping[str, Summary]
    published: Mapping[str, float]


@style.applied()
def draw(
    *, name: str, title: str, axis_label: str, schemes: Sequence[str], marks: Sequence[Marks]
) -> Drawing:
    """Draw a row for each scheme and in it a mark for each protocol; a short line is the published value."""
    figure, (axis,) = style.canvas(
        panels=1, panel_height_in=0.5 + _ROW_IN * len(schemes), legend_rows=1 + len(marks) // 2
    )
    axis.set_xscale("log")
    for place, mark in enumerate(marks):
        look = style.look(mark.protocol)
        aside = ((place + 0.5) / len(marks) - 0.5) * _SPREAD
        for row, scheme in enumerate(schemes):
            summary = mark.summaries.get(scheme)
            if scheme in mark.published:
                axis.vlines(
                    mark.published[scheme],
                    row + aside - _PUBLISHED,
                    row + aside + _PUBLISHED,
                    color="black",
                    linewidth=1.6,
                )
            if summary is not None:
                mean_mark.draw(axis, summary, row + aside, look=look, stroke=mark.stroke)
    axis.set_yticks(range(len(schemes)), schemes)
    axis.set_ylim(len(schemes) - 0.5, -0.5)
    axis.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axis.xaxis.set_major_formatter(ScalarFormatter())
    axis.xaxis.set_minor_formatter(NullFormatter())
    axis.grid(visible=False, axis="y")
    axis.set_xlabel(axis_label)
    keys = [mean_mark.key(style.look(mark.protocol), mark.stroke, label=mark.label) for mark in marks]
    if any(mark.published for mark in marks):
        keys.append(Line2D([], [], color="black", marker="|", linestyle="none", label="published"))
    figure.legend(handles=keys, loc="outside upper left", ncols=2, handlelength=1.0, columnspacing=0.8)
    counts = [summary.n for mark in marks for summary in mark.summaries.values()]
    return Drawing(name=name, title=title, caption=interval_caption(counts), figure=figure)
