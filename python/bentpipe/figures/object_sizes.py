"""The objects of pages in the order of the page: their sizes, and what a publication has for them."""

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from bentpipe.figures import style
from bentpipe.figures.drawing import Drawing

_BAR = 0.7


@dataclass(frozen=True, kw_only=True)
class PageObjects:
    """One page: its title, and the sizes of its objects in kB, ours and the published ones."""

    title: str
    ours_kb: Sequence[float]
    published_kb: Sequence[float]


@style.applied()
def draw(*, name: str, title: str, pages: Sequence[PageObjects]) -> Drawing:
    """Draw a panel for each page."""
    figure, axes = style.canvas(panels=len(pages), panel_height_in=1.4)
    most = max(len(page.ours_kb) for page in pages)
    for axis, page in zip(axes, pages, strict=True):
        places = range(1, len(page.ours_kb) + 1)
        axis.bar(places, page.ours_kb, width=_BAR, color=style.PALETTE[0])
        axis.hlines(
            page.published_kb,
            [place + 1 - _BAR / 2 for place in range(len(page.published_kb))],
            [place + 1 + _BAR / 2 for place in range(len(page.published_kb))],
            color="black",
            linewidth=1.4,
        )
        axis.set_xlim(0.4, most + 0.6)
        axis.set_xticks(range(1, most + 1))
        axis.grid(visible=False, axis="x")
        axis.set_ylabel("kB")
        style.from_zero(axis)
        axis.set_title(page.title)
    axes[-1].set_xlabel("Object, in the order of the page")
    keys = [
        Line2D([], [], color="black", label="published"),
        Patch(facecolor=style.PALETTE[0], label="ours, as loaded"),
    ]
    figure.legend(handles=keys, loc="outside upper left", ncols=2)
    return Drawing(name=name, title=title, caption="Sizes of bodies.", figure=figure)
