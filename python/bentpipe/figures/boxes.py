"""Box plots of one quantity: groups side by side, in each a box per congestion control."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes

from bentpipe.figures import style
from bentpipe.figures.drawing import Drawing, count_range

OUTLIER_IQR = 1.4
"""claypool2020, section 4: what lies further from the box than so many interquartile ranges."""

_WIDTH = 0.8


@dataclass(frozen=True, kw_only=True)
class Panel:
    """One set of axes: by group, by congestion control, the values of the runs."""

    title: str
    axis_label: str
    groups: Mapping[str, Mapping[str, Sequence[float]]]


@style.applied()
def draw(*, name: str, title: str, panels: Sequence[Panel]) -> Drawing:
    """Draw the panels one below the other."""
    controls = list(dict.fromkeys(cc for p in panels for values in p.groups.values() for cc in values))
    figure, axes = style.canvas(panels=len(panels), panel_height_in=1.9)
    for panel, axis in zip(panels, axes, strict=True):
        _draw_panel(axis, panel, controls)
    style.control_legend(figure, controls)
    n = count_range([len(v) for panel in panels for values in panel.groups.values() for v in values.values()])
    caption = (
        "Box: quartiles and median; whiskers: the last values within "
        f"{OUTLIER_IQR:g} interquartile ranges of it; dots: values beyond. n = {n} runs per box."
    )
    return Drawing(name=name, title=title, caption=caption, figure=figure)


def _draw_panel(axis: Axes, panel: Panel, controls: Sequence[str]) -> None:
    for place, values in enumerate(panel.groups.values()):
        for control, sample in values.items():
            look = style.control_look(control)
            step = _WIDTH / len(controls)
            axis.boxplot(
                [sample],
                positions=[place + step * (controls.index(control) - (len(controls) - 1) / 2)],
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
