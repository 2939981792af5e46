"""Means by cell with their intervals: a row for each combination, a mark for each choice."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bentpipe.figures.live import plot as plots
from bentpipe.stats import Summary

if TYPE_CHECKING:
    from bokeh.models import LayoutDOM
    from bokeh.plotting import figure


@dataclass(frozen=True, kw_only=True)
class Mark:
    """One mean. `place` is its height in rows from above, `note` what the pointer is told besides."""

    label: str
    series: str
    place: float
    colour: str
    marker: str
    is_open: bool
    is_best: bool
    summary: Summary
    note: str


def draw(marks: Sequence[Mark], *, rows: Sequence[str], axis_label: str) -> "LayoutDOM":
    """Draw the marks; a click on a series in the legend hides it.

    Parameters
    ----------
    marks : sequence of Mark
        At least one.
    rows : sequence of str
        Names of the rows, from above.
    axis_label : str
        Quantity and unit.
    """
    from bokeh.models import ColumnDataSource, FixedTicker, Range1d

    plot = plots.empty(x_label=axis_label, y_range=Range1d(start=len(rows) - 0.4, end=-0.6))
    pointed = []
    for series in dict.fromkeys(mark.series for mark in marks):
        members = [mark for mark in marks if mark.series == series]
        reaches = [_reach(mark.summary) for mark in members]
        first = members[0]
        source = ColumnDataSource(
            {
                "mean": [_digits(mark.summary.mean) for mark in members],
                "low": [_digits(low) for low, _ in reaches],
                "high": [_digits(high) for _, high in reaches],
                "y": [round(mark.place, 4) for mark in members],
                "n": [mark.summary.n for mark in members],
                "cell": [mark.label for mark in members],
                "note": [mark.note for mark in members],
            }
        )
        plot.segment(x0="low", y0="y", x1="high", y1="y", source=source, color=first.colour, line_width=1.2,
                     legend_label=series)  # fmt: skip
        glyph = plot.scatter(
            "mean",
            "y",
            source=source,
            marker=plots.marker(first.marker),
            size=8,
            line_color=first.colour,
            fill_color="white" if first.is_open else first.colour,
            legend_label=series,
        )
        pointed.append(glyph)
        _draw_rings(plot, members)
    plot.yaxis.ticker = FixedTicker(ticks=list(range(len(rows))))
    plot.yaxis.major_label_overrides = dict(enumerate(rows))
    plot.ygrid.grid_line_color = None
    lowest = min(0.0, *(_reach(mark.summary)[0] for mark in marks))
    plot.x_range = Range1d(start=lowest, end=1.04 * max(_reach(mark.summary)[1] for mark in marks))
    plots.add_hover(
        plot,
        pointed,
        [("", "@cell"), ("mean", "@mean"), ("95 % interval", "@low to @high"), ("n", "@n"), ("", "@note")],
    )
    plots.add_legend(plot, columns=3)
    return plot


def _draw_rings(plot: "figure", members: Sequence[Mark]) -> None:
    best = [mark for mark in members if mark.is_best]
    if best:
        plot.scatter(
            [_digits(mark.summary.mean) for mark in best],
            [round(mark.place, 4) for mark in best],
            marker="circle",
            size=15,
            fill_color=None,
            line_color="#1d1d1f",
            line_width=1.2,
        )


def _reach(summary: Summary) -> tuple[float, float]:
    ci = summary.mean_ci
    return (ci.low, ci.high) if ci else (summary.mean, summary.mean)


def _digits(value: float) -> float:
    return float(f"{value:.6g}")
