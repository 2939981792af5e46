"""How much of a page is to be seen over time: a line for each protocol, one load each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from matplotlib.lines import Line2D

from bentpipe.figures import style
from bentpipe.figures.drawing import Drawing
from bentpipe.figures.filmstrip import PAINTS
from bentpipe.stats import Frame

_MARKERS = dict(zip(PAINTS, ("o", "D", "s"), strict=True))


@dataclass(frozen=True, kw_only=True)
class Line:
    """One load: its pictures, the instants of its paints by the keys of `PAINTS`, its Speed Index."""

    protocol: str
    frames: Sequence[Frame]
    marks: Mapping[str, float]
    speed_index_s: float | None


@style.applied()
def draw(*, name: str, title: str, lines: Sequence[Line], end_s: float) -> Drawing:
    """Draw a step for each picture from 0 to the end; the marks are those of the filmstrip."""
    present = [mark for mark in PAINTS if any(mark in line.marks for line in lines)]
    keys = [_key(line.protocol) for line in lines]
    marks = [
        Line2D([], [], color=style.GREY, marker=_MARKERS[mark], linestyle="none", label=PAINTS[mark])
        for mark in present
    ]
    figure, (axis,) = style.canvas(panels=1, legend_rows=1 + bool(marks))
    for place, line in enumerate(lines):
        colour = style.look(line.protocol).colour
        times = [0.0, *(frame.time_s for frame in line.frames), end_s]
        shown = [0.0, *(100 * frame.completeness for frame in line.frames)]
        dashes = ("-", "--", "-.")[place % 3]
        axis.plot(times, [*shown, shown[-1]], drawstyle="steps-post", color=colour, linestyle=dashes)
        for mark, at_s in line.marks.items():
            axis.plot(
                at_s,
                _shown_percent(line.frames, at_s),
                color=colour,
                marker=_MARKERS[mark],
                markeredgecolor="white",
                markersize=6.5,
                linestyle="none",
                clip_on=False,
                zorder=3.0,
            )
    axis.set_xlim(0.0, end_s)
    axis.set_ylim(0.0, 104.0)
    axis.set_xlabel("Time since the start of the load in s")
    axis.set_ylabel("Shown of the page in %")
    columns = max(len(keys), len(marks), 1)
    # Legends fill column by column: protocols in the first row, marks in the second.
    rows = [[*keys, *_blanks(columns - len(keys))]]
    if marks:
        rows.append([*marks, *_blanks(columns - len(marks))])
    figure.legend(
        handles=[key for column in zip(*rows, strict=True) for key in column],
        loc="outside upper left", ncols=columns, handlelength=2.0, columnspacing=1.2,
    )  # fmt: skip
    return Drawing(name=name, title=title, caption=_caption(lines), figure=figure)


def _shown_percent(frames: Sequence[Frame], at_s: float) -> float:
    before = [frame.completeness for frame in frames if frame.time_s <= at_s]
    return 100 * before[-1] if before else 0.0


def _key(protocol: str) -> Line2D:
    look = style.look(protocol)
    return Line2D([], [], color=look.colour, label=look.label)


def _blanks(count: int) -> list[Line2D]:
    return [Line2D([], [], linestyle="none", label=" ") for _ in range(count)]


def _caption(lines: Sequence[Line]) -> str:
    indices = [
        f"{style.look(line.protocol).label} {line.speed_index_s:.2f} s"
        for line in lines
        if line.speed_index_s is not None
    ]
    told = f" The area above a line is its Speed Index: {', '.join(indices)}." if indices else ""
    return f"The median run of each protocol by its page load time.{told}"
