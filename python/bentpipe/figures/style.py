"""The one style of every figure: one colour and one marker per protocol, one dash per second factor."""

import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from typing import Any, Literal, TypeAlias, TypedDict

import matplotlib as mpl
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from bentpipe.figures import colours

WIDTH_IN = 4.6
"""At 96 px to the inch 440 px: a phone shows it at nearly full size, a page of A4 two side by side."""
_MOST_LETTERS = 68
"""Of a heading: as many as the figure is wide."""


@dataclass(frozen=True, kw_only=True)
class Look:
    """How a protocol looks and what it is called."""

    label: str
    colour: str
    marker: str


class Stroke(Enum):
    """The second factor of a figure: its first value is solid and filled, its second dashed and open."""

    SOLID = "solid"
    DASHED = "dashed"


Dash: TypeAlias = Literal["-"] | tuple[float, tuple[float, float]]

_LOOKS = {
    "http10": Look(label="HTTP/1.0", colour=colours.BLACK, marker="v"),
    "http10s": Look(label="HTTP/1.0 over TLS", colour="#7F7F7F", marker="<"),
    "h1": Look(label="HTTP/1.1", colour=colours.VERMILION, marker="o"),
    "h1s": Look(label="HTTP/1.1 over TLS", colour=colours.PURPLE, marker="D"),
    "h2": Look(label="HTTP/2", colour=colours.BLUE, marker="s"),
    "h2c": Look(label="HTTP/2 in clear text", colour="#332288", marker="P"),
    "h3": Look(label="HTTP/3", colour=colours.GREEN, marker="^"),
    "spdy": Look(label="SPDY", colour=colours.SKY_BLUE, marker="X"),
    "tcp": Look(label="TCP", colour=colours.BLUE, marker="s"),
    "quic": Look(label="QUIC", colour=colours.GREEN, marker="^"),
}
_UNKNOWN_COLOUR = "#555555"
PALETTE = (colours.BLUE, colours.VERMILION, colours.GREEN, colours.PURPLE, colours.SKY_BLUE, colours.ORANGE)
"""The same colours, for what has no look of its own."""
GREY = "#767676"
_STROKES = {"": Stroke.SOLID, "bbr": Stroke.SOLID}
_CONTROLS = {
    "bbr": Look(label="BBR", colour=colours.BLUE, marker="s"),
    "bbr3": Look(label="BBRv3", colour=colours.SKY_BLUE, marker="D"),
    "cubic": Look(label="CUBIC", colour=colours.VERMILION, marker="o"),
    "hybla": Look(label="Hybla", colour=colours.GREEN, marker="^"),
    "prague": Look(label="Prague", colour=colours.ORANGE, marker="v"),
    "reno": Look(label="Reno", colour=colours.BLACK, marker="P"),
    "vivace": Look(label="PCC Vivace", colour=colours.PURPLE, marker="X"),
}

_CLIENTS = {"loader": "o", "chromium": "D", "firefox": "s"}

_SETTINGS: dict[Any, Any] = {
    "font.family": "sans-serif",
    "font.size": 9.0,
    "text.parse_math": False,
    "axes.titlesize": 9.0,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.7,
    "axes.grid": True,
    "grid.color": "#E3E3E3",
    "grid.linewidth": 0.6,
    "axes.axisbelow": True,
    "legend.frameon": False,
    "legend.fontsize": 8.5,
    "lines.linewidth": 1.4,
    "lines.markersize": 5.0,
    "figure.constrained_layout.use": True,
    "svg.fonttype": "none",
    "svg.hashsalt": "bentpipe",
    "pdf.fonttype": 42,
}


def look(protocol: str) -> Look:
    """The look of a protocol by its name in scenarios; an unknown one is grey and called by its name."""
    return _LOOKS.get(protocol, Look(label=protocol, colour=_UNKNOWN_COLOUR, marker="v"))


def client_marker(client: str) -> str:
    """The marker of a client, where it and no protocol tells the marks of a row apart."""
    return _CLIENTS.get(client, "v")


