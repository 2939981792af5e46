"""The wall clock beside the monotonic one, for browsers that tell instants since 1970.

CLOCK_REALTIME and CLOCK_MONOTONIC are slewed alike (clock_gettime(2)); only a step, as of chrony after a
resume or by `date -s`, moves one against the other.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass

from bentpipe.model.reason import ClockSteppedReason, Reason

LARGEST_STEP_NS = 1_000_000
"""By which instants of a load may be wrong; the looks at the clocks differ by microseconds."""

_LOOKS = 5


@dataclass(frozen=True, kw_only=True)
class Clocks:
    """Both clocks in ns; those of the machine unless a test has its own."""

    monotonic_ns: Callable[[], int] = time.monotonic_ns
    wall_ns: Callable[[], int] = time.time_ns

    def epoch_ns(self) -> int:
        """Return the beginning of the year 1970 by the monotonic clock, before 0.

        Of several looks that counts between whose two ends the least time has passed: a process can lose its
        core between one clock and the other.
        """
        looks = []
        for _ in range(_LOOKS):
            before_ns, wall_ns, after_ns = self.monotonic_ns(), self.wall_ns(), self.monotonic_ns()
            looks.append((after_ns - before_ns, (before_ns + after_ns) // 2 - wall_ns))
        return min(looks)[1]

    def doubts(self, *, epoch_ns: int) -> list[Reason]:
        """Return why instants since 1970 cannot be trusted that are placed by an earlier `epoch_ns`."""
        step_ns = abs(self.epoch_ns() - epoch_ns)
        if step_ns <= LARGEST_STEP_NS:
            return []
        return [ClockSteppedReason(step_ns=step_ns)]
