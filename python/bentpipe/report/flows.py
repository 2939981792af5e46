"""What each of several flows got, over the runs of a cell."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bentpipe.model.record import FlowRecord
from bentpipe.model.spec import FlowsWorkload
from bentpipe.report.cells import CellResult
from bentpipe.scenario.hosts.flows import flow_label


@dataclass(frozen=True, kw_only=True)
class FlowResult:
    """One flow; means over the runs that succeeded, None where no run has the value."""

    label: str
    goodput_bps: float | None
    share: float | None
    retransmitted_packets: float | None
    rtt_mean_s: float | None


@dataclass(frozen=True, kw_only=True)
class CellFlows:
    """The flows of a cell, in the order of its scenario."""

    label: str
    n: int
    flows: tuple[FlowResult, ...]


def gather(cells: Sequence[CellResult]) -> tuple[CellFlows, ...]:
    """Every cell of several flows that has a run that succeeded."""
    found = [_of(cell) for cell in cells if cell.workload == "flows"]
    return tuple(cell for cell in found if cell.n)


def _of(cell: CellResult) -> CellFlows:
    records = [run.record for run in cell.runs if run.status == "succeeded"]
    workload = records[0].spec.workload if records else None
    written = workload.flows if isinstance(workload, FlowsWorkload) else []
    flows = [
        _result(flow_label(flow), [record.flows[place] for record in records])
        for place, flow in enumerate(written)
    ]
    return CellFlows(label=cell.label, n=len(records), flows=tuple(flows))


def _result(label: str, flows: Sequence[FlowRecord]) -> FlowResult:
    def mean(values: Iterable[float | None]) -> float | None:
        known = [float(value) for value in values if value is not None]
        return sum(known) / len(known) if known else None

    return FlowResult(
        label=label,
        goodput_bps=mean(flow.goodput_bps for flow in flows),
        share=mean(flow.share for flow in flows),
        retransmitted_packets=mean(flow.retransmitted_packets for flow in flows),
        rtt_mean_s=mean(flow.rtt_mean_s for flow in flows),
    )
