"""Fig. 2: data of the page by protocol, with the published numbers."""

from collections.abc import Iterator, Mapping

from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from bentpipe.figures import colours, published_mark, style
from bentpipe.figures.drawing import Drawing, count_range
from bentpipe.model.record import LayerBytes
from bentpipe.stats import select
from bentpipe.studies.caviglione2014 import published
from bentpipe.studies.caviglione2014.cells import VARIANTS, Variant
from bentpipe.studies.study import Runs

_LAYERS = {
    "body": ("bodies", "#BFDCEB"),
    "header": ("header fields", colours.VERMILION),
    "framing": ("frames", colours.PURPLE),
    "tls": ("TLS", colours.ORANGE),
}
"""What TCP carries, by the names of a record, from the inside out: what it is called and its colour."""
_ROW_IN = 0.38
_BAR = 0.5
"""Part of a row that is its bar; the rest is its label."""


def draw(runs: Runs) -> Iterator[Drawing]:
    """Draw a bar for each protocol that was measured."""
    found = {variant: layers for variant in VARIANTS if (layers := _to_client(runs, variant))}
    if found:
        yield _drawing(found)


def _to_client(runs: Runs, variant: Variant) -> list[LayerBytes]:
    loads = select(runs, **variant.forward())
    return [run.record.bytes_by_layer.down for run in loads if run.record.bytes_by_layer is not None]


@style.applied()
def _drawing(found: Mapping[Variant, list[LayerBytes]]) -> Drawing:
    figure, (axis,) = style.canvas(panels=1, panel_height_in=0.7 + _ROW_IN * len(found), legend_rows=2)
    left = [0.0] * len(found)
    for layer, (_, colour) in _LAYERS.items():
        widths = [
            sum(getattr(each, f"{layer}_bytes") for each in loads) / len(loads) / 1e3
            for loads in found.values()
        ]
        axis.barh(range(len(found)), widths, left=left, color=colour, height=_BAR, linewidth=0)
        left = [start + width for start, width in zip(left, widths, strict=True)]
    for place, (variant, end_kb) in enumerate(zip(found, left, strict=True)):
        style.heading(axis, place - 0.5 * _BAR, _words(variant, end_kb))
        theirs = published.DATA.get(variant.http)
        if theirs is not None:
            published_mark.draw(axis, published_mark.Mark(x=theirs.value, y=place), style.GREY)
    axis.set_ylim(len(found) - 0.4, -0.8)
    style.strip(axis)
    axis.set_xlim(0.0, max(*left, *(each.value for each in published.DATA.values())) * 1.06)
    axis.grid(visible=False, axis="y")
    axis.set_xlabel("kB that TCP carried to the client")
    _legend(figure)
    counts = [len(loads) for loads in found.values()]
    return Drawing(
        name="fig-2-data",
        title="Fig. 2: data of the page by protocol",
        caption=f"Means of {count_range(counts)} runs each. The size of the images follows from the 508 kB.",
        figure=figure,
    )


def _words(variant: Variant, ours_kb: float) -> str:
    theirs = published.DATA.get(variant.http)
    beside = f", published {theirs.value:g}" if theirs is not None else ""
    return f"{variant.label}: {ours_kb:.0f} kB{beside}"


def _legend(figure: Figure) -> None:
    keys = [Line2D([], [], color=colour, linewidth=4.0, label=label) for label, colour in _LAYERS.values()]
    figure.legend(
        handles=[*keys, published_mark.point_key()],
        loc="outside upper left",
        ncols=3,
        handlelength=1.0,
        columnspacing=1.2,
    )
