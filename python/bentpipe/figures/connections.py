"""Connection activity of one page load: what arrived over time, and below it a line for each connection."""

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from bentpipe.figures import colours, path_marks, style
from bentpipe.figures.bins import Series, bin_rates_bps, rows
from bentpipe.figures.drawing import Drawing
from bentpipe.figures.path_marks import NO_PATH
from bentpipe.model.record import ConnectionReport, ObjectTiming, RunRecord
from bentpipe.model.workload import page_load
from bentpipe.stats import duplicates

_LEAST_IN, _MOST_IN = 0.9, 5.0
_LINE_IN = 0.045
_FEW = 8
_NS = 1e-9


@style.applied()
def draw(*, name: str, title: str, record: RunRecord, link: Series, path: Series = NO_PATH) -> Drawing:
    """Draw a record's `client_connections` from first packet to last, with the objects that each carried.

    `link` is the run's series of that name, in bins of 100 ms, and so is `path`, where its path changes.
    """
    connections = record.client_connections
    height_in = min(max(_LEAST_IN, _LINE_IN * len(connections) + 0.5), _MOST_IN)
    figure, (rate, activity) = style.uneven_canvas(heights_in=[1.5, height_in])
    colour = style.look(page_load(record.spec).http).colour
    end_s = max((timing.last_byte_s for timing in record.objects), default=1.0)
    path_marks.draw_on((rate, activity), path)
    _draw_rate(rate, link, colour)
    _draw_connections(activity, connections, record.objects, colour, end_s)
    for axis in (rate, activity):
        axis.set_xlim(0.0, end_s * 1.01)
    style.from_zero(rate)
    activity.set_xlabel("Time since the start of the run in s")
    meanings = {"connecting": style.GREY, "TLS": colours.ORANGE, "an object": colour}
    style.colour_legend(figure, meanings, columns=6, marks=path_marks.keys(path))
    beside = f", {extra} of them opened because another took long" if (extra := duplicates(record)) else ""
    caption = (
        f"One run. Above: bytes that the link delivered to the client, in bins of 100 ms. Below: "
        f"{len(connections)} connections in the order in which they were opened{beside}; thin where a "
        "connection is open, thick from the request of an object to its last byte."
    )
    return Drawing(name=name, title=title, caption=caption, figure=figure)


def _draw_rate(axis: Axes, link: Series, colour: str) -> None:
    axis.set_title("Delivered by the link")
    axis.set_ylabel("Mbit/s")
    if rows(link):
        rates = bin_rates_bps(link, "forward_delivered_bytes") / 1e6
        axis.fill_between(link["time_s"], rates, step="pre", color=colour, alpha=0.35, linewidth=0)
        axis.step(link["time_s"], rates, where="pre", color=colour, linewidth=1.0)


def _draw_connections(
    axis: Axes,
    connections: Sequence[ConnectionReport],
    objects: Sequence[ObjectTiming],
    colour: str,
    end_s: float,
) -> None:
    axis.set_title("Connections")
    # A point of 1/72 inch is the least that is seen; few connections get broad lines.
    broad = min(7.0, max(1.2, 150 / max(len(connections), 1)))
    for place, connection in enumerate(connections):
        started_s = connection.started_ns * _NS
        closed_s = _seconds(connection.closed_ns, end_s)
        connected_s = _seconds(connection.connected_ns, closed_s)
        axis.hlines(place, started_s, closed_s, color=colour, linewidth=0.25 * broad)
        axis.hlines(place, started_s, connected_s, color=style.GREY, linewidth=0.6 * broad)
        if connection.secured_ns is not None:
            axis.hlines(
                place, connected_s, connection.secured_ns * _NS, color=colours.ORANGE, linewidth=0.6 * broad
            )
    if objects:
        axis.hlines(
            [timing.connection for timing in objects],
            [timing.request_s for timing in objects],
            [timing.last_byte_s for timing in objects],
            color=colour,
            linewidth=broad,
            alpha=0.75,
        )
    axis.set_ylim(max(len(connections), 1) - 0.4, -0.6)
    # Between the numbers of few connections a locator finds others.
    if len(connections) <= _FEW:
        axis.set_yticks(range(len(connections)))
    else:
        axis.yaxis.set_major_locator(MaxNLocator(integer=True))
    axis.set_ylabel("Connection")
    axis.grid(visible=False, axis="y")


def _seconds(instant_ns: int | None, otherwise_s: float) -> float:
    return otherwise_s if instant_ns is None else instant_ns * _NS
