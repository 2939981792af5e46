"""The tail of round trips: the share above each, on a logarithmic axis."""

from collections.abc import Mapping, Sequence

from bentpipe.figures import published_mark, style
from bentpipe.figures.drawing import Drawing
from bentpipe.figures.live import lines
from bentpipe.stats import Distribution


@style.applied()
def draw(
    *,
    name: str,
    title: str,
    axis_label: str,
    curves: Mapping[str, Distribution],
    published: Sequence[published_mark.Mark] = (),
    published_gap: tuple[float, float] | None = None,
) -> Drawing:
    """Draw a line for each of some named samples; each ends at its second largest value.

    `published_gap` are the ends of a range in which a publication has nothing.
    """
    figure, (axis,) = style.canvas(panels=1, legend_rows=-(-len(curves) // 2))
    for place, (label, curve) in enumerate(curves.items()):
        axis.step(
            curve.value,
            curve.share,
            where="post",
            label=label,
            **style.nth_line(place),
        )
    for mark in published:
        published_mark.draw(axis, mark, "black")
    if published_gap is not None:
        axis.axvspan(*published_gap, color="#E3E3E3", linewidth=0, label="published: none")
    axis.set_yscale("log")
    axis.yaxis.set_major_formatter("{x:g}")
    axis.set_ylabel("Share of pings above")
    axis.set_xlabel(axis_label)
    handles = axis.get_legend_handles_labels()[0]
    if published:
        handles.append(published_mark.point_key())
    figure.legend(handles=handles, loc="outside upper left", ncols=2)
    counts = ", ".join(f"{curve.n}" for curve in curves.values())
    caption = f"Pings that came back, all runs together: {counts}."
    panel = lines.Panel(
        title="",
        y_label="Share of pings above",
        lines=[
            lines.Line(
                label=label,
                x=curve.value,
                y=curve.share,
                colour=style.nth_line(place)["color"],
                shape="step-after",
                dash="dashed" if place % 2 else "solid",
            )
            for place, (label, curve) in enumerate(curves.items())
        ],
        is_logarithmic=True,
    )
    return Drawing(
        name=name,
        title=title,
        caption=caption,
        figure=figure,
        live=lambda: lines.draw([panel], x_label=axis_label),
    )
