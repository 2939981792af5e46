"""What each of several flows got, over the runs of a cell."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

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
    written = records[0]["spec"]["workload"]["flows"] if records else []
    flows = [
        _result(flow_label(flow), [record["flows"][place] for record in records])
        for place, flow in enumerate(written)
    ]
    return CellFlows(label=cell.label, n=len(records), flows=tuple(flows))


def _result(label: str, runs: Sequence[Mapping[str, Any]]) -> FlowResult:
    def mean(name: str) -> float | None:
        values = [float(run[name]) for run in runs if run[name] is not None]
        return sum(values) / len(values) if values else None

    return FlowResult(
        label=label,
        goodput_bps=mean("goodput_bps"),
        share=mean("share"),
        retransmitted_packets=mean("retransmitted_packets"),
        rtt_mean_s=mean("rtt_mean_s"),
    )
