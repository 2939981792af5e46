"""A figure of results: shown inline in a notebook, saved for a paper."""

from collections.abc import Callable
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from bentpipe.errors import AbilityError, InputError

if TYPE_CHECKING:
    from bokeh.models import LayoutDOM
    from matplotlib.figure import Figure

    from bentpipe.api.live_plot import LivePlot
    from bentpipe.figures.drawing import Drawing


class Plot:
    """A figure with its words.

    Attributes
    ----------
    title, caption : str
        What is shown, and n, intervals and marks.
    svg : str
        The figure as SVG with text as text.
    """

    def __init__(
        self,
        *,
        title: str,
        caption: str,
        svg: str,
        drawing: "Drawing | None" = None,
        interactive: "Callable[[], LayoutDOM] | None" = None,
    ) -> None:
        self.title = title
        self.caption = caption
        self.svg = svg
        self._drawing = drawing
        self._interactive = interactive

    @classmethod
    def of(cls, drawing: "Drawing") -> "Plot":
        """Return the plot of a drawing."""
        from bentpipe.figures.drawing import svg_text

        return cls(
            title=drawing.title,
            caption=drawing.caption,
            svg=svg_text(drawing),
            drawing=drawing,
            interactive=drawing.live,
        )

    @property
    def figure(self) -> "Figure | None":
        """Matplotlib's figure, to be changed by hand; None of a waterfall, which is drawn without it."""
        return None if self._drawing is None else self._drawing.figure

    def live(self, *, with_bokeh: bool = True) -> "LivePlot":
        """Return the interactive figure of the same, for a cell of a notebook.

        Parameters
        ----------
        with_bokeh
            False where another cell of the notebook has such a figure already: BokehJS is taken from there,
            which makes the notebook half a megabyte smaller.

        Raises
        ------
        AbilityError
            When the figure is drawn alone, as boxes are.
        """
        from bentpipe.api.live_plot import LivePlot

        if self._interactive is None:
            raise AbilityError(f"{self.title}: there is no interactive figure of it", "show the plot itself")
        return LivePlot(
            self._interactive(),
            title=self.title,
            caption=self.caption,
            svg=self.svg,
            with_bokeh=with_bokeh,
        )

    def save(self, path: str | PathLike[str]) -> Path:
        """Write the figure into a file of the kind that its suffix says, and return its path.

        Parameters
        ----------
        path
            Ends in `.svg`, `.pdf` or `.png`; of a waterfall in `.svg`.

        Raises
        ------
        InputError
            When it ends in anything else or its folder cannot be made.
        StorageError
            When the disk does not take it.
        """
        from bentpipe.figures.drawing import FILE_KINDS, save_as
        from bentpipe.output_folder import staged

        path = Path(path)
        kinds = FILE_KINDS if self._drawing is not None else (".svg",)
        if path.suffix not in kinds:
            expected = f"a file name that ends in {' or '.join(kinds)}"
            raise InputError(file="Plot.save(...)", field="path", expected=expected, found=str(path))
        with staged(path.parent, field="path") as staging:
            if self._drawing is None:
                (staging / path.name).write_text(self.svg, encoding="utf-8")
            else:
                save_as(self._drawing, staging / path.name)
        return path

    def __repr__(self) -> str:
        return f"{self.title}\n{self.caption}".rstrip()

    def _repr_svg_(self) -> str:
        return self.svg
