"""Congestion controls that the kernel has not got, loaded as eBPF programs for as long as runs need them."""

import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

from bentpipe.engine.congestion_control import LOADED, of_tcp
from bentpipe.engine.part import Part

_LOAD_TIMEOUT_S = 30.0
"""Loading takes a tenth of a second; this is for a full machine."""


@dataclass(kw_only=True)
class _Held:
    holder: Part
    runs: int


class KernelControls:
    """What this process has the kernel offer. Names are host-wide there, so runs at the same time share it.

    A registration belongs to a process of its own, the *holder*, and ends with it: when the last run that
    needs it ends, and when this process does, however that comes about. Sockets still open keep the control
    until they are closed.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._held: dict[str, _Held] = {}

    @contextmanager
    def needed_by(self, spec: Mapping[str, Any]) -> Iterator[None]:
        """Have the kernel offer what the TCP connections of a run ask for.

        Raises
        ------
        PartError
            When the kernel does not take it, or another process has registered the name.
        """
        with ExitStack() as taken:
            for name in (LOADED[cc] for cc in of_tcp(spec) if cc in LOADED):
                self._take(name)
                taken.callback(self._release, name)
            yield

    def close(self) -> None:
        """Take back everything, also from runs that were abandoned."""
        with self._lock:
            held, self._held = self._held, {}
        for one in held.values():
            one.holder.end()

    def _take(self, name: str) -> None:
        with self._lock:
            if name not in self._held:
                self._held[name] = _Held(holder=_register(name), runs=0)
            self._held[name].runs += 1

    def _release(self, name: str) -> None:
        with self._lock:
            held = self._held.get(name)
            if held is None:
                return
            held.runs -= 1
            if held.runs == 0:
                del self._held[name]
                held.holder.end()


def _register(name: str) -> Part:
    holder = Part("congestion-control", {"name": name})
    try:
        holder.answer(timeout_s=_LOAD_TIMEOUT_S)
    except BaseException:
        holder.end()
        raise
    return holder
