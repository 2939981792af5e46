"""Fig. 3: connections of TCP that are open over time, all protocols in one figure."""

from collections.abc import Iterator, Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from bentpipe.figures import published_mark, style
from bentpipe.figures.bins import Values
from bentpipe.figures.drawing import Drawing
from bentpipe.model.record import RunRecord
from bentpipe.studies.caviglione2014 import published
from bentpipe.studies.caviglione2014.cells import VARIANTS, Variant
from bentpipe.studies.loads import median_load
from bentpipe.studies.study import Runs

_NS = 1e-9
_HIGH_IN = 3.0
_ON_ITS_SCALE = ("h1", "spdy")
"""Whose published load times are on the scale of the figure; HTTP/1.0's 131 and 198 s are not."""
_SCALE_S = 16.0
"""The study's figure ends before HTTP/1.0 does, too."""


def draw(runs: Runs) -> Iterator[Drawing]:
    """Draw the median load of each protocol that was measured."""
    found = {
        variant: run.record
        for variant in VARIANTS
        if (run := median_load(runs, variant.forward())) is not None and run.record.objects
    }
    if found:
        yield _drawing(found)


def open_connections(record: RunRecord) -> tuple[Values, Values]:
    """Instants since the first GET at which a connection opens or closes, and how many are open then."""
    first_get_s = min(each.request_s for each in record.objects)
    end_s = max(each.last_byte_s for each in record.objects)
    changes = []
    for connection in record.client_connections:
        closed_ns = connection.closed_ns
        changes += [
            (connection.started_ns * _NS, 1),
            (end_s if closed_ns is None else min(closed_ns * _NS, end_s), -1),
        ]
    instants, steps = (np.array(values, dtype=float) for values in zip(*sorted(changes), strict=True))
    return instants - first_get_s, np.cumsum(steps)


@style.applied()
def _drawing(found: Mapping[Variant, RunRecord]) -> Drawing:
    figure, (axis,) = style.canvas(panels=1, panel_height_in=_HIGH_IN, legend_rows=2)
    for place, (variant, record) in enumerate(found.items()):
        instants, numbers = open_connections(record)
        # Lines at the same height would cover each other.
        aside = 0.06 * (place - (len(found) - 1) / 2)
        axis.step(
            instants, numbers + aside, where="post", color=style.look(variant.http).colour, linewidth=1.3
        )
    _draw_published(axis)
    axis.set_xlim(-2.0, _SCALE_S)
    style.from_zero(axis)
    axis.set_xlabel("Time since the first GET in s")
    axis.set_ylabel("Open connections")
    _legend(figure, found)
    told = ", ".join(f"{variant.label} {len(record.client_connections)}" for variant, record in found.items())
    return Drawing(
        name="fig-3-connections",
        title="Fig. 3: connections over time",
        caption=f"The median load of each, until its end. Connections in all: {told}. Published: six at "
        "once, and where the loads of HTTP/1.1 (10 s) and SPDY (9 s) end; HTTP/1.0 ends at 131 s, over TLS "
        "at 198 s.",
        figure=figure,
    )


def _draw_published(axis: Axes) -> None:
    published_mark.draw(axis, published_mark.Mark(y=published.CONNECTIONS_AT_ONCE), style.GREY)
    for http in _ON_ITS_SCALE:
        published_mark.draw(axis, published_mark.Mark(x=published.PLT[http].value), style.look(http).colour)


def _legend(figure: Figure, found: Mapping[Variant, RunRecord]) -> None:
    keys = [
        Line2D([], [], color=style.look(variant.http).colour, linewidth=3.0, label=variant.label)
        for variant in found
    ]
    figure.legend(
        handles=[*keys, published_mark.line_key()],
        loc="outside upper left",
        ncols=4,
        handlelength=1.2,
        columnspacing=1.0,
        fontsize=7.5,
    )
