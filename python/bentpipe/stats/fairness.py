"""Several flows against each other: their rates, their shares and Jain's index over time."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bentpipe.model.record import FlowRecord
from bentpipe.stats.counter import BIN_S, Counter, Span


@dataclass(frozen=True, kw_only=True)
class Competitor:
    """A flow: the payload that it received, in bytes, and from when to when it ran."""

    received: Counter
    ran: Span


@dataclass(frozen=True, kw_only=True)
class Sharing:
    """Flows in steps of equal length. One row per flow, one column per step, which is dated by its end.

    `share` is NaN where no flow received anything; `jain_index` counts the flows that ran for the whole of a
    step and is NaN where fewer than two did.
    """

    end_s: NDArray[np.float64]
    throughput_bps: NDArray[np.float64]
    share: NDArray[np.float64]
    jain_index: NDArray[np.float64]


def jain_index(rates: ArrayLike) -> float:
    """Jain's fairness index of some rates: 1 when they are equal, 1/n when one of n has everything.

    (sum of x)^2 / (n * sum of x^2), Jain, Chiu, Hawe 1984. NaN of fewer than two rates, or when all are zero.
    """
    values = np.asarray(rates, dtype=float)
    squares = len(values) * float(np.sum(values**2))
    return float(np.sum(values)) ** 2 / squares if len(values) > 1 and squares > 0 else float("nan")


def competitors(
    flows: Sequence[FlowRecord],
    progress: Mapping[str, NDArray[np.float64]],
    *,
    common_end_s: float | None,
) -> tuple[Competitor, ...]:
    """Join the flows of a record with its series `progress`.

    A flow that is limited by time runs to the end that all have in common, whether anything arrives or not;
    without such an end it runs to its last byte.
    """
    return tuple(_competitor(flow, progress, common_end_s) for flow in flows)


def sharing(flows: Sequence[Competitor], *, step_s: float = 1.0) -> Sharing:
    """Set flows against each other in each whole step from the start of the workload on."""
    last_s = max((flow.ran.to_s for flow in flows), default=0.0)
    edges = np.arange(int(last_s / step_s + 1e-9) + 1, dtype=np.float64) * step_s
    amounts = np.array([np.diff(flow.received.at(edges)) for flow in flows]).reshape(
        len(flows), len(edges) - 1
    )
    total = amounts.sum(axis=0)
    share = np.divide(amounts, total, out=np.full(amounts.shape, np.nan), where=total > 0)
    ran = np.array([(edges[:-1] >= f.ran.from_s) & (edges[1:] <= f.ran.to_s) for f in flows])
    index = [jain_index(amounts[ran[:, step], step]) for step in range(len(edges) - 1)]
    return Sharing(
        end_s=edges[1:],
        throughput_bps=8 * amounts / step_s,
        share=share,
        jain_index=np.asarray(index, dtype=np.float64),
    )


def _competitor(
    flow: FlowRecord, progress: Mapping[str, NDArray[np.float64]], common_end_s: float | None
) -> Competitor:
    from_s = float(flow.start_s)
    last_byte_s = from_s if flow.last_byte_s is None else float(flow.last_byte_s)
    own = progress["client_port"] == (-1 if flow.client_port is None else flow.client_port)
    received = Counter.of_bins(
        end_s=progress["time_s"][own], amount=progress["received_bytes"][own], bin_s=BIN_S
    )
    to_s = last_byte_s if common_end_s is None else common_end_s
    return Competitor(received=received, ran=Span(from_s=from_s, to_s=to_s))
