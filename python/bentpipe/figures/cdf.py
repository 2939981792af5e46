"""Cumulative distributions: one line per congestion control, one panel per case."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from bentpipe.figures import published_mark, style
from bentpipe.figures.drawing import Drawing, count_range
from bentpipe.figures.live import lines
from bentpipe.stats import Distribution


@dataclass(frozen=True, kw_only=True)
class Panel:
    """One set of axes: distributions by congestion control, and what is published of each."""

    title: str
    curves: Mapping[str, Distribution]
    published: Mapping[str, Sequence[published_mark.Mark]] = field(default_factory=dict)


@style.applied()
def draw(*, name: str, title: str, axis_label: str, panels: Sequence[Panel], values: str) -> Drawing:
    """Draw the panels one below the other; `values` says what one value is, in the plural."""
    controls = dict.fromkeys(control for panel in panels for control in panel.curves)
    figure, axes = style.canvas(panels=len(panels), panel_height_in=1.7)
    for panel, axis in zip(panels, axes, strict=True):
        for control, curve in panel.curves.items():
            # Below the smallest value there is nothing.
            steps = ([curve.value[0], *curve.value], [0.0, *curve.share])
            axis.step(*steps, where="post", color=style.control_look(control).colour)
        for control, marks in panel.published.items():
            for mark in marks:
                published_mark.draw(axis, mark, style.control_look(control).colour)
        axis.set_title(panel.title)
        axis.set_ylabel("Share")
        axis.set_ylim(0.0, 1.02)
        axis.set_xlim(left=0.0)
    axes[-1].set_xlabel(axis_label)
    marks = [mark for panel in panels for each in panel.published.values() for mark in each]
    published_mark.legend(figure, controls, marks)
    counts = [curve.n for panel in panels for curve in panel.curves.values()]
    caption = f"{count_range(counts)} {values} per line."
    return Drawing(
        name=name,
        title=title,
        caption=caption,
        figure=figure,
        live=lambda: lines.draw([_live(panel) for panel in panels], x_label=axis_label),
    )


def _live(panel: Panel) -> lines.Panel:
    looks = {control: style.control_look(control) for control in panel.curves}
    curves = [
        lines.Line(
            label=looks[control].label,
            x=np.concatenate([curve.value[:1], curve.value]),
            y=np.concatenate([[0.0], curve.share]),
            colour=looks[control].colour,
            shape="step-after",
        )
        for control, curve in panel.curves.items()
    ]
    return lines.Panel(title=panel.title, y_label="Share", lines=curves, highest=1.02)
