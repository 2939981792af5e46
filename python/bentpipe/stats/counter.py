"""Something that was counted over time, and what of it fell into a span."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

BIN_S = 0.1
"""Length of a bin of every series (`INTERVAL` of crates/link/src/table.rs)."""


@dataclass(frozen=True, kw_only=True)
class Span:
    """From one instant to another, in seconds from the start of the workload."""

    from_s: float
    to_s: float

    @property
    def length_s(self) -> float:
        """How long it is."""
        return self.to_s - self.from_s

    def whole_seconds(self) -> NDArray[np.float64]:
        """The ends of the whole seconds in it, its beginning first; a rest below a second is left out."""
        return self.from_s + np.arange(int(self.length_s + 1e-9) + 1, dtype=np.float64)


@dataclass(frozen=True, kw_only=True)
class Counter:
    """`total` had been counted by `time_s`; both never fall, and between two instants the count is linear."""

    time_s: NDArray[np.float64]
    total: NDArray[np.float64]

    @classmethod
    def of_bins(cls, *, end_s: ArrayLike, amount: ArrayLike, bin_s: float) -> "Counter":
        """The sum of what bins hold; a bin is dated by its end, the first one is `bin_s` long."""
        ends = np.asarray(end_s, dtype=float)
        return cls(
            time_s=np.concatenate([ends[:1] - bin_s, ends]),
            total=np.concatenate([np.zeros(len(ends[:1])), np.cumsum(np.asarray(amount, dtype=float))]),
        )

    def at(self, time_s: ArrayLike) -> NDArray[np.float64]:
        """The count by some instants; zero before the first, the last one after the last."""
        instants = np.asarray(time_s, dtype=np.float64)
        if len(self.time_s) == 0:
            return np.zeros(instants.shape)
        return np.interp(instants, self.time_s, self.total, left=0.0)

    def within(self, span: Span) -> float:
        """What was counted during a span."""
        return float(np.diff(self.at([span.from_s, span.to_s]))[0])

    def time_of(self, amount: float) -> float | None:
        """When so much had first been counted; None when it never was."""
        after = int(np.searchsorted(self.total, amount, side="left"))
        if after == len(self.total):
            return None
        if after == 0:
            return float(self.time_s[0])
        part = (amount - self.total[after - 1]) / (self.total[after] - self.total[after - 1])
        return float(self.time_s[after - 1] + part * (self.time_s[after] - self.time_s[after - 1]))
