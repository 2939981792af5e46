"""A link as it is specified: the way of a packet; of satellite carriers MODCODs, superframe and fading."""

import re
from collections.abc import Callable
from typing import TypeAlias

from matplotlib.axes import Axes

from bentpipe.figures import attenuation, modcod_ladder, packet_path, style, superframe
from bentpipe.figures.drawing import Drawing
from bentpipe.model.description import DirectionDescription
from bentpipe.model.link import CapacitySpec, Dvbs2CapacitySpec, Rcs2CapacitySpec
from bentpipe.scenario.link.description import describe_link
from bentpipe.scenario.links import Link

Panel: TypeAlias = tuple[float, Callable[[Axes], None]]
"""Height in inches, and what draws it."""


@style.applied()
def draw(link: Link) -> Drawing:
    """Draw a resolved link."""
    described = describe_link(link.spec)
    rows = packet_path.paths(link.spec, described)
    panels: list[Panel] = [(packet_path.height_in(rows), lambda axis: packet_path.draw_on(axis, rows))]
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
        caption="As specified, in clear sky; rates in IP packets of the largest size.",
        figure=figure,
    )


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
