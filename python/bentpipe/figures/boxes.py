"""Box plots of one quantity: groups side by side, in each a box per congestion control."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from bentpipe.figures import style
from bentpipe.figures.drawing import Drawing, count_range

OUTLIER_IQR = 1.4
"""claypool2020, section 4: what lies further from the box than so many interquartile ranges."""

_WIDTH = 0.8
_ASIDE = 0.42
"""Of a box's room: how far beside its middle the published mean stands."""
_PUBLISHED: dict[str, Any] = {
    "color": "black", "marker": "D", "markersize": 3.5, "markerfacecolor": "white", "linestyle": "none",
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class MeanSd:
    """A published mean with its standard deviation."""

    mean: float
    sd: float


@dataclass(frozen=True, kw_only=True)
class Panel:
    """One set of axes: by group, by congestion control, the values of the runs, and what is published."""

    title: str
    axis_label: str
    groups: Mapping[str, Mapping[str, Sequence[float]]]
    published: Mapping[str, Mapping[str, MeanSd]] = field(default_factory=dict)


@style.applied()
def draw(*, name: str, title: str, panels: Sequence[Panel]) -> Drawing:
    """Draw the panels one below the other."""
    controls = list(dict.fromkeys(cc for p in panels for values in p.groups.values() for cc in values))
    figure, axes = style.canvas(panels=len(panels), panel_height_in=1.9)
    for panel, axis in zip(panels, axes, strict=True):
        _draw_panel(axis, panel, controls)
    is_published = any(panel.published for panel in panels)
    _legend(figure, controls, is_published=is_published)
    n = count_range([len(v) for panel in panels for values in panel.groups.values() for v in values.values()])
    caption = (
        "Box: quartiles and median; whiskers: the last values within "
        f"{OUTLIER_IQR:g} interquartile ranges of it; dots: values beyond. n = {n} runs per box."
    )
    if is_published:
        caption += " Black: the published mean with its standard deviation."
    return Drawing(name=name, title=title, caption=caption, figure=figure)


def _legend(figure: Figure, controls: Sequence[str], *, is_published: bool) -> None:
    looks = [style.control_look(control) for control in controls]
    keys = [Line2D([], [], color=look.colour, linewidth=4.0, label=look.label) for look in looks]
    if is_published:
        keys.append(Line2D([], [], label="published", **_PUBLISHED))
    figure.legend(
        handles=keys, loc="outside upper left", ncols=len(keys), handlelength=1.0, columnspacing=1.0
    )


def _draw_panel(axis: Axes, panel: Panel, controls: Sequence[str]) -> None:
    step = _WIDTH / len(controls)
    for place, (group, values) in enumerate(panel.groups.items()):
        for control, sample in values.items():
            look = style.control_look(control)
            at = place + step * (controls.index(control) - (len(controls) - 1) / 2)
            theirs = panel.published.get(group, {}).get(control)
            if theirs is not None:
                axis.errorbar(
                    [at + step * _ASIDE], [theirs.mean], yerr=[theirs.sd], capsize=2, elinewidth=0.9,
                    zorder=4, **_PUBLISHED,
                )  # fmt: skip
            axis.boxplot(
                [sample],
                positions=[at],
                widths=0.8 * step,
                whis=OUTLIER_IQR,
                manage_ticks=False,
                patch_artist=True,
                boxprops={"facecolor": look.colour, "edgecolor": look.colour},
                medianprops={"color": "black", "linewidth": 1.2},
                whiskerprops={"color": look.colour, "linewidth": 0.9},
                capprops={"color": look.colour, "linewidth": 0.9},
                flierprops={"marker": ".", "markersize": 3, "markeredgecolor": look.colour},
            )
    axis.set_xticks(range(len(panel.groups)), list(panel.groups))
    axis.set_xlim(-0.5, len(panel.groups) - 0.5)
    axis.grid(visible=False, axis="x")
    axis.set_ylabel(panel.axis_label)
    axis.set_title(panel.title)
    style.from_zero(axis)
