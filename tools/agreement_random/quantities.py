"""What is compared of a run, by name: of a page its load time, of flows what all and each of them got."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from statistics import median

from bentpipe.model.flow import BulkWorkload, FlowsWorkload
from bentpipe.model.page import PageLoadWorkload
from bentpipe.model.record import RunRecord
from bentpipe.model.spec import PingWorkload


class Scope(Enum):
    """What a quantity is of."""

    WHOLE = "whole"
    """The run: page load time, completion or goodput of all flows, mean round trip."""
    FLOW = "flow"
    """One of several flows: its completion or its goodput."""
    SHARE = "share"
    """One of several flows: its part of what all got while all of them ran."""


@dataclass(frozen=True, kw_only=True)
class Quantity:
    """A quantity of a run.

    Attributes
    ----------
    name : str
        A metric of the record, or `flow-N.` and a figure of its N-th flow.
    """

    name: str

    @property
    def scope(self) -> Scope:
        """What it is of."""
        _, dot, figure = self.name.partition(".")
        if not dot:
            return Scope.WHOLE
        return Scope.SHARE if figure == _SHARE else Scope.FLOW

    @property
    def unit(self) -> str:
        """In which it is printed; nothing for a share."""
        return "" if self.scope is Scope.SHARE else "Mbit/s" if self.name.endswith("_bps") else "s"

    @property
    def scale(self) -> float:
        """What a value is multiplied by to be in that unit."""
        return 1e-6 if self.unit == "Mbit/s" else 1.0

    @property
    def title(self) -> str:
        """What it is called in print."""
        flow, dot, figure = self.name.rpartition(".")
        words = _TITLES[figure]
        return f"{words}, {flow.replace('-', ' ')}" if dot else words

    def error(self, simulated: Sequence[float], emulated: Sequence[float]) -> float:
        """Return simulated median over emulated median, less one; of a share the difference itself.

        Infinite where there are no values, as one engine alone has some, or the emulated median is zero.
        """
        if not emulated:
            return math.inf
        difference = median(simulated) - median(emulated)
        return self._relative(difference, emulated)

    def spread(self, values: Sequence[float]) -> float:
        """Return the range of some values over their median; of a share the range itself."""
        return self._relative(max(values) - min(values), values) if values else 0.0

    def _relative(self, difference: float, values: Sequence[float]) -> float:
        if self.scope is Scope.SHARE or difference == 0:
            return difference
        return difference / median(values) if median(values) else math.inf


_SHARE = "share"
_TITLES = {
    "plt_s": "page load time",
    "completion_s": "completion",
    "goodput_bps": "goodput",
    "rtt_mean_s": "round trip",
    _SHARE: "share",
}


def quantities(record: RunRecord) -> Mapping[str, float | None]:
    """Return what is compared of a run that succeeded; None where it has no such figure."""
    workload, metrics = record.spec.workload, record.metrics
    match workload:
        case PageLoadWorkload():
            return {"plt_s": metrics.plt_s}
        case PingWorkload():
            return {"rtt_mean_s": metrics.rtt_mean_s}
        case BulkWorkload() | FlowsWorkload():
            figure = "goodput_bps" if workload.bytes is None else "completion_s"
            found = {figure: getattr(metrics, figure)}
            if isinstance(workload, FlowsWorkload) and len(record.flows) > 1:
                for number, flow in enumerate(record.flows, start=1):
                    found[f"flow-{number}.{figure}"] = getattr(flow, figure)
                    found[f"flow-{number}.{_SHARE}"] = flow.share
            return found
        case _:
            raise ValueError(f"{workload.kind} is none of both engines")


def lasted_s(record: RunRecord) -> float:
    """Return how long the workload of a run took, in seconds."""
    match record.spec.workload:
        case PageLoadWorkload():
            return record.metrics.plt_s or 0.0
        case PingWorkload(count=count, interval_ns=interval_ns):
            return count * interval_ns / 1e9
        case BulkWorkload() | FlowsWorkload() as workload:
            ended_s = max((flow.last_byte_s or 0.0 for flow in record.flows), default=0.0)
            return max(ended_s, (workload.duration_ns or 0) / 1e9)
        case workload:
            raise ValueError(f"{workload.kind} is none of both engines")
