"""How long the first so many megabytes of a download take: means with 95 % intervals as bands."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from bentpipe.figures import published_mark, style
from bentpipe.figures.drawing import Drawing, interval_caption
from bentpipe.stats import Interval


@dataclass(frozen=True, kw_only=True)
class Point:
    """What the first so many megabytes took, over `n` runs."""

    size_mb: float
    mean_s: float
    ci: Interval | None
    n: int


@dataclass(frozen=True, kw_only=True)
class Panel:
    """A range of sizes, by congestion control, and what is published of each."""

    title: str
    curves: Mapping[str, Sequence[Point]]
    published: Mapping[str, Sequence[published_mark.Mark]] = field(default_factory=dict)


@style.applied()
def draw(*, name: str, title: str, panels: Sequence[Panel]) -> Drawing:
    """Draw the panels one below the other."""
    controls = dict.fromkeys(control for panel in panels for control in panel.curves)
    figure, axes = style.canvas(panels=len(panels), panel_height_in=2.3)
    for panel, axis in zip(panels, axes, strict=True):
        for control, points in panel.curves.items():
            colour = style.control_look(control).colour
            sizes = [point.size_mb for point in points]
            axis.plot(sizes, [point.mean_s for point in points], color=colour)
            axis.fill_between(
                sizes,
                [point.ci.low if point.ci else point.mean_s for point in points],
                [point.ci.high if point.ci else point.mean_s for point in points],
                color=colour,
                alpha=0.25,
                linewidth=0,
            )
        for control, marks in panel.published.items():
            for mark in marks:
                published_mark.draw(axis, mark, style.control_look(control).colour)
        axis.set_title(panel.title)
        axis.set_ylabel("Time in s")
        axis.set_xlim(left=0.0)
        style.from_zero(axis)
    axes[-1].set_xlabel("Size in MB")
    marks = [mark for panel in panels for each in panel.published.values() for mark in each]
    published_mark.legend(figure, controls, marks)
    counts = [point.n for panel in panels for points in panel.curves.values() for point in points]
    return Drawing(name=name, title=title, caption=interval_caption(counts), figure=figure)
