"""Runs one flow in Bentpipe's simulate engine or in ns-3, and measures what it cost."""

import json
import subprocess
import tempfile
import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from benches.peers.cases import Case, ns3_flow
from bentpipe.engine.simulate import Simulator
from bentpipe.model.record import Status
from bentpipe.model.spec import RunSpec
from bentpipe.reasons import sentence

WORKER = Path(__file__).with_name("ns3_worker.py")
PEER_PYTHON = WORKER.parents[2] / "build" / "peers-venv" / "bin" / "python"


@dataclass(frozen=True, kw_only=True)
class Measured:
    """One run of one simulator."""

    cpu_s: float
    completion_s: float | None
    """Virtual time from the SYN to the last byte; null when the limit of processor time came first."""
    virtual_s: float
    """Virtual time reached."""
    drops: int
    """Packets that the data's queue refused."""
    events_per_cpu_s: float | None
    """ns-3's events; null for Bentpipe, whose record does not count them."""
    packets_per_cpu_s: float | None
    """IP packets of both directions; null for ns-3, which does not count them."""


class PeerError(Exception):
    """ns-3 is not there, or ended."""


class Ns3:
    """A process that runs flows in ns-3; one for all of them, since it needs some ten seconds to start."""

    def __init__(self) -> None:
        if not PEER_PYTHON.exists():
            raise PeerError(f"{PEER_PYTHON} does not exist; `make bench-peers` makes it")
        with ExitStack() as stack:
            self._stderr = stack.enter_context(tempfile.TemporaryFile("w+"))
            command = [PEER_PYTHON, WORKER]
            pipe = subprocess.PIPE
            self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=self._stderr, text=True)
            stack.callback(self._process.wait)
            stack.callback(self._process.kill)
            self.version: str = self._answer()["version"]
            self._stack = stack.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def run(self, case: Case, *, limit_s: float) -> Measured:
        """Simulate the case's flow, for at most `limit_s` of processor time."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(ns3_flow(case, limit_s=limit_s)) + "\n")
        self._process.stdin.flush()
        found = self._answer()
        return Measured(
            cpu_s=found["cpu_s"],
            completion_s=found["completion_s"],
            virtual_s=found["virtual_s"],
            drops=found["drops"],
            events_per_cpu_s=found["events"] / found["cpu_s"],
            packets_per_cpu_s=None,
        )

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            self._process.wait()
            self._stderr.seek(0)
            last = "".join(self._stderr.readlines()[-5:])
            raise PeerError(f"ns-3 ended with status {self._process.returncode}:\n{last}")
        answer: dict[str, Any] = json.loads(line)
        return answer


def run_bentpipe(spec: RunSpec) -> Measured:
    """Simulate once. The processor time is the whole call's, from the specification to the record."""
    started_s = time.process_time()
    record = Simulator().run(run_id="peers", spec=spec, artifacts=None)
    cpu_s = time.process_time() - started_s
    metrics = record.metrics
    if record.status is not Status.SUCCEEDED or metrics.completion_s is None:
        raise RuntimeError(f"the run {record.status}: {'; '.join(map(sentence, record.reasons))}")
    return Measured(
        cpu_s=cpu_s,
        completion_s=metrics.completion_s,
        virtual_s=metrics.completion_s,
        drops=metrics.drops.return_.queue,
        events_per_cpu_s=None,
        packets_per_cpu_s=(metrics.wire_packets_up + metrics.wire_packets_down) / cpu_s,
    )
