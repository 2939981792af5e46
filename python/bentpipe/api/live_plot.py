"""An interactive figure in a cell of a notebook, self-contained: nothing is loaded from a network."""

import gzip
import json
from base64 import b64encode
from functools import cached_property
from hashlib import sha256
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bokeh.models import LayoutDOM


class LivePlot:
    """A figure with values under the pointer, zoom, and series to hide; the drawn one where no script runs.

    Parameters
    ----------
    figure
        As Bokeh has it.
    title, caption, svg
        Of the drawn figure.
    with_bokeh
        Whether it brings along BokehJS (0.5 MB), which it else takes from another cell.
    """

    def __init__(self, figure: "LayoutDOM", *, title: str, caption: str, svg: str, with_bokeh: bool) -> None:
        self.title = title
        self.caption = caption
        self._figure = figure
        self._svg = svg
        self._with_bokeh = with_bokeh

    def __repr__(self) -> str:
        return f"{self.title}\n{self.caption}".rstrip()

    def _repr_html_(self) -> str:
        return self._html

    @cached_property
    def _html(self) -> str:
        import bokeh

        from bentpipe.figures.live.document import document_json

        # Models of all figures of a notebook are in one page: each has the figure's digest in its name.
        name = f"bentpipe-{sha256(self._svg.encode()).hexdigest()[:12]}"
        show = files("bentpipe.api").joinpath("live_plot.js").read_text(encoding="utf-8").rstrip()
        packed = _packed_bokeh() if self._with_bokeh else ""
        # An image, for a page that lets no script run, such as one of a code forge, drops inline SVG as well.
        drawn = b64encode(self._svg.encode()).decode()
        return (
            f'<img data-bentpipe="{name}" alt="{escape(self.title)}" '
            f'src="data:image/svg+xml;base64,{drawn}" style="max-width:100%;background:white">'
            f"<script>(\n{show}\n)({{name: {json.dumps(name)}, version: {json.dumps(bokeh.__version__)}, "
            f"item: {document_json(self._figure, name=name)}, packed: {json.dumps(packed)}}});</script>"
        )


def _packed_bokeh() -> str:
    """Return BokehJS compressed, a third of its 1.3 MB, as text; the same bytes each time."""
    script = files("bokeh").joinpath("server/static/js/bokeh.min.js").read_bytes()
    return b64encode(gzip.compress(script, mtime=0)).decode()
