"""How much of the processor a process takes."""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

_CORES_OF_A_BROWSER = 2
"""What a browser keeps busy while it starts and loads: its own processes wait for one another."""

_TICKS_PER_S = os.sysconf("SC_CLK_TCK")


def used_s(pids: Iterable[int]) -> float:
    """Return the processor time of some processes so far (proc(5), fields 14 and 15: user and system)."""
    return sum(_ticks(pid) for pid in pids) / _TICKS_PER_S


def runs_at_once(specs: Iterable[Mapping[str, Any]]) -> int:
    """Return how many of some runs the cores of this machine allow side by side; one at least."""
    cores = len(os.sched_getaffinity(0))
    has_browsers = any("client" in spec for spec in specs)
    return max(1, cores // _CORES_OF_A_BROWSER) if has_browsers else cores


def _ticks(pid: int) -> int:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])
