"""Small SVG drawn by hand: a few paths per run, where matplotlib would need a hundred times the bytes."""

import math
from collections.abc import Iterable
from html import escape

FONT = "system-ui,-apple-system,'Segoe UI',Arial,sans-serif"


def number(value: float) -> str:
    """A coordinate with one decimal and no trailing zero."""
    text = f"{value:.1f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def document(*, width: int, height: int, title: str, body: Iterable[str]) -> str:
    """A complete SVG that scales with its container; `title` is what a screen reader says."""
    label = escape(title, quote=True)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'role="img" aria-label="{label}" '
        f'font-family="{escape(FONT, quote=True)}" font-size="10" fill="#222">{"".join(body)}</svg>'
    )


def text(x: float, y: float, words: str, *, anchor: str = "start", colour: str | None = None) -> str:
    """One line of text."""
    paint = f' fill="{colour}"' if colour else ""
    place = "" if anchor == "start" else f' text-anchor="{anchor}"'
    return f'<text x="{number(x)}" y="{number(y)}"{place}{paint}>{escape(words)}</text>'


def bars(
    spans: Iterable[tuple[float, float, float]], *, colour: str, thickness: float, opacity: float = 1
) -> str:
    """Horizontal bars (from, to, middle) as one path."""
    moves = "".join(f"M{number(a)} {number(y)}H{number(max(b, a + 0.6))}" for a, b, y in spans)
    if not moves:
        return ""
    veil = "" if opacity == 1 else f' stroke-opacity="{opacity:g}"'
    return f'<path d="{moves}" stroke="{colour}" stroke-width="{number(thickness)}"{veil} fill="none"/>'


def nice_ticks(end: float, *, at_most: int) -> list[float]:
    """Round numbers from 0 to `end`: multiples of 1, 2 or 5 times a power of ten."""
    if not end > 0:
        return [0.0]
    rough = end / at_most
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough * (1 - 1e-9))
    return [round(index * step, 9) for index in range(int(end / step + 1e-9) + 1)]
