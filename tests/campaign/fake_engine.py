"""An engine without a network: records that follow from the specification, and behaviour on demand."""

import threading
from collections import Counter
from dataclasses import dataclass, field

from bentpipe.model.page import PageLoadWorkload
from bentpipe.model.reason import EmulatorLateReason
from tests.support.models import record_with


def succeeded(run_id, spec, attempt):
    del attempt
    return record(run_id, spec)


def record(run_id, spec, *, status="succeeded", reasons=()):
    http = spec.workload.http if isinstance(spec.workload, PageLoadWorkload) else ""
    plt_s = 1 + len(http) + spec.seed % 1000 / 1e4
    timing = {
        "url": "https://origin/object-1.jpg",
        "bytes": 100_000,
        "connection": 0,
        "discovered_s": 0.0,
        "request_s": 0.1,
        "first_byte_s": 0.2,
        "last_byte_s": plt_s,
        "status": 200,
        "response_header_bytes": 100,
        "request_header_bytes": 100,
    }
    return record_with(
        run_id=run_id,
        status=status,
        reasons=list(reasons),
        spec=spec,
        provenance={"started": "2026-01-01T00:00:00+00:00"},
        metrics={"plt_s": plt_s, "wire_bytes_down": 120_000},
        objects=[timing],
        series={"link": {"time_s": [0.0, 0.1], "forward_queue_bytes": [0.0, None]}},
    )


def late(run_id, spec):
    reason = EmulatorLateReason(p999_ns=3_000_000, bound_ns=1_000_000)
    return record(run_id, spec, status="invalid", reasons=[reason])


@dataclass
class FakeEngine:
    """Calls `behave(run_id, spec, attempt)`, attempts counted from 1, and notes what ran beside what."""

    behave: object = succeeded
    name: str = "emulate"
    calls: list = field(default_factory=list)
    specs: list = field(default_factory=list)
    artifacts: dict = field(default_factory=dict)
    most_at_once: int = 0
    company: dict = field(default_factory=dict)

    def __post_init__(self):
        self._lock = threading.Lock()
        self._running = 0
        self._attempts = Counter()

    def run(self, *, run_id, spec, artifacts):
        with self._lock:
            self.calls.append(run_id)
            self.specs.append(spec)
            self.artifacts[run_id] = artifacts
            self._attempts[run_id] += 1
            attempt = self._attempts[run_id]
            self._running += 1
            self.most_at_once = max(self.most_at_once, self._running)
            self.company[run_id, attempt] = self._running
        try:
            return self.behave(run_id, spec, attempt)
        finally:
            with self._lock:
                self._running -= 1

    def close(self):
        pass


class QuietProgress:
    """Notes what a campaign tells."""

    def __init__(self):
        self.told = []

    def set_aside(self, *, attempts, folder):
        self.told.append(("set aside", attempts, folder))

    def remark(self, text):
        self.told.append(("remark", text))

    def hopeless(self, cells):
        self.told.append(("hopeless", cells))

    def start(self, *, planned, already_succeeded):
        self.told.append(("start", planned, already_succeeded))

    def judged(self, *, status):
        self.told.append(("judged", status))

    def repeating(self, *, runs, at_once):
        self.told.append(("repeating", runs, at_once))

    def interrupted(self, *, in_flight):
        self.told.append(("interrupted", in_flight))

    def end(self, outcome):
        self.told.append(("end", str(outcome)))
