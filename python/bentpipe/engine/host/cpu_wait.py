"""Whether the programs of a run got the cores that they asked for.

The link's lateness says nothing of origin, client and proxies: its process goes before theirs.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from bentpipe.model.reason import CoreAwaitedReason

MOST_FRACTION = 0.02
"""Of a run's time. What it takes is wrong by at most as much."""

BUSY_FRACTION = 0.5
"""A thread that runs or waits for longer, of a run's time, may be what limits a flow."""


@dataclass(frozen=True, kw_only=True)
class Share:
    """What a thread has had of the cores.

    Attributes
    ----------
    ran_s, waited_s : float
        How long it has run, and been ready without a core to run on.
    times : int
        How often it was given a core.
    """

    ran_s: float = 0.0
    waited_s: float = 0.0
    times: int = 0

    def since(self, before: "Share") -> "Share":
        """Return what it has had since then; none of it is negative, though numbers are used anew."""
        return Share(
            ran_s=max(0.0, self.ran_s - before.ran_s),
            waited_s=max(0.0, self.waited_s - before.waited_s),
            times=max(0, self.times - before.times),
        )


Shares = Mapping[Path, Share]
"""By what had them: a thread's folder."""


def shares(pids: Iterable[int]) -> Shares:
    """Return what each thread of some processes has had so far.

    From /proc/PID/task/TID/schedstat (Documentation/scheduler/sched-stats.rst). Zero on a kernel that does
    not count (CONFIG_SCHED_INFO).
    """
    return {thread: _share(thread) for pid in pids for thread in Path(f"/proc/{pid}/task").glob("*")}


def between(before: Shares, after: Shares) -> Shares:
    """Return what each has had from one look to another."""
    return {thread: share.since(before.get(thread, Share())) for thread, share in after.items()}


def waited_s(shares: Shares) -> float:
    """Return the waits of all together: so much longer takes what waits for each of them."""
    return sum(share.waited_s for share in shares.values())


def waited_in_series_s(shares: Shares, *, round_trips: float) -> float:
    """Return how much longer a flow takes that waits for each thread once in a round trip.

    Other waits pass while its packets are under way: they delay one packet each, and nothing as a whole.
    """
    return sum(
        share.waited_s / share.times * min(share.times, round_trips)
        for share in shares.values()
        if share.times > 0
    )


def doubt(
    shares: Shares, *, elapsed_s: float, lateness_bound_s: float, round_trips: float | None
) -> CoreAwaitedReason | None:
    """Return why a run cannot be trusted; None when it can.

    Of a flow `round_trips` says how many fit into its time. Anything else, for instance a page, may have
    waited for every thread each time.
    """
    bound_s = max(MOST_FRACTION * elapsed_s, lateness_bound_s)
    if waited_s(shares) <= bound_s:
        return None
    is_busy = any(share.ran_s + share.waited_s > BUSY_FRACTION * elapsed_s for share in shares.values())
    if round_trips is not None and not is_busy:
        in_series_s = waited_in_series_s(shares, round_trips=round_trips)
        return None if in_series_s <= bound_s else _awaited(in_series_s, bound_s, is_in_series=True)
    return _awaited(waited_s(shares), bound_s, is_in_series=False)


def _awaited(wait_s: float, bound_s: float, *, is_in_series: bool) -> CoreAwaitedReason:
    return CoreAwaitedReason(
        waited_ns=round(wait_s * 1e9), bound_ns=round(bound_s * 1e9), is_in_series=is_in_series
    )


def _share(thread: Path) -> Share:
    try:
        ran_ns, waited_ns, times = (int(number) for number in (thread / "schedstat").read_text().split())
    except (OSError, ValueError):
        return Share()
    return Share(ran_s=ran_ns / 1e9, waited_s=waited_ns / 1e9, times=times)
