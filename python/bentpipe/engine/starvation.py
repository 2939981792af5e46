"""Whether the programs of a run got the cores that they asked for.

The link's lateness says nothing of origin, client and proxies: its process goes before theirs.
"""

from collections.abc import Iterable
from pathlib import Path

MOST_FRACTION = 0.02
"""Of a run's time. What a page load takes is wrong by at most as much."""


def waits_s(pids: Iterable[int]) -> dict[Path, float]:
    """Return for each thread of some processes how long it has been ready to run without a core to run on.

    Second number of /proc/PID/task/TID/schedstat, in ns (Documentation/scheduler/sched-stats.rst). Zero on a
    kernel that does not count (CONFIG_SCHED_INFO).
    """
    threads = [thread for pid in pids for thread in Path(f"/proc/{pid}/task").glob("*")]
    return {thread: _waited_ns(thread) / 1e9 for thread in threads}


def waited_s(pids: Iterable[int]) -> float:
    """Return that of all threads together."""
    return sum(waits_s(pids).values())


def doubt(*, waited_s: float, elapsed_s: float, lateness_bound_s: float) -> str | None:
    """Return why a run cannot be trusted; None when it can."""
    bound_s = max(MOST_FRACTION * elapsed_s, lateness_bound_s)
    if waited_s <= bound_s:
        return None
    return (
        "waited for a core: origin, client and proxies together "
        f"{waited_s * 1e3:.1f} ms, above {bound_s * 1e3:.1f} ms"
    )


def _waited_ns(thread: Path) -> int:
    try:
        return int((thread / "schedstat").read_text().split()[1])
    except (OSError, IndexError):
        return 0
