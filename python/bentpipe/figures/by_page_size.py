"""A metric against a page's size or objects: one curve per protocol and second factor, one panel per case."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import TypedDict

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from bentpipe.figures import style
from bentpipe.figures.drawing import Drawing, interval_caption
from bentpipe.figures.mean_mark import reach
from bentpipe.stats import Summary

_HATCHES = ("////", "\\\\\\\\", "....")
"""Of bands one over the other, which a colour alone would not tell apart."""

_SIDE_STEP = 0.012
"""Protocols stand side by side, this part of the axis apart, or equal ones would hide each other."""


class _BandLook(TypedDict):
    """Properties of a band, by matplotlib's names."""

    facecolor: str
    edgecolor: str
    hatch: str
    linewidth: float


@dataclass(frozen=True, kw_only=True)
class Across:
    """The horizontal axis: what is on it, and how many of a point's units make one of its own."""

    label: str
    unit: float
    is_logarithmic: bool = False


PAGE_SIZE = Across(label="Page size in kB", unit=1000)
OBJECTS = Across(label="Objects of the page", unit=1, is_logarithmic=True)


@dataclass(frozen=True, kw_only=True)
class Curve:
    """One line: `points` are page size in bytes, or objects, and the metric's summary in the panel's unit."""

    protocol: str
    stroke: style.Stroke
    stroke_label: str
    points: Sequence[tuple[int, Summary]]


@dataclass(frozen=True, kw_only=True)
class Band:
    """Where a published statement puts a protocol: page size in bytes, or objects, lowest and highest."""

    protocol: str
    label: str
    points: Sequence[tuple[int, float, float]]


@dataclass(frozen=True, kw_only=True)
class Panel:
    """One set of axes; `published` is what a publication says in words of what they show."""

    title: str
    axis_label: str
    curves: Sequence[Curve]
    bands: Sequence[Band] = ()
    published: str = ""


@style.applied()
def draw(
    *, name: str, title: str, panels: Sequence[Panel], note: str = "", across: Across = PAGE_SIZE
) -> Drawing:
    """Draw the panels one below the other. The second factor is in the legend only when it varies."""
    curves = [curve for panel in panels for curve in panel.curves]
    keys: list[Artist] = [*_legend(curves)]
    largest = max(size for curve in curves for size, _ in curve.points)
    columns = min(len(keys), 3) if len({curve.stroke for curve in curves}) < 2 else (len(keys) + 1) // 2
    bands = {band.label: band for panel in panels for band in panel.bands}
    figure, axes = style.canvas(panels=len(panels), legend_rows=-(-len(keys) // columns) + len(bands))
    for panel, axis in zip(panels, axes, strict=True):
        _draw_panel(axis, panel, across=across, largest=largest)
    axes[-1].set_xlabel(across.label)
    figure.legend(handles=keys, loc="outside upper left", ncols=columns, handlelength=2.6, columnspacing=1.2)
    if bands:
        keys = [_band_key(band, place) for place, band in enumerate(bands.values())]
        figure.legend(handles=keys, loc="outside lower left")
    caption = interval_caption([summary.n for curve in curves for _, summary in curve.points])
    return Drawing(name=name, title=title, caption=f"{caption} {note}".strip(), figure=figure)


def _draw_panel(axis: Axes, panel: Panel, *, across: Across, largest: int) -> None:
    protocols = list(dict.fromkeys(curve.protocol for curve in panel.curves))
    for place, band in enumerate(panel.bands):
        axis.fill_between(
            [size / across.unit for size, _, _ in band.points],
            [low for _, low, _ in band.points],
            [high for _, _, high in band.points],
            **_band_look(band, place),
        )
    for curve in panel.curves:
        aside = _SIDE_STEP * (protocols.index(curve.protocol) - (len(protocols) - 1) / 2)
        look = style.look(curve.protocol)
        points = sorted(curve.points, key=lambda point: point[0])
        means = [summary.mean for _, summary in points]
        axis.errorbar(
            [_place(size, aside, across, largest) for size, _ in points],
            means,
            yerr=[reach(summary) for _, summary in points],
            color=look.colour,
            marker=look.marker,
            linestyle=style.dash(curve.stroke),
            markerfacecolor=style.face(curve.stroke, look.colour),
            capsize=2.5,
            elinewidth=0.9,
        )
    sizes = sorted({size / across.unit for curve in panel.curves for size, _ in curve.points})
    if across.is_logarithmic:
        axis.set_xscale("log")
        axis.minorticks_off()
        axis.set_xlim(sizes[0] / 1.2, largest / across.unit * 1.2)
    else:
        axis.set_xlim(0.0, largest / across.unit * 1.05)
    axis.set_xticks(sizes, [f"{size:g}" for size in sizes])
    axis.set_ylabel(panel.axis_label)
    style.from_zero(axis)
    axis.set_title(f"{panel.title}\nPublished: {panel.published}" if panel.published else panel.title)


def _band_key(band: Band, place: int) -> Patch:
    return Patch(label=band.label, **_band_look(band, place))


def _band_look(band: Band, place: int) -> _BandLook:
    colour = style.look(band.protocol).colour
    return {
        "facecolor": "none",
        "edgecolor": colour,
        "hatch": _HATCHES[place % len(_HATCHES)],
        "linewidth": 0.5,
    }


def _place(size: int, aside: float, across: Across, largest: int) -> float:
    """Where a point stands: `aside` is a part of the axis, of a logarithmic one four times that of e."""
    if across.is_logarithmic:
        return size / across.unit * math.exp(4 * aside)
    return (size + aside * largest) / across.unit


def _legend(curves: Sequence[Curve]) -> list[Line2D]:
    protocols = {curve.protocol: style.look(curve.protocol) for curve in curves}
    keys = [
        Line2D([], [], color=look.colour, marker=look.marker, label=look.label) for look in protocols.values()
    ]
    strokes = {curve.stroke_label: curve for curve in curves}
    if len(strokes) < 2:
        return keys
    stroke_keys = [
        Line2D(
            [],
            [],
            color=style.GREY,
            marker="o",
            linestyle=style.dash(curve.stroke),
            markerfacecolor=style.face(curve.stroke, style.GREY),
            label=label,
        )
        for label, curve in strokes.items()
    ]
    # Legends fill column by column: in turns, so that each kind of key has a row of its own.
    return [key for pair in zip_longest(keys, stroke_keys) for key in pair if key is not None]
