"""Two loads of one page, one waterfall below the other on the same axis of time."""

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from bentpipe.figures import style
from bentpipe.figures.drawing import Drawing
from bentpipe.figures.waterfall import HANDSHAKE, QUEUED, TLS, WAIT_OPACITY
from bentpipe.model.record import ConnectionReport, ObjectTiming, RunRecord

_ROW_IN = 0.025
_LEAST_IN, _MOST_IN = 1.1, 2.8
_FULL, _THIN = 0.8, 0.2

Span = tuple[float, float, float]
"""Start, end and row."""


@dataclass(frozen=True, kw_only=True)
class Load:
    """A load with the words that stand over it."""

    words: str
    record: RunRecord


@style.applied()
def draw(*, name: str, title: str, caption: str, loads: Sequence[Load]) -> Drawing:
    """Draw the loads, connections first, then objects in the order of their requests.

    Thin grey: known, not yet asked for. Pale: waiting for the first byte. Full: receiving. Of a connection
    dark: connecting, amber: TLS. A line marks the end of each load.
    """
    rows = [len(load.record.client_connections) + len(load.record.objects) for load in loads]
    heights_in = [min(max(count * _ROW_IN, _LEAST_IN), _MOST_IN) for count in rows]
    figure = Figure(figsize=(style.WIDTH_IN, sum(heights_in) + 0.45 * len(loads) + 0.6))
    axes = figure.subplots(len(loads), 1, squeeze=False, sharex=True, height_ratios=heights_in)[:, 0]
    for axis, load in zip(axes, loads, strict=True):
        _draw_one(axis, load)
    axes[-1].set_xlabel("Time in s")
    axes[-1].set_xlim(left=0.0)
    figure.legend(handles=_key(), loc="outside lower center", ncols=5, handlelength=1.0, columnspacing=1.0)
    return Drawing(name=name, title=title, caption=caption, figure=figure)


def _draw_one(axis: Axes, load: Load) -> None:
    connections = load.record.client_connections
    objects = sorted(load.record.objects, key=lambda each: (each.request_s, each.discovered_s))
    first = len(connections)
    workload = load.record.spec.workload
    colour = style.look(workload.http if workload.kind == "page-load" else "").colour
    for spans, paint, height, opacity in (
        (_connecting(connections), HANDSHAKE, _FULL, 1.0),
        (_securing(connections), TLS, _FULL, 1.0),
        (_spans(objects, "discovered_s", "request_s", first), QUEUED, _THIN, 1.0),
        (_spans(objects, "request_s", "first_byte_s", first), colour, _FULL, WAIT_OPACITY),
        (_spans(objects, "first_byte_s", "last_byte_s", first), colour, _FULL, 1.0),
    ):
        axis.barh(
            [row for _, _, row in spans],
            [end_s - start_s for start_s, end_s, _ in spans],
            left=[start_s for start_s, _, _ in spans],
            height=height,
            color=paint,
            alpha=opacity,
            linewidth=0,
        )
    end_s = max((float(each.last_byte_s) for each in objects), default=0.0)
    axis.axvline(end_s, color="black", linewidth=0.8)
    axis.set_ylim(first + len(objects) - 0.2, -0.8)
    axis.set_title(load.words)
    axis.grid(visible=False, axis="y")
    style.strip(axis)


def _connecting(connections: Sequence[ConnectionReport]) -> list[Span]:
    return [
        (each.started_ns / 1e9, each.connected_ns / 1e9, row)
        for row, each in enumerate(connections)
        if each.connected_ns is not None
    ]


def _securing(connections: Sequence[ConnectionReport]) -> list[Span]:
    return [
        (each.connected_ns / 1e9, each.secured_ns / 1e9, row)
        for row, each in enumerate(connections)
        if each.connected_ns is not None and each.secured_ns is not None
    ]


def _spans(objects: Sequence[ObjectTiming], start: str, end: str, first_row: int) -> list[Span]:
    spans = ((getattr(each, start), getattr(each, end), row) for row, each in enumerate(objects, first_row))
    return [(float(a_s), float(b_s), row) for a_s, b_s, row in spans if a_s is not None and b_s is not None]


def _key() -> list[Patch]:
    return [
        Patch(color=HANDSHAKE, label="connecting"),
        Patch(color=TLS, label="TLS"),
        Patch(color=QUEUED, label="not asked for"),
        Patch(color=style.GREY, alpha=WAIT_OPACITY, label="waiting"),
        Patch(color=style.GREY, label="receiving"),
    ]
