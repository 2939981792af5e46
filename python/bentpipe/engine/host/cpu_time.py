"""How much of the processor processes take: some of them, and all others."""

import os
from collections.abc import Iterable
from pathlib import Path

from bentpipe.engine.host.process_stat import ProcessStat
from bentpipe.model.spec import RunSpec

_CORES_OF_A_BROWSER = 2
"""What a browser keeps busy while it starts and loads: its own processes wait for one another."""

STATISTICS = Path("/proc/stat")
"""What the kernel says of all cores together."""

_TICKS_PER_S = os.sysconf("SC_CLK_TCK")


def used_s(pids: Iterable[int]) -> float:
    """Return the processor time of some processes so far: user and system."""
    return sum(ticks for ticks, _ in map(_ticks, pids)) / _TICKS_PER_S


def used_by_others_s() -> float:
    """Return the time per core that all but this process and what it has started have used, up to a constant.

    So long may a run have waited for cores. Others are processes, threads of the kernel and what the
    hypervisor gave to other machines (proc(5), `steal`). Good to some 10 ms.
    """
    cores = [line.split() for line in STATISTICS.read_text().splitlines() if line.startswith("cpu")]
    stolen = int(cores[0][8])
    every = {int(place.name) for place in Path("/proc").iterdir() if place.name.isdecimal()}
    others = every - {os.getpid(), *descendants(os.getpid())}
    ticks = stolen + sum(own + of_ended for own, of_ended in map(_ticks, others))
    return ticks / _TICKS_PER_S / len(cores[1:])


def descendants(pid: int) -> list[int]:
    """Return the processes that a process has started, and those that these have."""
    try:
        threads = list(Path(f"/proc/{pid}/task").iterdir())
        children = [int(child) for thread in threads for child in (thread / "children").read_text().split()]
    except OSError:
        return []
    return [found for child in children for found in (child, *descendants(child))]


def runs_at_once(specs: Iterable[RunSpec]) -> int:
    """Return how many of some runs the cores of this machine allow side by side; one at least."""
    cores = len(os.sched_getaffinity(0))
    has_browsers = any(spec.client is not None for spec in specs)
    return max(1, cores // _CORES_OF_A_BROWSER) if has_browsers else cores


def _ticks(pid: int) -> tuple[int, int]:
    """Return its time, and that of its children that have ended; nothing of one that is not to be seen."""
    try:
        stat = ProcessStat.of(pid)
    except OSError:
        return 0, 0
    return stat.processor_ticks, stat.ended_ticks
