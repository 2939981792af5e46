"""One run over time: the link's use, its queue and drops, the senders' windows and round trips."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes

from bentpipe.figures import path_marks, resume_phases, style
from bentpipe.figures.bins import Series, Values, bin_rates_bps, rows
from bentpipe.figures.drawing import Drawing
from bentpipe.figures.live import over_time
from bentpipe.figures.path_marks import NO_PATH, Capacity
from bentpipe.figures.style import Look


@style.applied()
def draw(
    *,
    name: str,
    title: str,
    protocol: str,
    link: Series,
    sender: Series,
    capacity_bps: float | None,
    flows: Mapping[int, Look] | None = None,
    path: Series = NO_PATH,
    phases: Sequence[tuple[float, str]] = (),
) -> Drawing:
    """Draw the forward direction of the series `link` and all connections of the series `sender`.

    `link` holds bytes per bin and is dated by the end of the bin; `capacity_bps` is drawn as a line. `flows`
    are the looks of connections by the client's port, where they differ. `path` is the series of that name of
    a path that changes: its handovers and interruptions are marked, and the line is its capacity. `phases`
    are those of Careful Resume, each with its start in s; they stand behind the window.
    """
    end = max((float(series["time_s"][-1]) for series in (link, sender) if rows(series)), default=1.0)
    resumed = resume_phases.spans(phases, end_s=end)
    flows, marks = flows or {}, [*path_marks.keys(path), *resume_phases.keys(resumed)]
    figure, axes = style.canvas(panels=4, panel_height_in=1.35, legend_rows=1 if flows or marks else 0)
    use, queue, window, round_trip = axes
    colour = style.look(protocol).colour
    path_marks.draw_on(axes, path)
    resume_phases.draw_on(window, resumed)
    _draw_use(use, link, colour, path_marks.capacity(path, "forward", otherwise_bps=capacity_bps))
    _draw_queue(queue, link, colour)
    _draw_sender(window, round_trip, sender, {port: look.colour for port, look in flows.items()}, colour)
    for axis in axes:
        axis.set_xlim(0.0, end)
        style.from_zero(axis)
    style.colour_legend(figure, {look.label: look.colour for look in flows.values()}, columns=4, marks=marks)
    round_trip.set_xlabel("Time since the start of the run in s")
    caption = "One run, forward direction, in bins of 100 ms. A cross marks a bin in which packets were lost."
    return Drawing(
        name=name,
        title=title,
        caption=caption,
        figure=figure,
        live=lambda: over_time.draw(
            link=link,
            sender=sender,
            colour=colour,
            capacity_bps=capacity_bps,
            flows=flows,
            end_s=end,
            path=path,
        ),
    )


def _draw_use(axis: Axes, link: Series, colour: str, capacity: Capacity | None) -> None:
    axis.set_title("Delivered by the link" + (" (dashed: its capacity)" if capacity else ""))
    axis.set_ylabel("Mbit/s")
    if capacity is not None:
        path_marks.draw_capacity(axis, capacity)
    if rows(link):
        rates = bin_rates_bps(link, "forward_delivered_bytes") / 1e6
        axis.fill_between(link["time_s"], rates, step="pre", color=colour, alpha=0.35, linewidth=0)
        axis.step(link["time_s"], rates, where="pre", color=colour)


def _draw_queue(axis: Axes, link: Series, colour: str) -> None:
    axis.set_title("Waiting in the link's queue")
    axis.set_ylabel("kB")
    if not rows(link):
        return
    queue = np.asarray(link["forward_queue_bytes"], dtype=float) / 1000
    axis.plot(link["time_s"], queue, color=colour)
    lost = np.asarray(link["forward_drops"]) > 0
    axis.plot(np.asarray(link["time_s"])[lost], queue[lost], "x", color="black", markersize=5)


def _draw_sender(
    window: Axes, round_trip: Axes, sender: Series, colours: Mapping[int, str], other: str
) -> None:
    window.set_title("Congestion window (line) and bytes in flight (dots)")
    window.set_ylabel("kB")
    round_trip.set_title("Smoothed round trip")
    round_trip.set_ylabel("ms")
    if not rows(sender):
        return
    ports = np.asarray(sender["client_port"])
    for port in np.unique(ports):
        colour = colours.get(int(port), other)
        times = np.asarray(sender["time_s"])[ports == port]

        def column(name: str, port: float = port) -> Values:
            values: Values = np.asarray(sender[name], dtype=float)[ports == port]
            return values

        window.plot(times, column("cwnd_bytes") / 1000, color=colour)
        window.plot(times, column("in_flight_bytes") / 1000, ".", color=colour, markersize=2.5)
        round_trip.plot(times, column("srtt_s") * 1000, color=colour)
