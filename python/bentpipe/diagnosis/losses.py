"""Packets that a run lost, by direction and cause, and what its senders made of it."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bentpipe.model.record import RunRecord

Series = Mapping[str, NDArray[np.float64]]

_TIMEOUT_SEGMENTS = 1.5
"""A window that falls below is one of a single segment: what a retransmission timeout leaves (RFC 5681,
section 3.1)."""
_SEGMENT_BYTES = 1448


@dataclass(frozen=True, kw_only=True)
class Loss:
    """Packets that were lost in a direction, `forward` or `return`, by a cause of `DropCounts`."""

    direction: str
    cause: str
    packets: int


@dataclass(frozen=True, kw_only=True)
class Losses:
    """What was lost and retransmitted.

    Attributes
    ----------
    lost : tuple of Loss
        What the link lost; empty where nothing.
    retransmitted_packets : int or None
        By all senders; None where none tells. More than was lost: some were retransmitted in vain.
    timeouts : int
        How often a sender's window fell to one segment, as a retransmission timeout makes it: at least, for
        it is looked at every 100 ms.
    """

    lost: tuple[Loss, ...]
    retransmitted_packets: int | None
    timeouts: int

    @property
    def in_vain(self) -> int:
        """Packets that were retransmitted though nothing was lost for them: the least that there can be."""
        return max((self.retransmitted_packets or 0) - sum(loss.packets for loss in self.lost), 0)


def losses(record: RunRecord, sender: Series) -> Losses:
    """Return the losses of a run; `sender` is its series, of shape (rows,) each column."""
    drops = record.metrics.drops
    lost = tuple(
        Loss(direction=direction, cause=cause, packets=packets)
        for direction, counts in (("forward", drops.forward), ("return", drops.return_))
        for cause, packets in counts
        if packets
    )
    return Losses(
        lost=lost,
        retransmitted_packets=record.metrics.retransmitted_packets,
        timeouts=_timeouts(sender),
    )


def _timeouts(sender: Series) -> int:
    if not {"client_port", "cwnd_bytes"} <= sender.keys():
        return 0
    found = 0
    for port in np.unique(sender["client_port"]):
        cwnd_bytes = sender["cwnd_bytes"][sender["client_port"] == port]
        is_one = cwnd_bytes < _TIMEOUT_SEGMENTS * _SEGMENT_BYTES
        found += int(np.count_nonzero(np.diff(is_one.astype(int)) == 1))
    return found
