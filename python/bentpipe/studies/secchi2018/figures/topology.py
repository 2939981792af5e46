"""Fig. 1: the path between client and server, with the numbers of the link that was run."""

from collections.abc import Iterator

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from bentpipe.figures import colours, style
from bentpipe.figures.drawing import Drawing
from bentpipe.model.link import ConstantCapacitySpec, DirectionSpec
from bentpipe.model.record import RunRecord
from bentpipe.stats import select
from bentpipe.studies.secchi2018.cells import DECIDING, PEP, cell
from bentpipe.studies.study import Runs

_NS = 1e-9
_HIGH_IN = 2.5
_GROUND, _SKY = 0.0, 1.0
_CLIENT, _TERMINAL, _SATELLITE, _GATEWAY, _SERVER = 0.0, 1.0, 2.0, 3.0, 4.0
_BOX = {"boxstyle": "round,pad=0.35", "facecolor": "white", "edgecolor": style.GREY}


def draw(runs: Runs) -> Iterator[Drawing]:
    """Draw the path of the first load through the PEP."""
    loads = select(runs, **cell(DECIDING, pep=PEP))
    if loads:
        yield _drawing(loads[0].record)


@style.applied()
def _drawing(record: RunRecord) -> Drawing:
    figure = Figure(figsize=(style.WIDTH_IN, _HIGH_IN))
    axis = figure.subplots()
    axis.set_axis_off()
    axis.set_xlim(-0.5, 4.5)
    axis.set_ylim(-0.65, 1.25)
    link = record.spec.link
    for x, y, words in (
        (_CLIENT, _GROUND, "client"),
        (_TERMINAL, _GROUND, "terminal,\nPEP"),
        (_SATELLITE, _SKY, "Hylas-2"),
        (_GATEWAY, _GROUND, "gateway,\nPEP"),
        (_SERVER, _GROUND, "server"),
    ):
        axis.text(x, y, words, ha="center", va="center", fontsize=8, bbox=_BOX, zorder=3)
    for x_from, x_to in ((_CLIENT, _TERMINAL), (_GATEWAY, _SERVER)):
        axis.plot([x_from, x_to], [_GROUND, _GROUND], color=style.GREY, linewidth=1.0, zorder=1)
    for x in (_TERMINAL, _GATEWAY):
        axis.plot([x, _SATELLITE], [_GROUND, _SKY], color=style.GREY, linewidth=1.0, linestyle=(0, (4, 2)))
    _arrow(axis, _SERVER, _CLIENT, "tunnel past the PEP")
    words = f"forward\n{_told(link.forward)}\nreturn\n{_told(link.return_)}"
    axis.text(_SATELLITE, 0.2, words, ha="center", va="center", fontsize=7)
    return Drawing(
        name="topology",
        title="Fig. 1: the path",
        caption="Drawn from the link of the runs: rates of IP packets, and propagation of each "
        "direction. The PEP splits "
        "connections of TCP at the terminal and at the gateway; a tunnel from host to host hides them.",
        figure=figure,
    )


def _arrow(axis: Axes, x_from: float, x_to: float, words: str) -> None:
    axis.annotate(
        "",
        xy=(x_to, -0.22),
        xytext=(x_from, -0.22),
        arrowprops={"arrowstyle": "<->", "connectionstyle": "arc3,rad=-0.12", "color": colours.ORANGE},
    )
    axis.text((x_from + x_to) / 2, -0.55, words, ha="center", va="center", fontsize=7, color=style.GREY)


def _told(direction: DirectionSpec) -> str:
    capacity = direction.capacity
    bps = capacity.rate_bps if isinstance(capacity, ConstantCapacitySpec) else capacity.nominal_bps
    rate = f"{bps / 1e6:.1f} Mbit/s" if bps >= 1e6 else f"{bps / 1e3:.0f} kbit/s"
    return f"{rate}, {direction.delay_ns * _NS * 1e3:.0f} ms"
