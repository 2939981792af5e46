"""What a lone small packet goes through on a link in each direction, and the queue that it may find."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from bentpipe.figures import colours, style
from bentpipe.model.channel import EmpiricalJitterSpec, JitterSpec, NormalJitterSpec
from bentpipe.model.description import (
    DirectionDescription,
    Dvbs2Description,
    LinkDescription,
    Rcs2Description,
)
from bentpipe.model.dvbs2 import Dvbs2CapacitySpec
from bentpipe.model.link import CapacitySpec, LinkSpec
from bentpipe.model.queue import PacketsQueueSpec, QueueSpec, TimeQueueSpec
from bentpipe.model.rcs2 import Rcs2CapacitySpec
from bentpipe.scenario.link.description import by_number

PACKET_BYTES = 84
"""As ping sends it: 56 B behind the headers of IP and ICMP."""

_COLOURS = {
    "waiting, at most": colours.SKY_BLUE,
    "request and plan": colours.ORANGE,
    "transmission": colours.GREEN,
    "propagation": colours.BLUE,
    "full queue": colours.VERMILION,
}
_ROW_HEIGHT_IN = 0.5


@dataclass(frozen=True, kw_only=True)
class PacketPath:
    """The path of a packet through one direction: the stages in order, in seconds, by what they are.

    `variation` says how the propagation varies, nothing where it does not.
    """

    heading: str
    variation: str
    stages: Sequence[tuple[str, float]]


def paths(spec: LinkSpec, described: LinkDescription) -> list[PacketPath]:
    """The paths through a link: forward, then return, within a constant rate and on demand."""
    found = []
    for name, direction, model in (
        ("Forward", spec.forward, described.forward),
        ("Return", spec.return_, described.return_),
    ):
        rate = model.nominal_bps
        for variant, stages in _access(direction.capacity, model):
            queue_s = _full_queue_s(direction.queue, rate, spec.mtu_bytes)
            found.append(
                PacketPath(
                    heading=f"{name}, {rate / 1e6:.3g} Mbit/s{variant}",
                    variation=_variation(direction.jitter),
                    stages=[*stages, ("propagation", model.shortest_delay_ns / 1e9), ("full queue", queue_s)],
                )
            )
    return found


def height_in(rows: Sequence[PacketPath]) -> float:
    """Height of the panel."""
    return 0.65 + _ROW_HEIGHT_IN * len(rows)


def draw_on(axis: Axes, rows: Sequence[PacketPath]) -> None:
    """Draw a bar for each path, with the full queue at its end."""
    for place, path in enumerate(rows):
        left = 0.0
        for stage, seconds in path.stages:
            alpha = 0.45 if stage == "full queue" else 1.0
            axis.barh(
                place, seconds * 1e3, left=left, height=0.4, color=_COLOURS[stage], alpha=alpha, linewidth=0
            )
            left += seconds * 1e3
        style.heading(axis, place - 0.3, f"{path.heading}: {_summary(path)}")
    axis.set_ylim(len(rows) - 0.7, -0.85)
    style.strip(axis)
    axis.set_xlim(left=0.0)
    axis.margins(x=0.02)
    axis.grid(visible=False, axis="y")
    axis.set_title(f"Path of a lone packet of {PACKET_BYTES} B")
    axis.set_xlabel("ms")


def legend(figure: Figure, rows: Sequence[PacketPath]) -> None:
    """Say above the axes what the colours of the bars are."""
    stages = {stage for path in rows for stage, seconds in path.stages if seconds}
    shown = {stage: colour for stage, colour in _COLOURS.items() if stage in stages}
    style.colour_legend(figure, shown, columns=3)


def _summary(path: PacketPath) -> str:
    times = dict.fromkeys(_COLOURS, 0.0)
    for stage, seconds in path.stages:
        times[stage] += seconds * 1e3
    queue, most = times.pop("full queue"), sum(times.values())
    least = most - times["waiting, at most"]
    span = f"{least:.0f} ms" if round(least) == round(most) else f"{least:.0f} to {most:.0f} ms"
    return f"{span}{path.variation}; full queue {queue:.0f} ms"


def _variation(jitter: JitterSpec) -> str:
    match jitter:
        case NormalJitterSpec(sd_ns=sd_ns):
            return f", sd {sd_ns / 1e6:.3g} ms"
        case EmpiricalJitterSpec(quantiles=points):
            known = [point.p for point in points], [point.offset_ns / 1e6 for point in points]
            low, high = np.interp((0.005, 0.995), *known)
            return f" {low:+.0f} to {high:+.0f} ms (99 %)".replace("-", "\N{MINUS SIGN}")
        case _:
            return ""


def _access(
    capacity: CapacitySpec, model: DirectionDescription
) -> Iterator[tuple[str, list[tuple[str, float]]]]:
    """What comes before propagation, by what it holds for."""
    if isinstance(capacity, Dvbs2CapacitySpec) and model.dvbs2 is not None:
        yield "", _frames(capacity, model.dvbs2)
    elif isinstance(capacity, Rcs2CapacitySpec) and model.rcs2 is not None:
        yield from _slots(capacity, model.rcs2)
    else:
        yield "", [("transmission", PACKET_BYTES * 8 / model.nominal_bps)]


def _frames(capacity: Dvbs2CapacitySpec, model: Dvbs2Description) -> list[tuple[str, float]]:
    frame = by_number(model)[model.in_use[-1]].symbols
    waiting = ("waiting, at most", (capacity.closing_timeout_ns + (capacity.scheduling_period_ns or 0)) / 1e9)
    return [waiting, ("transmission", frame / capacity.symbols_per_s)]


def _slots(
    capacity: Rcs2CapacitySpec, model: Rcs2Description
) -> Iterator[tuple[str, list[tuple[str, float]]]]:
    """docs/models/dama.md, delay of an idle terminal."""
    layout, mix = capacity.layout, capacity.mix
    superframe = model.slots.superframe_symbols / layout.symbols_per_s
    bursts = -(-PACKET_BYTES // model.slots.burst.payload_bytes)
    sending = ("transmission", bursts * layout.burst_symbols / layout.symbols_per_s)
    if model.longest_gap is not None:
        yield ", constant rate", [("waiting, at most", superframe * model.longest_gap), sending]
    if mix.rbdc or mix.volume:
        period = capacity.signalling.period
        asking = layout.request_symbols / layout.symbols_per_s
        loop = asking + (capacity.request_delay_ns + capacity.lead_ns) / 1e9
        waiting = ("waiting, at most", superframe)
        yield ", on demand", [
            ("waiting, at most", period * superframe), ("request and plan", loop), waiting, sending,
        ]  # fmt: skip


def _full_queue_s(queue: QueueSpec, rate_bps: int, mtu_bytes: int) -> float:
    match queue:
        case PacketsQueueSpec(limit_packets=limit_packets):
            return limit_packets * mtu_bytes * 8 / rate_bps
        case TimeQueueSpec(limit_ns=limit_ns):
            return limit_ns / 1e9
        case _:
            return queue.limit_bytes * 8 / rate_bps
