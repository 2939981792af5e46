"""Two loads of one page, one waterfall below the other on the same axis of time."""

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from bentpipe.figures import style
from bentpipe.figures.drawing import Drawing
from bentpipe.figures.load_phases import HANDSHAKE, LOOKUP, QUEUED, TLS, WAIT_OPACITY, phases
from bentpipe.model.record import RunRecord

_ROW_IN = 0.025
_LEAST_IN, _MOST_IN = 1.1, 2.8
_FULL, _THIN = 0.8, 0.2


@dataclass(frozen=True, kw_only=True)
class Load:
    """A load with the words that stand over it."""

    words: str
    record: RunRecord


@style.applied()
def draw(*, name: str, title: str, caption: str, loads: Sequence[Load]) -> Drawing:
    """Draw the loads as `load_phases` has them. A line marks the end of each."""
    rows = [len(load.record.client_connections) + len(load.record.objects) for load in loads]
    heights_in = [min(max(count * _ROW_IN, _LEAST_IN), _MOST_IN) for count in rows]
    figure = Figure(figsize=(style.WIDTH_IN, sum(heights_in) + 0.45 * len(loads) + 0.6))
    axes = figure.subplots(len(loads), 1, squeeze=False, sharex=True, height_ratios=heights_in)[:, 0]
    for axis, load in zip(axes, loads, strict=True):
        _draw_one(axis, load)
    axes[-1].set_xlabel("Time in s")
    axes[-1].set_xlim(left=0.0)
    key = _key(has_lookups=any(load.record.spec.dns is not None for load in loads))
    figure.legend(
        handles=key, loc="outside lower center", ncols=len(key), handlelength=1.0, columnspacing=1.0
    )
    return Drawing(name=name, title=title, caption=caption, figure=figure)


def _draw_one(axis: Axes, load: Load) -> None:
    for phase in phases(load.record):
        axis.barh(
            [span.row for span in phase.spans],
            [span.end_s - span.start_s for span in phase.spans],
            left=[span.start_s for span in phase.spans],
            height=_THIN if phase.is_thin else _FULL,
            color=phase.colour,
            alpha=phase.opacity,
            linewidth=0,
        )
    rows = len(load.record.client_connections) + len(load.record.objects)
    end_s = max((float(each.last_byte_s) for each in load.record.objects), default=0.0)
    axis.axvline(end_s, color="black", linewidth=0.8)
    axis.set_ylim(rows - 0.2, -0.8)
    axis.set_title(load.words)
    axis.grid(visible=False, axis="y")
    style.strip(axis)


def _key(*, has_lookups: bool) -> list[Patch]:
    lookup = [Patch(color=LOOKUP, label="name lookup")] if has_lookups else []
    return [
        *lookup,
        Patch(color=HANDSHAKE, label="connecting"),
        Patch(color=TLS, label="TLS"),
        Patch(color=QUEUED, label="not asked for"),
        Patch(color=style.GREY, alpha=WAIT_OPACITY, label="waiting"),
        Patch(color=style.GREY, label="receiving"),
    ]
