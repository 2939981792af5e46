"""Congestion controls that the kernel has not got, loaded as eBPF programs for as long as runs need them."""

import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass

from bentpipe.engine.process.part import Part, PartError
from bentpipe.engine.testbed.congestion_control import loaded_for
from bentpipe.model.frozen import Frozen
from bentpipe.model.spec import RunSpec

_LOAD_TIMEOUT_S = 30.0
"""Loading takes a tenth of a second; this is for a full machine."""


@dataclass(kw_only=True)
class _Held:
    holder: Part
    runs: int


class KernelControls:
    """What this process has the kernel offer. Names are host-wide there, so runs at the same time share it.

    A process of its own, the *holder*, registers it or shares what the holder of another campaign has
    registered. It ends when the last run that needs it ends, and when this process does, however that comes
    about; the registration ends with the last holder. Sockets still open keep the control until they are
    closed.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._held: dict[str, _Held] = {}

    @contextmanager
    def needed_by(self, spec: RunSpec) -> Iterator[None]:
        """Have the kernel offer what the TCP sockets of a run ask for.

        Raises
        ------
        PartError
            When the kernel does not take it, or another program has its name.
        """
        with ExitStack() as taken:
            for name in loaded_for(spec):
                self._take(name)
                taken.callback(self._release, name)
            yield

    def close(self) -> None:
        """Take back everything, also from runs that were abandoned."""
        with self._lock:
            held, self._held = self._held, {}
        for one in held.values():
            _let_go(one.holder)

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
                _let_go(held.holder)


class _Wanted(Frozen):
    """The congestion control that the kernel is to offer, by its name there."""

    name: str


def _register(name: str) -> Part:
    holder = Part("congestion-control", _Wanted(name=name))
    try:
        holder.answer(timeout_s=_LOAD_TIMEOUT_S)
    except BaseException:
        holder.kill()
        _let_go(holder)
        raise
    return holder


def _let_go(holder: Part) -> None:
    # However it ends, the kernel takes back what it held.
    with suppress(PartError):
        holder.end()
