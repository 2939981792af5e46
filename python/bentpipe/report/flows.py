"""What each flow got, and what queues that mark packets did, over the runs of a cell."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bentpipe.model.flow import BulkWorkload, FlowsWorkload
from bentpipe.model.record import FlowRecord, QueueRecord
from bentpipe.model.spec import RunSpec
from bentpipe.report.cells import CellResult
from bentpipe.scenario.hosts.flows import flow_label, sender_label


@dataclass(frozen=True, kw_only=True)
class FlowResult:
    """One flow; means over the runs that succeeded, None where no run has the value."""

    label: str
    goodput_bps: float | None
    share: float | None
    retransmitted_packets: float | None
    rtt_mean_s: float | None
    rtt_p99_s: float | None
    """Of the sender's smoothed RTT, where the link's queues mark packets."""


@dataclass(frozen=True, kw_only=True)
class QueueResult:
    """One class of a queue that marks packets; means over the runs that succeeded."""

    label: str
    packets: float | None
    marked_packets: float | None
    dropped_packets: float | None
    wait_p50_s: float | None
    wait_p99_s: float | None


@dataclass(frozen=True, kw_only=True)
class CellFlows:
    """The flows of a cell, in the order of its scenario: of a page, which has none, its queues alone."""

    label: str
    n: int
    flows: tuple[FlowResult, ...]
    queues: tuple[QueueResult, ...]


def gather(cells: Sequence[CellResult]) -> tuple[CellFlows, ...]:
    """Every cell of several flows, or behind queues that mark, that has a run that succeeded.

    One flow before a queue that drops has all its numbers in the table of cells.
    """
    found = [_of(cell) for cell in cells if cell.workload == "flows" or _marks(cell)]
    return tuple(cell for cell in found if cell.n)


def _marks(cell: CellResult) -> bool:
    return any(run.record.queues for run in cell.runs if run.status == "succeeded")


def _of(cell: CellResult) -> CellFlows:
    records = [run.record for run in cell.runs if run.status == "succeeded"]
    labels = _labels(records[0].spec) if records else []
    flows = [
        _result(label, [record.flows[place] for record in records]) for place, label in enumerate(labels)
    ]
    marking = zip(*(record.queues or () for record in records), strict=True)
    queues = tuple(_queue(classes) for classes in marking)
    return CellFlows(label=cell.label, n=len(records), flows=tuple(flows), queues=queues)


def _labels(spec: RunSpec) -> list[str]:
    match spec.workload:
        case FlowsWorkload(flows=flows):
            return [flow_label(flow) for flow in flows]
        case BulkWorkload(transport=transport):
            return [sender_label(transport, spec.cc)]
    return []


def _mean(values: Iterable[float | None]) -> float | None:
    known = [float(value) for value in values if value is not None]
    return sum(known) / len(known) if known else None


def _queue(classes: Sequence[QueueRecord]) -> QueueResult:
    first = classes[0]
    return QueueResult(
        label=f"{first.class_} {first.direction}",
        packets=_mean(each.packets for each in classes),
        marked_packets=_mean(each.marked_packets for each in classes),
        dropped_packets=_mean(each.dropped_packets for each in classes),
        wait_p50_s=_mean(each.wait_p50_s for each in classes),
        wait_p99_s=_mean(each.wait_p99_s for each in classes),
    )


def _result(label: str, flows: Sequence[FlowRecord]) -> FlowResult:
    return FlowResult(
        label=label,
        goodput_bps=_mean(flow.goodput_bps for flow in flows),
        share=_mean(flow.share for flow in flows),
        retransmitted_packets=_mean(flow.retransmitted_packets for flow in flows),
        rtt_mean_s=_mean(flow.rtt_mean_s for flow in flows),
        rtt_p99_s=_mean(None if flow.rtt_under_load is None else flow.rtt_under_load.p99_s for flow in flows),
    )
