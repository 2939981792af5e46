"""Bytes by layer: one stacked bar for each protocol or cell, both directions together."""

from collections.abc import Mapping

from bentpipe.figures import colours, style
from bentpipe.figures.drawing import Drawing, count_range
from bentpipe.stats import LAYERS, Layers

_TITLES = {
    "ip": "IP headers",
    "transport": "TCP, or UDP and QUIC",
    "tls": "TLS over TCP",
    "framing": "HTTP frames",
    "header": "header fields",
    "body": "bodies",
}
_COLOURS = {
    "ip": "#7F7F7F",
    "transport": colours.BLUE,
    "tls": colours.ORANGE,
    "framing": colours.PURPLE,
    "header": colours.VERMILION,
    "body": "#BFDCEB",
}
_ROW_IN = 0.38
_BAR = 0.5
"""Part of a row that is its bar; the rest is its label."""


@style.applied()
def draw(*, name: str, title: str, rows: Mapping[str, Layers]) -> Drawing:
    """Draw a bar for each row, bodies first; beside it stands what header fields were compressed to."""
    figure, (axis,) = style.canvas(panels=1, panel_height_in=0.7 + _ROW_IN * len(rows), legend_rows=2)
    innermost_first = LAYERS[::-1]
    places = range(len(rows))
    left = [0.0] * len(rows)
    for layer in innermost_first:
        widths = [layers.mean_bytes[layer] / 1000 for layers in rows.values()]
        axis.barh(places, widths, left=left, color=_COLOURS[layer], height=_BAR, linewidth=0)
        left = [start + width for start, width in zip(left, widths, strict=True)]
    for place, (end, layers) in enumerate(zip(left, rows.values(), strict=True)):
        axis.annotate(
            _beside(end, layers),
            (end, place),
            xytext=(3, 0),
            textcoords="offset points",
            va="center",
            fontsize=8,
        )
    for place, label in zip(places, rows, strict=True):
        style.heading(axis, place - 0.5 * _BAR, label)
    axis.set_ylim(len(rows) - 0.4, -0.8)
    style.strip(axis)
    axis.set_xlim(0.0, max(left, default=1.0) * 1.32 or 1.0)
    axis.grid(visible=False, axis="y")
    axis.set_xlabel("kB on the wire, both directions")
    style.colour_legend(figure, {_TITLES[layer]: _COLOURS[layer] for layer in innermost_first}, columns=3)
    runs = count_range([layers.n for layers in rows.values()]) if rows else "0"
    caption = (
        f"Means of {runs} runs each. In brackets: header fields on the wire over the same fields as text. "
        "Retransmissions count as the transport's."
    )
    return Drawing(name=name, title=title, caption=caption, figure=figure)


def _beside(total_kb: float, layers: Layers) -> str:
    if layers.header_ratio is None:
        return f"{total_kb:.4g}"
    return f"{total_kb:.4g} ({layers.header_ratio:.0%})"
