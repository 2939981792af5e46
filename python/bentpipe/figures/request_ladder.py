"""A page load as a ladder between client and server: handshakes, requests and their answers, down in time."""

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from bentpipe.figures import style
from bentpipe.figures.drawing import Drawing

_CLIENT, _SERVER = 0.0, 1.0
_HEIGHT_IN = 4.2


@dataclass(frozen=True, kw_only=True)
class Exchange:
    """Something that the client asks and the server answers; times are the client's."""

    name: str
    asked_s: float
    answered_s: float


@dataclass(frozen=True, kw_only=True)
class Ladder:
    """One load: the protocol, its exchanges, and when the first object was complete."""

    protocol: str
    exchanges: Sequence[Exchange]
    first_object_s: float


@style.applied()
def draw(*, name: str, title: str, caption: str, ladders: Sequence[Ladder], round_trip_s: float) -> Drawing:
    """Draw the ladders side by side on one axis of time.

    The server's side of an exchange is halfway between question and answer, for records are the client's.
    Dashed lines are the published round trip, counted from the start.
    """
    figure = Figure(figsize=(style.WIDTH_IN, _HEIGHT_IN))
    axes = figure.subplots(1, len(ladders), squeeze=False, sharey=True)[0]
    end_s = max(ladder.first_object_s for ladder in ladders)
    for axis, ladder in zip(axes, ladders, strict=True):
        _draw_one(axis, ladder, end_s=end_s, round_trip_s=round_trip_s)
    axes[0].set_ylabel("Time in s")
    return Drawing(name=name, title=title, caption=caption, figure=figure)


def _draw_one(axis: Axes, ladder: Ladder, *, end_s: float, round_trip_s: float) -> None:
    look = style.look(ladder.protocol)
    axis.vlines([_CLIENT, _SERVER], 0.0, end_s * 1.04, color="black", linewidth=0.9)
    turns = int(end_s / round_trip_s)
    for turn in range(1, turns + 1):
        axis.hlines(
            turn * round_trip_s,
            _CLIENT,
            _SERVER,
            color=style.GREY,
            linewidth=0.7,
            linestyle=(0.0, (4.0, 2.0)),
        )
        axis.annotate(
            f"{turn} RTT", (_SERVER, turn * round_trip_s), xytext=(3, 0), textcoords="offset points",
            va="center", fontsize=7.5, color=style.GREY,
        )  # fmt: skip
    for exchange in ladder.exchanges:
        middle_s = (exchange.asked_s + exchange.answered_s) / 2
        for start, stop in (
            ((_CLIENT, exchange.asked_s), (_SERVER, middle_s)),
            ((_SERVER, middle_s), (_CLIENT, exchange.answered_s)),
        ):
            axis.annotate("", stop, start, arrowprops={"arrowstyle": "->", "color": look.colour, "lw": 1.2})
        axis.text(
            0.5, middle_s, exchange.name, ha="center", va="center", fontsize=8,
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.0},
        )  # fmt: skip
    axis.plot([_CLIENT], [ladder.first_object_s], color=look.colour, marker=look.marker, clip_on=False)
    axis.set_xlim(-0.05, 1.28)
    axis.set_ylim(end_s * 1.06, -0.02 * end_s)
    axis.set_xticks([_CLIENT, _SERVER], ["client", "server"])
    axis.grid(visible=False)
    axis.set_title(f"{look.label}: first object\ncomplete after {ladder.first_object_s:.2f} s")
