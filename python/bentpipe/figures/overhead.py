"""Overhead against page size: ours in both ways of counting beside the published values."""

from collections.abc import Mapping, Sequence

from matplotlib.lines import Line2D

from bentpipe.figures import style
from bentpipe.figures.drawing import Drawing, interval_caption
from bentpipe.figures.mean_mark import reach
from bentpipe.stats import Summary


@style.applied()
def draw(
    *,
    name: str,
    title: str,
    sizes_bytes: Sequence[int],
    both_directions: Mapping[str, Mapping[int, Summary]],
    forward_only: Mapping[str, Mapping[int, Summary]],
    published_percent: Mapping[str, Mapping[int, float]],
) -> Drawing:
    """Draw one panel per protocol; each mapping is protocol -> page size in bytes -> percent."""
    figure, axes = style.canvas(panels=len(published_percent), panel_height_in=1.65, legend_rows=2)
    for axis, (protocol, published) in zip(axes, published_percent.items(), strict=True):
        look = style.look(protocol)
        for ours, face, shift in ((both_directions, look.colour, -0.12), (forward_only, "white", 0.12)):
            for place, size in enumerate(sizes_bytes):
                summary = ours.get(protocol, {}).get(size)
                if summary is None:
                    continue
                axis.errorbar(
                    place + shift, summary.mean, yerr=reach(summary), color=look.colour, marker=look.marker,
                    markerfacecolor=face, capsize=2.5, elinewidth=0.9,
                )  # fmt: skip
        axis.hlines(
            [published[size] for size in sizes_bytes],
            [place - 0.35 for place in range(len(sizes_bytes))],
            [place + 0.35 for place in range(len(sizes_bytes))],
            color="black",
            linewidth=1.4,
        )
        axis.set_title(look.label)
        axis.set_ylabel("Overhead in %")
        style.from_zero(axis)
        axis.set_xticks(range(len(sizes_bytes)), [f"{size / 1000:g}" for size in sizes_bytes])
        axis.grid(visible=False, axis="x")
    axes[-1].set_xlabel("Page size in kB")
    keys = [
        Line2D([], [], color="black", label="published"),
        Line2D([], [], color=style.GREY, marker="o", linestyle="none", label="ours, both directions"),
        Line2D([], [], color=style.GREY, marker="o", markerfacecolor="white", linestyle="none",
               label="ours, forward only"),
    ]  # fmt: skip
    figure.legend(handles=keys, loc="outside upper left", ncols=2)
    counts = [s.n for ours in (both_directions, forward_only) for m in ours.values() for s in m.values()]
    return Drawing(name=name, title=title, caption=interval_caption(counts), figure=figure)
