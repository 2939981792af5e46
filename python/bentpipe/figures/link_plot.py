"""A link as it is specified: the way of a packet; of satellite carriers MODCODs, superframe and fading."""

import re
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from matplotlib.axes import Axes

from bentpipe.figures import attenuation, modcod_ladder, packet_way, style, superframe
from bentpipe.figures.drawing import Drawing
from bentpipe.scenario.links import Link

Panel: TypeAlias = tuple[float, Callable[[Axes], None]]
"""Height in inches, and what draws it."""


@style.applied()
def draw(link: Link) -> Drawing:
    """Draw a resolved link."""
    rows = packet_way.ways(link.spec)
    panels: list[Panel] = [(packet_way.height_in(rows), lambda axis: packet_way.draw_on(axis, rows))]
    for way in ("forward", "return"):
        panels += _carrier_panels(link.spec[way]["capacity"])
    legs = attenuation.legs(link.spec)
    if legs:
        panels.append((attenuation.HEIGHT_IN, lambda axis: attenuation.draw_on(axis, legs)))
    figure, axes = style.uneven_canvas(heights_in=[height for height, _ in panels], legend_rows=2)
    for axis, (_, draw_on) in zip(axes, panels, strict=True):
        draw_on(axis)
    packet_way.legend(figure, rows)
    return Drawing(
        name=re.sub(r"[^\w.-]+", "-", link.name),
        title=f"{link.name}: {link.title}" if link.title else link.name,
        caption="As specified, in clear sky; rates in IP packets of the largest size.",
        figure=figure,
    )


def _carrier_panels(capacity: Mapping[str, Any]) -> list[Panel]:
    if capacity["kind"] == "dvbs2":
        return [(modcod_ladder.HEIGHT_IN, lambda axis: modcod_ladder.draw_on(axis, capacity))]
    if capacity["kind"] == "rcs2":
        draws = (
            lambda axis: superframe.draw_layout_on(axis, capacity["layout"]),
            lambda axis: superframe.draw_burst_on(axis, capacity),
            lambda axis: superframe.draw_mixes_on(axis, capacity),
        )
        return list(zip(superframe.heights_in(capacity), draws, strict=True))
    return []
