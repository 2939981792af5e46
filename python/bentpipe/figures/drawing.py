"""A finished figure with its words, and how it becomes files."""

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from matplotlib.figure import Figure

from bentpipe.figures import style

if TYPE_CHECKING:
    from bokeh.models import LayoutDOM

FILE_KINDS = (".svg", ".pdf", ".png")

_DOTS_PER_IN = 200
_TALL = 1.25


@dataclass(frozen=True, kw_only=True)
class Drawing:
    """A figure: `name` is its file's stem, `title` says what is shown, `caption` gives n and the interval.

    `live` makes the interactive one of the same data, where it has one.
    """

    name: str
    title: str
    caption: str
    figure: Figure
    live: "Callable[[], LayoutDOM] | None" = None

    @property
    def is_wide(self) -> bool:
        """Whether it takes the whole width of a page."""
        return float(self.figure.get_figwidth()) > style.WIDTH_IN

    @property
    def is_tall(self) -> bool:
        """Whether it is higher than a screen when it is as wide."""
        return float(self.figure.get_figheight()) > _TALL * float(self.figure.get_figwidth())


def svg_text(drawing: Drawing) -> str:
    """The figure as SVG with text as text; the same figure gives the same bytes."""
    text = io.StringIO()
    with style.applied():
        _settle(drawing)
        drawing.figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    return text.getvalue()


def save(drawing: Drawing, folder: Path) -> str:
    """Write `<name>.svg` and `<name>.pdf` into the folder and return the SVG."""
    folder.mkdir(parents=True, exist_ok=True)
    svg = svg_text(drawing)
    (folder / f"{drawing.name}.svg").write_text(svg, encoding="utf-8")
    # In memory first: where a disk is full, Matplotlib's writer of PDF ends in an error of its own.
    pdf = io.BytesIO()
    with style.applied():
        drawing.figure.savefig(pdf, format="pdf", metadata={"CreationDate": None, "Title": drawing.title})
    (folder / f"{drawing.name}.pdf").write_bytes(pdf.getvalue())
    return svg


def save_as(drawing: Drawing, path: Path) -> None:
    """Write the figure into one file of the kind that its suffix says, one of `FILE_KINDS`."""
    if path.suffix == ".svg":
        path.write_text(svg_text(drawing), encoding="utf-8")
        return
    # In memory first, as in `save`.
    content = io.BytesIO()
    with style.applied():
        _settle(drawing)
        drawing.figure.savefig(content, format=path.suffix.removeprefix("."), dpi=_DOTS_PER_IN)
    path.write_bytes(content.getvalue())


def _settle(drawing: Drawing) -> None:
    """Lay the figure out once, not again for each format."""
    if drawing.figure.get_layout_engine() is not None:
        drawing.figure.draw_without_rendering()
        drawing.figure.set_layout_engine("none")


def interval_caption(counts: Sequence[int]) -> str:
    """The sentence under every figure of means: what its bars are and how many runs stand behind a point."""
    if not counts:
        return "No run to show."
    lonely = " A point of one run has no interval." if min(counts) == 1 else ""
    return f"Means with 95 % t intervals, n = {count_range(counts)} runs per point.{lonely}"


def count_range(counts: Sequence[int]) -> str:
    """The counts as one number or as the smallest and the largest."""
    low, high = min(counts), max(counts)
    return f"{low}" if low == high else f"{low} to {high}"
