"""A metric by cell of any scenario: one row per combination of the other factors, one mark per protocol."""

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.lines import Line2D

from bentpipe.figures import mean_mark, style
from bentpipe.figures.drawing import Drawing, interval_caption
from bentpipe.stats import Summary

_ROW_HEIGHT_IN = 0.2


@dataclass(frozen=True, kw_only=True)
class Mark:
    """One cell: the row it stands in, its protocol and congestion control, and its summary."""

    row: str
    protocol: str
    congestion_control: str
    summary: Summary


@style.applied()
def draw(*, name: str, title: str, axis_label: str, marks: Sequence[Mark]) -> Drawing:
    """Draw a dot with its interval for each cell; rows in the order of their first mark."""
    rows = list(dict.fromkeys(mark.row for mark in marks))
    variants = list(dict.fromkeys((mark.protocol, mark.congestion_control) for mark in marks))
    height = max(1.2, _ROW_HEIGHT_IN * len(rows) * (1 + 0.3 * len(variants)))
    figure, (axis,) = style.canvas(
        panels=1, panel_height_in=height + 0.5, legend_rows=1 + (len(variants) - 1) // 2
    )
    for mark in marks:
        place = variants.index((mark.protocol, mark.congestion_control))
        shift = (place - (len(variants) - 1) / 2) * 0.8 / len(variants)
        look, stroke = style.look(mark.protocol), style.stroke(mark.congestion_control)
        mean_mark.draw(axis, mark.summary, rows.index(mark.row) + shift, look=look, stroke=stroke)
    axis.set_yticks(range(len(rows)), rows)
    axis.set_ylim(len(rows) - 0.4, -0.6)
    axis.set_xlim(left=min(0.0, axis.get_xlim()[0]))
    axis.grid(visible=False, axis="y")
    axis.set_xlabel(axis_label)
    figure.legend(handles=[_key(*variant) for variant in variants], loc="outside upper left", ncols=2)
    caption = interval_caption([mark.summary.n for mark in marks])
    return Drawing(name=name, title=title, caption=caption, figure=figure)


def _key(protocol: str, congestion_control: str) -> Line2D:
    look = style.look(protocol)
    label = ", ".join(filter(None, (look.label, style.control_label(congestion_control))))
    return mean_mark.key(look, style.stroke(congestion_control), label=label)
