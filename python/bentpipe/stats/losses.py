"""Losses in a row: a burst counts once."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, kw_only=True)
class LossRuns:
    """Of so many packets sent: how many were lost, in how many runs, how many of them of one packet."""

    sent: int
    lost: int
    events: int
    single: int
    longest: int

    @property
    def fraction(self) -> float:
        """Lost packets of those sent."""
        return self.lost / self.sent if self.sent else 0.0

    @property
    def single_share(self) -> float | None:
        """Runs of one packet of all runs; None when nothing was lost."""
        return self.single / self.events if self.events else None


def loss_runs(sequences: Iterable[Sequence[float | None] | NDArray[np.float64]]) -> LossRuns:
    """Count the runs of lost packets in sequences of round trips, where NaN (or None) is a lost one.

    Two runs are parted by a packet that came back or by the end of a sequence.
    """
    rtts = [np.asarray(sequence, dtype=float) for sequence in sequences]
    sent = np.array([len(sequence) for sequence in rtts], dtype=int)
    # All in a row, with a packet between two sequences that came back.
    is_lost = np.zeros(sent.sum() + len(sent), dtype=bool)
    place = np.arange(sent.sum()) + np.repeat(np.arange(len(sent)), sent)
    is_lost[place] = np.isnan(np.concatenate([np.empty(0), *rtts]))
    lengths = _lengths(is_lost)
    return LossRuns(
        sent=int(sent.sum()),
        lost=int(lengths.sum()),
        events=len(lengths),
        single=int(np.count_nonzero(lengths == 1)),
        longest=int(lengths.max(initial=0)),
    )


def _lengths(is_lost: NDArray[np.bool_]) -> NDArray[np.int64]:
    """The lengths of the runs of what is lost."""
    ends = np.flatnonzero(np.diff(is_lost, prepend=False, append=False))
    return ends[1::2] - ends[::2]