def stroke(congestion_control: str) -> Stroke:
    """The stroke of a congestion control: BBR and none at all solid, every other dashed."""
    return _STROKES.get(congestion_control, Stroke.DASHED)


def dash(value: Stroke) -> Dash:
    """The line style of a stroke, for matplotlib."""
    return "-" if value is Stroke.SOLID else (0.0, (4.0, 2.0))


def face(value: Stroke, colour: str) -> str:
    """What fills a marker: the colour, or the paper."""
    return colour if value is Stroke.SOLID else "white"


def from_zero(axis: Axes) -> None:
    """Let the y axis start at zero (or at the lowest value below it), with room above the highest value."""
    _, high = axis.get_ylim()
    axis.set_ylim(min(0.0, float(axis.dataLim.y0)), high * 1.06)


def control_look(congestion_control: str) -> Look:
    """The look of a congestion control, where it and no protocol tells what is shown."""
    unknown = Look(label=congestion_control, colour=_UNKNOWN_COLOUR, marker="v")
    return _CONTROLS.get(congestion_control, unknown)


def control_label(congestion_control: str) -> str:
    """What a congestion control is called in print."""
    return control_look(congestion_control).label


def control_legend(figure: Figure, congestion_controls: Iterable[str]) -> None:
    """A row above the axes that names the congestion control of each colour."""
    looks = [control_look(name) for name in congestion_controls]
    colour_legend(figure, {look.label: look.colour for look in looks}, columns=4)


def colour_legend(
    figure: Figure, colour_of: Mapping[str, str], *, columns: int, marks: Sequence[Artist] = ()
) -> None:
    """Rows above the axes that say what each colour stands for, and then what `marks` do."""
    keys: list[Artist] = [
        Line2D([], [], color=colour, linewidth=4.0, label=label) for label, colour in colour_of.items()
    ]
    handles = [*keys, *marks]
    if handles:
        figure.legend(
            handles=handles, loc="outside upper left", ncols=columns, handlelength=1.0, columnspacing=1.2
        )


class LineLook(TypedDict):
    """Properties of a line, by matplotlib's names."""

    color: str
    linestyle: str
    zorder: float


def nth_line(place: int) -> LineLook:
    """How the n-th of many lines looks: every other one is dashed and above, so that none covers another."""
    dashes = ("-", "--", ":", "-.")
    turns = place // len(PALETTE)
    return {
        "color": PALETTE[place % len(PALETTE)],
        "linestyle": dashes[(place % 2 + 2 * turns) % len(dashes)],
        "zorder": 2.0 + 0.1 * (place % 2),
    }


def heading(axis: Axes, above: float, words: str) -> None:
    """A line of text at the left edge of the axes, over the bar of a row; "…" stands for what is too long."""
    axis.annotate(
        textwrap.shorten(words, _MOST_LETTERS, placeholder=" …"),
        (0.0, above),
        xycoords=("axes fraction", "data"),
        xytext=(3, 0),
        textcoords="offset points",
        va="bottom",
        fontsize=8,
    )


def strip(axis: Axes) -> None:
    """Axes of bars that start at the left edge, for which the horizontal place alone counts."""
    axis.set_yticks([])
    axis.spines["left"].set_visible(False)


def canvas(
    *, panels: int, panel_height_in: float = 2.3, legend_rows: int = 1
) -> tuple[Figure, Sequence[Axes]]:
    """An empty figure of panels one below the other; call it with the style applied."""
    return uneven_canvas(heights_in=[panel_height_in] * panels, legend_rows=legend_rows)


def uneven_canvas(*, heights_in: Sequence[float], legend_rows: int = 1) -> tuple[Figure, Sequence[Axes]]:
    """The same with a height for each panel."""
    figure = Figure(figsize=(WIDTH_IN, sum(heights_in) + 0.22 * legend_rows))
    axes = figure.subplots(len(heights_in), 1, squeeze=False, height_ratios=heights_in)
    return figure, list(axes[:, 0])


@contextmanager
def applied() -> Iterator[None]:
    """The style in force: around the drawing and around the saving of a figure, or as their decorator."""
    with mpl.rc_context(_SETTINGS):
        yield
