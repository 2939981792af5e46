"""A link as it is specified: the way of a packet; changes over time; MODCODs, superframe and fading."""

import re
from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from matplotlib.axes import Axes

from bentpipe.figures import (
    attenuation,
    modcod_ladder,
    packet_path,
    path_over_time,
    style,
    superframe,
)
from bentpipe.figures.drawing import Drawing
from bentpipe.model.description import DirectionDescription
from bentpipe.model.dvbs2 import Dvbs2CapacitySpec
from bentpipe.model.link import CapacitySpec, LinkSpec
from bentpipe.model.rcs2 import Rcs2CapacitySpec
from bentpipe.scenario import defaults
from bentpipe.scenario.link.description import describe_link, schedule_series
from bentpipe.scenario.links import Link

Panel: TypeAlias = tuple[float, Callable[[Axes], None]]
"""Height in inches, and what draws it."""

_OF_WHICH_RUN = f" What changes over time is that of a run with seed {defaults.SEED}."
SPAN_NS = 180_000_000_000
"""How much of it: a dozen epochs of Starlink's."""


@style.applied()
def draw(link: Link) -> Drawing:
    """Draw a resolved link."""
    described = describe_link(link.spec)
    rows = packet_path.paths(link.spec, described)
    panels: list[Panel] = [(packet_path.height_in(rows), lambda axis: packet_path.draw_on(axis, rows))]
    panels += _path_panels(link.spec)
    panels += _forward_panels(link.spec.forward.capacity, described.forward)
    panels += _return_panels(link.spec.return_.capacity, described.return_)
    legs = attenuation.legs(link.spec)
    if legs:
        panels.append((attenuation.HEIGHT_IN, lambda axis: attenuation.draw_on(axis, legs)))
    figure, axes = style.uneven_canvas(heights_in=[height for height, _ in panels], legend_rows=2)
    for axis, (_, draw_on) in zip(axes, panels, strict=True):
        draw_on(axis)
    packet_path.legend(figure, rows)
    return Drawing(
        name=re.sub(r"[^\w.-]+", "-", link.name),
        title=f"{link.name}: {link.title}" if link.title else link.name,
        caption="As specified, in clear sky; rates in IP packets of the largest size."
        + (_OF_WHICH_RUN if _changes(link.spec) else ""),
        figure=figure,
    )


def _changes(spec: LinkSpec) -> bool:
    return spec.forward.schedule is not None or spec.return_.schedule is not None


def _path_panels(spec: LinkSpec) -> list[Panel]:
    """What changes over some minutes; nothing of a link that stands still."""
    if not _changes(spec):
        return []
    table = schedule_series(spec, seed=defaults.SEED, span_ns=SPAN_NS)
    path = {name: np.asarray(values, dtype=float) for name, values in table.items()}
    first, *others = path_over_time.panels(path)

    def with_legend(axis: Axes) -> None:
        first(axis)
        path_over_time.legend_above(axis, path)

    *between, last = [with_legend, *others]

    def with_label(axis: Axes) -> None:
        last(axis)
        axis.set_xlabel("Time since the start of the workload in s")

    return [(path_over_time.PANEL_IN, draw_on) for draw_on in (*between, with_label)]


def _forward_panels(capacity: CapacitySpec, described: DirectionDescription) -> list[Panel]:
    carrier = described.dvbs2
    if carrier is None or not isinstance(capacity, Dvbs2CapacitySpec):
        return []
    return [(modcod_ladder.HEIGHT_IN, lambda axis: modcod_ladder.draw_on(axis, capacity, carrier))]


def _return_panels(capacity: CapacitySpec, described: DirectionDescription) -> list[Panel]:
    if described.rcs2 is None or not isinstance(capacity, Rcs2CapacitySpec):
        return []
    slots = described.rcs2.slots
    draws = (
        lambda axis: superframe.draw_layout_on(axis, capacity.layout, slots),
        lambda axis: superframe.draw_burst_on(axis, capacity.layout, slots),
        lambda axis: superframe.draw_mixes_on(axis, capacity, slots),
    )
    return list(zip(superframe.heights_in(capacity), draws, strict=True))
