"""The tail of round trips: the share above each, on a logarithmic axis."""

from collections.abc import Mapping

from bentpipe.figures import style
from bentpipe.figures.drawing import Drawing
from bentpipe.stats import Distribution


@style.applied()
def draw(*, name: str, title: str, axis_label: str, curves: Mapping[str, Distribution]) -> Drawing:
    """Draw a line for each of some named samples; each ends at its second largest value."""
    figure, (axis,) = style.canvas(panels=1, legend_rows=-(-len(curves) // 2))
    for place, (label, curve) in enumerate(curves.items()):
        axis.step(
            curve.value,
            curve.share,
            where="post",
            label=label,
            **style.nth_line(place),
        )
    axis.set_yscale("log")
    axis.yaxis.set_major_formatter("{x:g}")
    axis.set_ylabel("Share of pings above")
    axis.set_xlabel(axis_label)
    figure.legend(loc="outside upper left", ncols=2)
    counts = ", ".join(f"{curve.n}" for curve in curves.values())
    caption = f"Pings that came back, all runs together: {counts}."
    return Drawing(name=name, title=title, caption=caption, figure=figure)
