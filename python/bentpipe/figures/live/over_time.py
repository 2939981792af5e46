"""One run over time: the same four panels as `figures.run_over_time`."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np

from bentpipe.figures import path_marks
from bentpipe.figures.bins import Series, Values, bin_rates_bps, rows
from bentpipe.figures.live import lines
from bentpipe.figures.live.lines import Line, Panel, PathMarks
from bentpipe.figures.path_marks import NO_PATH, Capacity
from bentpipe.figures.style import GREY, Look
from bentpipe.stats import stretches
from bentpipe.stats.counter import BIN_S

if TYPE_CHECKING:
    from bokeh.models import LayoutDOM


def draw(
    *,
    link: Series,
    sender: Series,
    colour: str,
    capacity_bps: float | None,
    flows: Mapping[int, Look],
    end_s: float,
    path: Series = NO_PATH,
) -> "LayoutDOM":
    """Draw the forward direction of `link`, and all connections of `sender`, until `end_s`.

    `colour` is that of connections that have none in `flows`, by the client's port. The marks of `path` are
    in every panel, and its capacity is in place of `capacity_bps`.
    """
    capacity = path_marks.capacity(path, "forward", otherwise_bps=capacity_bps)
    is_constant = capacity is not None and capacity.end_s is None
    marks = PathMarks(handovers_s=path_marks.handovers(path), stretches=stretches(path) if rows(path) else ())
    panels = [
        Panel(
            title="Delivered by the link" + (" (dashed: its capacity)" if capacity else ""),
            y_label="Mbit/s",
            lines=[*_rates(link, colour), *_capacity(capacity)],
            level=capacity_bps / 1e6 if is_constant and capacity_bps is not None else None,
        ),
        Panel(title="Waiting in the link's queue", y_label="kB", lines=list(_queue(link, colour))),
        Panel(
            title="Congestion window (line) and bytes in flight (dots)",
            y_label="kB",
            lines=[*_of_sender(sender, "cwnd_bytes", 1e-3, "window", colour, flows),
                   *_of_sender(sender, "in_flight_bytes", 1e-3, "in flight", colour, flows)],
        ),
        Panel(
            title="Smoothed round trip",
            y_label="ms",
            lines=list(_of_sender(sender, "srtt_s", 1e3, "round trip", colour, flows)),
        ),
    ]  # fmt: skip
    return lines.draw(panels, x_label="Time since the start of the run in s", x_end=end_s, marks=marks)


def _capacity(capacity: Capacity | None) -> Iterator[Line]:
    if capacity is not None and capacity.end_s is not None:
        times, rates = path_marks.stepped(capacity.end_s, capacity.bps / 1e6)
        yield Line(label="capacity", x=times, y=rates, colour=GREY, shape="step-before", dash="dashed")


def _rates(link: Series, colour: str) -> Iterator[Line]:
    if rows(link):
        rates = bin_rates_bps(link, "forward_delivered_bytes") / 1e6
        times = np.asarray(link["time_s"], dtype=float)
        # The first bin has a beginning too.
        times, rates = (
            np.concatenate([[max(0.0, times[0] - BIN_S)], times]),
            np.concatenate([rates[:1], rates]),
        )
        yield Line(label="delivered", x=times, y=rates, colour=colour, shape="step-before")


def _queue(link: Series, colour: str) -> Iterator[Line]:
    if not rows(link):
        return
    times, queue = np.asarray(link["time_s"]), np.asarray(link["forward_queue_bytes"], dtype=float) / 1e3
    yield Line(label="queue", x=times, y=queue, colour=colour)
    lost = np.asarray(link["forward_drops"]) > 0
    if lost.any():
        yield Line(label="packets lost", x=times[lost], y=queue[lost], colour="black", shape="crosses")


def _of_sender(
    sender: Series, column: str, scale: float, label: str, colour: str, flows: Mapping[int, Look]
) -> Iterator[Line]:
    if not rows(sender):
        return
    ports = np.asarray(sender["client_port"])
    for port in np.unique(ports):
        look = flows.get(int(port))
        values: Values = np.asarray(sender[column], dtype=float)[ports == port] * scale
        yield Line(
            label=f"{label}, {look.label}" if look else label,
            x=np.asarray(sender["time_s"])[ports == port],
            y=values,
            colour=look.colour if look else colour,
            shape="dots" if column == "in_flight_bytes" else "line",
        )
