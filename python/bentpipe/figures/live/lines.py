"""Lines over one common axis, in one panel or several: distributions, and a run over time."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from bentpipe.figures.bins import Values
from bentpipe.figures.live import plot as plots
from bentpipe.figures.path_marks import SHADES
from bentpipe.figures.style import GREY
from bentpipe.stats import Stretch

if TYPE_CHECKING:
    from bokeh.models import LayoutDOM
    from bokeh.models.renderers import GlyphRenderer
    from bokeh.plotting import figure

_AXIS_PX = 64
"""What labels of four digits take, so that panels start at the same place."""


@dataclass(frozen=True, kw_only=True)
class Line:
    """One series. `label` is what a legend and the pointer call it; `shape` how it is drawn."""

    label: str
    x: Values
    y: Values
    colour: str
    shape: Literal["line", "step-before", "step-after", "dots", "crosses"] = "line"
    dash: str = "solid"


@dataclass(frozen=True, kw_only=True)
class Panel:
    """One set of axes; `level` is a value of y drawn as a dashed line, `mark` one of x."""

    title: str
    y_label: str
    lines: Sequence[Line]
    level: float | None = None
    mark: float | None = None
    is_logarithmic: bool = False
    highest: float | None = None


@dataclass(frozen=True, kw_only=True)
class PathMarks:
    """Where a path changes or is interrupted, in s: lines and bands behind every panel."""

    handovers_s: Values
    stretches: Sequence[Stretch]


NO_MARKS = PathMarks(handovers_s=np.empty(0), stretches=())


def draw(
    panels: Sequence[Panel], *, x_label: str, x_end: float | None = None, marks: PathMarks = NO_MARKS
) -> "LayoutDOM":
    """Draw the panels one below the other; what is zoomed in one is so in all.

    Parameters
    ----------
    panels : sequence of Panel
        From above; those without a line are left out.
    x_label : str
        With the unit.
    x_end : float, optional
        Where the axis ends; without, where the longest line does.
    marks : PathMarks
        Of a path that changes, where x is the time in s.
    """
    from bokeh.models import Range1d

    panels = [panel for panel in panels if panel.lines]
    ends = [float(np.nanmax(line.x)) for panel in panels for line in panel.lines if len(line.x)]
    # Where all values are zero, such as those of a count, there is still an axis.
    end = x_end if x_end is not None else 1.02 * max(ends, default=1.0) or 1.0
    x_range = Range1d(start=0.0, end=end, bounds=(0.0, end))
    drawn = []
    for place, panel in enumerate(panels):
        is_last = place == len(panels) - 1
        plot = plots.empty(
            title=panel.title,
            x_label=x_label if is_last else "",
            y_label=panel.y_label,
            x_range=x_range,
            y_axis_type="log" if panel.is_logarithmic else "linear",
        )
        if len(panels) > 1:
            plot.min_border_left = _AXIS_PX
        if not is_last:
            plot.xaxis.visible = False
        _draw_marks(plot, marks)
        _draw_panel(plot, panel, x_label)
        drawn.append(plot)
    return plots.stacked(drawn)


def _draw_marks(plot: "figure", marks: PathMarks) -> None:
    from bokeh.models.annotations import BoxAnnotation, Span

    for band in marks.stretches:
        shade = SHADES[band.kind]
        plot.add_layout(
            BoxAnnotation(
                left=band.from_s,
                right=band.to_s,
                fill_color=shade,
                fill_alpha=1.0,
                line_color=shade,
                level="underlay",
            )
        )
    for at_s in marks.handovers_s:
        plot.add_layout(
            Span(
                location=float(at_s),
                dimension="height",
                line_color=GREY,
                line_width=0.8,
                line_dash=[3, 2],
                level="underlay",
            )
        )


def _draw_panel(plot: "figure", panel: Panel, x_label: str) -> None:
    from bokeh.models import Range1d
    from bokeh.models.annotations import Span

    has_legend = len({line.label for line in panel.lines}) > 1
    pointed = [_glyph(plot, line, has_legend=has_legend) for line in panel.lines]
    values = [value for line in panel.lines for value in np.asarray(line.y, dtype=float)]
    if not panel.is_logarithmic:
        there = [value for value in [*values, panel.level or 0.0] if not np.isnan(value)]
        top = panel.highest or 1.06 * max(there, default=1.0) or 1.0
        plot.y_range = Range1d(start=min(0.0, min(there, default=0.0)), end=top)
    if panel.level is not None:
        plot.add_layout(Span(location=panel.level, dimension="width", line_color=GREY, line_dash=[4, 2]))
    if panel.mark is not None:
        plot.add_layout(Span(location=panel.mark, dimension="height", line_color=GREY, line_dash=[4, 2]))
    name, unit = _split(x_label)
    rows = [("", "$name"), (name, f"@x{{0.000}}{unit}"), (panel.y_label, "@y{0.[000]}")]
    plots.add_hover(plot, pointed, rows, mode="mouse")
    if has_legend:
        plots.add_legend(plot, columns=3)


def _glyph(plot: "figure", line: Line, *, has_legend: bool) -> "GlyphRenderer[Any]":
    from bokeh.models import ColumnDataSource

    x, y = (line.x, line.y) if line.shape == "crosses" else plots.thinned(line.x, line.y)
    options: dict[str, Any] = {
        "source": ColumnDataSource({"x": plots.short(x), "y": plots.short(y)}),
        "color": line.colour,
        "name": line.label,
        **({"legend_label": line.label} if has_legend else {}),
    }
    match line.shape:
        case "line":
            return plot.line("x", "y", line_width=1.5, line_dash=line.dash, **options)
        case "step-before" | "step-after":
            mode: Literal["before", "after"] = "before" if line.shape == "step-before" else "after"
            return plot.step("x", "y", mode=mode, line_width=1.5, line_dash=line.dash, **options)
        case "dots":
            return plot.scatter("x", "y", size=3, **options)
        case "crosses":
            return plot.scatter("x", "y", marker="x", size=8, **options)


def _split(label: str) -> tuple[str, str]:
    """Return the quantity and the unit of a label such as "Round trip in ms"."""
    name, _, unit = label.rpartition(" in ")
    return (name, f" {unit}") if name else (label, "")
