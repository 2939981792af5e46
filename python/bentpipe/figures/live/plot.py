"""An empty interactive plot in the style of the figures, and what all of them share."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from bentpipe.figures.bins import Values

if TYPE_CHECKING:
    from bokeh.models import LayoutDOM
    from bokeh.plotting import figure

MOST_POINTS = 800
"""Of a line: about two for each column of pixels that a figure is wide."""
FONT = "system-ui, -apple-system, 'Segoe UI', 'Liberation Sans', Arial, sans-serif"
_INK = "#1d1d1f"
_FAINT = "#E3E3E3"
_FONT_SIZE = "12px"
_MARKERS = {
    "o": "circle", "s": "square", "^": "triangle", "v": "inverted_triangle", "D": "diamond", "P": "plus",
    "X": "x", "<": "triangle",
}  # fmt: skip


def marker(of_matplotlib: str) -> str:
    """Bokeh's name of a marker."""
    return _MARKERS.get(of_matplotlib, "circle")


def empty(*, title: str = "", x_label: str = "", y_label: str = "", **options: Any) -> "figure":
    """Return a plot that fills its place, with zoom, pan and reset; `options` are those of Bokeh's figure."""
    from bokeh.models.annotations import Title
    from bokeh.plotting import figure

    heading = Title(
        text=title, text_font=FONT, text_font_size=_FONT_SIZE, text_font_style="normal", text_color=_INK
    )
    plot = figure(
        title=heading,
        tools="pan,box_zoom,wheel_zoom,reset",
        active_drag="box_zoom",
        # The wheel scrolls the page until it is asked to zoom.
        active_scroll=None,
        toolbar_location="right",
        sizing_mode="stretch_both",
        min_border_right=8,
        output_backend="canvas",
        **options,
    )
    plot.toolbar.logo = None
    plot.toolbar.autohide = True
    plot.outline_line_color = None
    plot.grid.grid_line_color = _FAINT
    for axis, label in ((plot.xaxis, x_label), (plot.yaxis, y_label)):
        axis.axis_label = label or None
        axis.axis_label_text_font = axis.major_label_text_font = FONT
        axis.axis_label_text_font_size = axis.major_label_text_font_size = _FONT_SIZE
        axis.axis_label_text_font_style = "normal"
        axis.minor_tick_line_color = None
    return plot


def add_legend(plot: "figure", *, columns: int) -> None:
    """Put the legend above the plot; a click on an entry hides its series and shows it again."""
    legend = plot.legend[0]
    legend.orientation = "horizontal"
    legend.location = "left"
    legend.ncols = columns
    legend.click_policy = "hide"
    legend.border_line_color = None
    legend.background_fill_alpha = 0
    legend.margin = 0
    legend.spacing = 8
    legend.glyph_height = legend.label_height = 14
    legend.label_text_font = FONT
    legend.label_text_font_size = _FONT_SIZE
    plot.add_layout(legend, "above")


def add_hover(
    plot: "figure",
    renderers: Sequence[Any],
    rows: Sequence[tuple[str, str]],
    *,
    mode: Literal["mouse", "vline", "hline"] = "mouse",
) -> None:
    """Show rows of name and value, such as `@x{0.000} s`, beside what is under the pointer."""
    from bokeh.models import HoverTool

    plot.add_tools(
        HoverTool(renderers=list(renderers), tooltips=list(rows), mode=mode, point_policy="snap_to_data")
    )


def stacked(plots: "Sequence[figure]") -> "LayoutDOM":
    """Put plots one below the other with one set of tools."""
    from bokeh.layouts import gridplot

    if len(plots) == 1:
        return plots[0]
    grid = gridplot(
        [[plot] for plot in plots], toolbar_location="right", sizing_mode="stretch_both", merge_tools=True
    )
    grid.toolbar.logo = None
    grid.toolbar.autohide = True
    return grid


def thinned(x: Values, y: Values) -> tuple[Values, Values]:
    """Return at most `MOST_POINTS` points of a line in which no peak is lost.

    Of neighbours in one of evenly long groups the lowest and the highest are kept, in their order.
    """
    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    if len(x) <= MOST_POINTS:
        return x, y
    kept: list[int] = []
    for group in np.array_split(np.arange(len(x)), MOST_POINTS // 2):
        there = group[~np.isnan(y[group])]
        if len(there):
            kept += sorted({int(there[np.argmin(y[there])]), int(there[np.argmax(y[there])])})
    return x[kept], y[kept]


def short(values: Values) -> "np.ndarray[Any, np.dtype[np.float32]]":
    """Return values in half the bytes: seven digits are more than can be seen."""
    return np.asarray(values, dtype=np.float32)
