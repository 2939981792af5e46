"""From idle to the first byte: round trips of lone pings, by how the return link assigns capacity."""

from collections.abc import Mapping

import numpy as np

from bentpipe.figures import style
from bentpipe.figures.drawing import Drawing, count_range
from bentpipe.figures.live import lines
from bentpipe.stats import Distribution

_LONGEST_IN_TWO_COLUMNS = 30


@style.applied()
def draw(
    *, name: str, title: str, schemes: Mapping[str, Distribution], propagation_s: float | None
) -> Drawing:
    """Draw the cumulative distribution of each scheme's round trips in seconds.

    `propagation_s` is the round trip of light, below which nothing can be; None where it differs.
    """
    columns = 2 if max(map(len, schemes)) <= _LONGEST_IN_TWO_COLUMNS else 1
    figure, (axis,) = style.canvas(panels=1, panel_height_in=2.6, legend_rows=-(-len(schemes) // columns))
    for place, (label, curve) in enumerate(schemes.items()):
        # Below the smallest value there is nothing.
        axis.step(
            [curve.value[0], *curve.value],
            [0.0, *curve.share],
            where="post",
            label=label,
            **style.nth_line(place),
        )
    if propagation_s is not None:
        axis.axvline(propagation_s, color=style.GREY, linewidth=1.0, linestyle=(0, (4, 2)))
        axis.annotate(
            "propagation", (propagation_s, 0.03), xycoords=("data", "axes fraction"), rotation=90,
            xytext=(-2, 0), textcoords="offset points", ha="right", color=style.GREY, fontsize=8,
        )  # fmt: skip
    axis.set_ylim(0.0, 1.02)
    axis.set_xlim(left=0.0)
    axis.set_ylabel("Share of pings at or below")
    axis.set_xlabel("Round trip in s")
    figure.legend(loc="outside upper left", ncols=columns)
    counts = count_range([curve.n for curve in schemes.values()])
    caption = f"Pings that came back, all runs together: {counts} per line."
    panel = lines.Panel(
        title="",
        y_label="Share of pings at or below",
        lines=[
            lines.Line(
                label=label,
                x=np.concatenate([curve.value[:1], curve.value]),
                y=np.concatenate([[0.0], curve.share]),
                colour=style.nth_line(place)["color"],
                shape="step-after",
                dash="dashed" if place % 2 else "solid",
            )
            for place, (label, curve) in enumerate(schemes.items())
        ],
        mark=propagation_s,
        highest=1.02,
    )
    return Drawing(
        name=name,
        title=title,
        caption=caption,
        figure=figure,
        live=lambda: lines.draw([panel], x_label="Round trip in s"),
    )
