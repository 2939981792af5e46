"""Waterfalls of two versions of a page in one: of each object the bar before, and below it the bar now."""

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from bentpipe.figures import colours, style
from bentpipe.figures.drawing import Drawing
from bentpipe.figures.load_phases import QUEUED, WAIT_OPACITY

MOST_ROWS = 60
"""Of more objects those are drawn that changed most."""
_ROW_IN = 0.16
_BAR = 0.36
_NAME = 26
_BEFORE, _NOW = style.GREY, colours.BLUE


@dataclass(frozen=True, kw_only=True)
class Instants:
    """When an object was known, asked for, answered and complete, in s."""

    discovered_s: float
    request_s: float
    first_byte_s: float
    last_byte_s: float


@dataclass(frozen=True, kw_only=True)
class Row:
    """An object; `before` is None of a new one, `now` of one that is gone."""

    name: str
    before: Instants | None
    now: Instants | None

    @property
    def start_s(self) -> float:
        """When it was known first."""
        return min(each.discovered_s for each in (self.before, self.now) if each is not None)

    @property
    def change_s(self) -> float:
        """How far its end moved; of a new one and of one that is gone, all of it."""
        ends = [0.0 if each is None else each.last_byte_s for each in (self.before, self.now)]
        return abs(ends[1] - ends[0])


@style.applied()
def draw(*, name: str, title: str, rows: Sequence[Row]) -> Drawing:
    """Draw the objects in the order in which they were known; lines mark the last byte of both versions."""
    most_changed = sorted(rows, key=lambda row: -row.change_s)[:MOST_ROWS]
    shown = sorted(most_changed, key=lambda row: row.start_s)
    figure = Figure(figsize=(style.WIDTH_IN, len(shown) * _ROW_IN + 1.1))
    axis = figure.subplots()
    for looks, colour, offset in (("before", _BEFORE, -0.2), ("now", _NOW, 0.2)):
        found = [(place, getattr(row, looks)) for place, row in enumerate(shown)]
        _bars(axis, [(place + offset, each) for place, each in found if each is not None], colour)
        ends_s = [each.last_byte_s for row in rows if (each := getattr(row, looks)) is not None]
        axis.axvline(max(ends_s, default=0.0), color=colour, linewidth=0.9)
    axis.set_ylim(len(shown) - 0.4, -0.6)
    axis.set_xlim(left=0.0)
    axis.set_xlabel("Time in s")
    axis.grid(visible=False, axis="y")
    style.strip(axis)
    axis.set_yticks(range(len(shown)), [_short(row) for row in shown], fontsize=6.5)
    axis.tick_params(axis="y", length=0)
    figure.legend(handles=_key(), loc="outside lower center", ncols=4, handlelength=1.0, columnspacing=1.0)
    left_out = (
        f" The {len(shown)} of {len(rows)} objects that changed most." if len(shown) < len(rows) else ""
    )
    caption = f"The pair of runs with the median change. Lines mark the last byte.{left_out}"
    return Drawing(name=name, title=title, caption=caption, figure=figure)


def _bars(axis: Axes, bars: Sequence[tuple[float, Instants]], colour: str) -> None:
    places = [place for place, _ in bars]
    for start, end, paint, opacity, height in (
        ("discovered_s", "request_s", QUEUED, 1.0, _BAR / 3),
        ("request_s", "first_byte_s", colour, WAIT_OPACITY, _BAR),
        ("first_byte_s", "last_byte_s", colour, 1.0, _BAR),
    ):
        starts = [getattr(each, start) for _, each in bars]
        lengths = [getattr(each, end) - getattr(each, start) for _, each in bars]
        axis.barh(places, lengths, left=starts, height=height, color=paint, alpha=opacity, linewidth=0)


def _short(row: Row) -> str:
    mark = "+ " if row.before is None else "\N{MINUS SIGN} " if row.now is None else ""
    name = row.name if len(row.name) <= _NAME else f"…{row.name[1 - _NAME :]}"
    return mark + name


def _key() -> list[Patch]:
    return [
        Patch(color=_BEFORE, label="before"),
        Patch(color=_NOW, label="now"),
        Patch(color=QUEUED, label="not asked for"),
        Patch(color=_NOW, alpha=WAIT_OPACITY, label="waiting"),
    ]
