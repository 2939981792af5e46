"""Which processes of a run go before others where they want the same core."""

import os
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

_NICE = -19
"""Seventy times the weight of a process of a browser (sched_prio_to_weight, kernel/sched/core.c)."""


def put_first(pid: int, spec: Mapping[str, Any]) -> None:
    """Let a server or a proxy go before the client, where this is a browser.

    They stand for other machines, and a browser takes all the cores that there are. Threads inherit it: to be
    called before the process starts any. Where it is not allowed the waits for a core tell (`starvation`).
    """
    if "client" in spec:
        with suppress(PermissionError, ProcessLookupError):
            os.setpriority(os.PRIO_PROCESS, pid, _NICE)
