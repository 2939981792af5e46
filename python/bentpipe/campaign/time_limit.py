"""Runs whose time cannot be enough: told before they are measured, not after."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from bentpipe.campaign.plan import PlannedRun
from bentpipe.model.flow import BulkWorkload, Direction, FlowsWorkload, Iperf3Workload
from bentpipe.model.link import DirectionSpec, LinkSpec
from bentpipe.model.page import PageLoadWorkload
from bentpipe.model.spec import PingWorkload, RunSpec
from bentpipe.reasons.progress import payload_bytes
from bentpipe.scenario.link.description import nominal_bps

_SECOND_NS = 1_000_000_000
_BITS_PER_BYTE = 8


@dataclass(frozen=True, kw_only=True)
class Hopeless:
    """A cell whose workload takes longer than its time even on a link that loses nothing.

    Attributes
    ----------
    factors : mapping of str to str
        What tells the cell from others.
    least_ns : int
        The time that it takes at least.
    timeout_ns : int
        The time that it has (`validity.timeout`).
    """

    factors: Mapping[str, str]
    least_ns: int
    timeout_ns: int


def hopeless(runs: Iterable[PlannedRun], *, constants: Collection[str] = ()) -> tuple[Hopeless, ...]:
    """Return the cells that cannot end in their time.

    Parameters
    ----------
    runs
        One of each cell.
    constants
        The factors that do not tell cells apart.
    """
    return tuple(
        Hopeless(
            factors={name: value for name, value in run.cell.factors.items() if name not in constants},
            least_ns=least_ns,
            timeout_ns=run.spec.validity.timeout_ns,
        )
        for run in runs
        if (least_ns := least_time_ns(run.spec)) > run.spec.validity.timeout_ns
    )


def least_time_ns(spec: RunSpec) -> int:
    """Return a lower bound of the time that a workload takes.

    Its payload at the link's nominal rate, without headers, and one round trip: handshakes take more, but not
    with early data.
    """
    propagation_ns = spec.link.forward.delay_ns + spec.link.return_.delay_ns
    match spec.workload:
        case PingWorkload(count=count, interval_ns=interval_ns):
            return (count - 1) * interval_ns
        case BulkWorkload(duration_ns=int(duration_ns)) | FlowsWorkload(duration_ns=int(duration_ns)):
            return duration_ns
        case Iperf3Workload(duration_ns=int(duration_ns)):
            return duration_ns
        case PageLoadWorkload():
            direction = Direction.DOWN
        case workload:
            direction = workload.direction
    carrying = _carrying(spec, direction)
    if carrying.schedule is not None:
        # A path that changes may be faster than its nominal rate for as long as it takes, and nearer.
        return 0
    size = payload_bytes(spec.workload) or 0
    return propagation_ns + size * _BITS_PER_BYTE * _SECOND_NS // nominal_bps(carrying.capacity)


def _carrying(spec: RunSpec, direction: Direction) -> DirectionSpec:
    """Return the direction of the link that carries the payload."""
    link: LinkSpec = spec.link
    is_forward = (direction is Direction.DOWN) is (spec.server_behind is None)
    return link.forward if is_forward else link.return_
