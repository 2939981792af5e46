"""How long something takes on a machine that has other work too."""

import os
import resource
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from bentpipe.engine.host import cpu_time, cpu_wait

_LOOK_S = 0.05


@dataclass
class Elapsed:
    """What the processes took that were started and ended meanwhile.

    Attributes
    ----------
    wall_s : float
        From the beginning to the end.
    processor_s : float
        User and system time of all of them.
    awaited_s : float
        How long their threads were ready without a core to run on, as far as it was seen.
    """

    wall_s: float = 0.0
    processor_s: float = 0.0
    awaited_s: float = 0.0
    _shares: dict[object, cpu_wait.Share] = field(default_factory=dict, repr=False)

    @property
    def own_s(self) -> float:
        """What it would take alone: processor time, and waits for anything else than a core."""
        waited_s = max(0.0, self.wall_s - self.processor_s - self.awaited_s)
        # Threads side by side use more processor time than passes.
        return min(self.wall_s, self.processor_s + waited_s)


@contextmanager
def elapsed() -> Iterator[Elapsed]:
    """Measure what is started in the context; the numbers are there at its end."""
    found, is_over = Elapsed(), threading.Event()
    others = frozenset(cpu_time.descendants(os.getpid()))
    watcher = threading.Thread(target=_watch, args=(found, is_over, others), daemon=True)
    before, started_s = _processor_s(), time.monotonic()
    watcher.start()
    try:
        yield found
    finally:
        is_over.set()
        watcher.join()
        found.wall_s = time.monotonic() - started_s
        found.processor_s = _processor_s() - before
        found.awaited_s = cpu_wait.waited_s(found._shares)


def _watch(found: Elapsed, is_over: threading.Event, others: frozenset[int]) -> None:
    while not is_over.wait(_LOOK_S):
        for thread, share in cpu_wait.shares(_started(others)).items():
            # The last look at one that has ended finds nothing.
            if share.ran_s >= found._shares.get(thread, cpu_wait.Share()).ran_s:
                found._shares[thread] = share


def _started(others: frozenset[int]) -> set[int]:
    """Return the processes below this one but those that were there before, and what these have started."""
    of_others = {found for pid in others for found in cpu_time.descendants(pid)}
    return set(cpu_time.descendants(os.getpid())) - others - of_others


def _processor_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
