"""Which processes of a run go before others where they want the same core."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from enum import IntEnum

from bentpipe.model.spec import RunSpec


class Rank(IntEnum):
    """Real-time priorities (sched(7), SCHED_FIFO); what has none comes after them all."""

    SERVER = 5
    """Servers and proxies stand for other machines, and a browser takes all the cores that there are."""
    LINK = 10
    """Packets are released before anything else runs."""


def put_first(pid: int, rank: Rank) -> str:
    """Let a process go before others; return its policy, `fifo`, or `other` where that is not allowed.

    Threads inherit it: to be called before the process starts any.
    """
    try:
        os.sched_setscheduler(pid, os.SCHED_FIFO, os.sched_param(rank))
    except PermissionError:
        return "other"
    return "fifo"


@contextmanager
def first(rank: Rank) -> Iterator[None]:
    """Let the calling thread go before others, and what it starts, as far as that is allowed."""
    policy, parameter = os.sched_getscheduler(0), os.sched_getparam(0)
    put_first(0, rank)
    try:
        yield
    finally:
        with suppress(PermissionError):
            os.sched_setscheduler(0, policy, parameter)


def put_before_browsers(pid: int, spec: RunSpec) -> None:
    """Let a server or a proxy go before the client where this is a browser.

    Ours takes no more of a core than they. Where it is not allowed the waits for a core tell (`starvation`).
    """
    if spec.client is not None:
        put_first(pid, Rank.SERVER)
