"""A page as it appeared in a browser's window: a row for each protocol, pictures at equal steps of time."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

from bentpipe.figures import style
from bentpipe.figures.small_svg import document, number, text

WIDTH = 1120
MOST_COLUMNS = 10
PAINTS = {"FCP": "first paint", "LCP": "largest paint", "load": "load event"}
"""The marks of a row by the words of its heading; each has a shape and a height of its own."""

_GLYPHS = dict(zip(PAINTS, ("\N{BLACK CIRCLE}", "\N{BLACK DIAMOND}", "\N{BLACK SQUARE}"), strict=True))
"""What the marks look like in words."""
_STEPS = (1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0)
_GUTTER = 6
_HEADING = 18
_RAIL = 22
_CAPTION = 14
_GAP = 20
_MARK = 3.6
_EMPTY = "#F2F3F5"
_EDGE = "#C9CDD2"


@dataclass(frozen=True, kw_only=True)
class Picture:
    """A picture as a data URI, so that a page that shows it stays one file."""

    uri: str
    width: int
    height: int


@dataclass(frozen=True, kw_only=True)
class Cell:
    """What the window showed at the end of a step; no picture before the first, and where it is lost."""

    picture: Picture | None
    completeness: float


@dataclass(frozen=True, kw_only=True)
class Row:
    """One load; `marks` are instants in seconds by the keys of `PAINTS`, `words` end its heading."""

    protocol: str
    words: str
    marks: Mapping[str, float]
    cells: Sequence[Cell]


def step_s(end_s: float) -> float:
    """The least round step of which at most `MOST_COLUMNS` reach the end."""
    if not end_s > 0:
        return 0.1
    rough = end_s / MOST_COLUMNS
    power = 10.0 ** math.floor(math.log10(rough))
    return round(next(factor * power for factor in _STEPS if factor * power >= rough * (1 - 1e-9)), 9)


def instants_s(end_s: float) -> tuple[float, ...]:
    """The ends of the steps, the last of which is not before the end."""
    step = step_s(end_s)
    count = max(math.ceil(end_s / step * (1 - 1e-9)), 1)
    return tuple(round(step * place, 9) for place in range(1, count + 1))


def draw(*, name: str, title: str, instants_s: Sequence[float], rows: Sequence[Row]) -> str:
    """One small SVG; a row has as many cells as there are instants. Ids start with `name`.

    The line above a row's pictures is its time, with a mark for each paint; a picture stands under the step
    at whose end it was seen. Its edge has the colour of its protocol where it differs from the one before.
    """
    slot = WIDTH / len(instants_s)
    width = slot - _GUTTER
    height = width * _aspect(rows)
    pitch = _HEADING + _RAIL + height + _CAPTION + _GAP
    ids = _ids(name, rows)
    body = [f"<defs>{_definitions(ids, width=width, height=height)}</defs>"]
    for place, row in enumerate(rows):
        top = place * pitch
        body += [
            _heading(row, top + 12),
            _rail(row, top + _HEADING + 8, slot=slot, instants_s=instants_s),
            _pictures(row, top + _HEADING + _RAIL, slot=slot, height=height, instants_s=instants_s, ids=ids),
        ]
    return document(width=WIDTH, height=math.ceil(len(rows) * pitch - _GAP), title=title, body=body)


def _aspect(rows: Sequence[Row]) -> float:
    """Height over width of the tallest picture, so that none is cut."""
    pictures = [cell.picture for row in rows for cell in row.cells if cell.picture]
    return max((picture.height / picture.width for picture in pictures), default=9 / 16)


def _ids(name: str, rows: Sequence[Row]) -> dict[Picture, str]:
    """Equal pictures have one id and are in the file once."""
    pictures = dict.fromkeys(cell.picture for row in rows for cell in row.cells if cell.picture)
    return {picture: f"{name}-{place}" for place, picture in enumerate(pictures)}


def _definitions(ids: Mapping[Picture, str], *, width: float, height: float) -> str:
    size = f'width="{number(width)}" height="{number(height)}" preserveAspectRatio="xMidYMin meet"'
    return "".join(
        f'<image id="{escape(key, quote=True)}" {size} href="{picture.uri}"/>' for picture, key in ids.items()
    )


def _heading(row: Row, y: float) -> str:
    """Protocol and words on the left, on the right what the marks of the row mean and when they were."""
    look = style.look(row.protocol)
    told = f'<tspan font-weight="600" fill="{look.colour}">{escape(look.label)}</tspan>'
    words = f'<tspan dx="8">{escape(row.words)}</tspan>'
    keys = "".join(
        f'<tspan dx="12" fill="{look.colour}">{_GLYPHS[mark]}</tspan>'
        f'<tspan dx="4">{PAINTS[mark]} {row.marks[mark]:.2f} s</tspan>'
        for mark in PAINTS
        if mark in row.marks
    )
    return (
        f'<text x="0" y="{number(y)}" font-size="12">{told}{words}</text>'
        f'<text x="{WIDTH}" y="{number(y)}" text-anchor="end">{keys}</text>'
    )


def _rail(row: Row, y: float, *, slot: float, instants_s: Sequence[float]) -> str:
    """Time from left to right, with the marks at three heights, for they may fall together."""
    colour = style.look(row.protocol).colour
    ticks = "".join(f"M{number(slot * place)} {number(y - 3)}v6" for place in range(len(instants_s) + 1))
    line = f'<path d="M0 {number(y)}H{WIDTH}{ticks}" stroke="#9AA0A6" stroke-width="1" fill="none"/>'
    marks = []
    for height, mark in zip((-5.0, 0.0, 5.0), PAINTS, strict=True):
        if mark in row.marks:
            x = min(row.marks[mark] / instants_s[0] * slot, WIDTH)
            stem = f"M{number(x)} {number(y + height)}V{number(y + _RAIL - 8)}"
            marks.append(f'<path d="{stem}" stroke="{colour}" stroke-width="1" fill="none"/>')
            marks.append(_symbol(mark, x, y + height, colour))
    return line + "".join(marks)


def _symbol(mark: str, x: float, y: float, colour: str) -> str:
    size = _MARK
    if mark == "FCP":
        return f'<circle cx="{number(x)}" cy="{number(y)}" r="{size}" fill="{colour}"/>'
    if mark == "LCP":
        tip = size + 1
        shape = f"M{number(x)} {number(y - tip)}l{tip} {tip}l-{tip} {tip}l-{tip} -{tip}z"
    else:
        shape = f"M{number(x - size)} {number(y - size)}h{2 * size}v{2 * size}h-{2 * size}z"
    return f'<path d="{shape}" fill="{colour}"/>'


def _pictures(
    row: Row,
    top: float,
    *,
    slot: float,
    height: float,
    instants_s: Sequence[float],
    ids: Mapping[Picture, str],
) -> str:
    colour = style.look(row.protocol).colour
    drawn: list[str] = []
    before: Picture | None = None
    for place, (cell, at_s) in enumerate(zip(row.cells, instants_s, strict=True)):
        x, width = place * slot + _GUTTER, slot - _GUTTER
        frame = f'x="{number(x)}" y="{number(top)}" width="{number(width)}" height="{number(height)}"'
        is_new = cell.picture is not None and cell.picture != before
        edge = f'stroke="{colour}" stroke-width="2"' if is_new else f'stroke="{_EDGE}" stroke-width="1"'
        if cell.picture is None:
            drawn.append(f'<rect {frame} fill="{_EMPTY}" {edge}/>')
        else:
            drawn.append(
                f'<use href="#{escape(ids[cell.picture], quote=True)}" x="{number(x)}" y="{number(top)}"/>'
            )
            drawn.append(f'<rect {frame} fill="none" {edge}/>')
        before = cell.picture
        below = top + height + 11
        drawn.append(text(x, below, f"{100 * cell.completeness:.0f} %", colour="#55595e"))
        drawn.append(text(x + width, below, f"{at_s:g} s", anchor="end"))
    return "".join(drawn)
