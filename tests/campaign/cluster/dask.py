"""Schedulers and workers as processes of their own, as their users start them."""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager

from distributed import Client

from bentpipe.campaign.cluster.choice import RunningScheduler
from bentpipe.campaign.measure import Order, measure
from bentpipe.engine.host import cpu_time
from bentpipe.engine.host.process_stat import ProcessStat
from bentpipe.engine.simulate import Simulator
from bentpipe.ledger import Ledger
from tests.campaign.fake_engine import QuietProgress

START_TIMEOUT_S = 180
"""For a process that imports Dask on a machine that has much else to do."""


@contextmanager
def scheduler(folder):
    """Start a scheduler on a free port; yield its process and its address."""
    file = folder / f"scheduler-{time.monotonic_ns()}.json"
    arguments = ["--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(file)]
    with ended(started("-m", "distributed.cli.dask_scheduler", *arguments)) as process:
        until(lambda: file.exists() and file.read_text().endswith("}"))
        yield process, json.loads(file.read_text())["address"]


@contextmanager
def workers(address, *, processes=2):
    """Start workers; they are there when a campaign has found them."""
    arguments = ["worker", address, "--processes", str(processes)]
    with ended(started("-m", "bentpipe.cli", *arguments)) as process:
        yield process


@contextmanager
def emulating_worker(address):
    """Start a worker that offers to emulate."""
    with ended(started("-m", "bentpipe.cli", "worker", address, "--emulate")) as process:
        yield process


def wait_for_workers(address, count):
    """Wait until so many are there: a campaign begins with the first."""
    with Client(address) as client:
        client.wait_for_workers(count, timeout=START_TIMEOUT_S)


@contextmanager
def another_version(address):
    """Start a worker that calls itself another version."""
    code = (
        "import bentpipe; bentpipe.__version__ = '0.0.9'\n"
        "from distributed.cli.dask_worker import main; main()"
    )
    preload = ["--preload", "bentpipe.campaign.cluster.enrolment"]
    with ended(started("-c", code, address, "--nthreads", "1", "--no-nanny", *preload)) as process:
        yield process


def started(*arguments):
    return subprocess.Popen(
        [sys.executable, *arguments],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


@contextmanager
def ended(process):
    """End a process with all that it has started."""
    try:
        yield process
    finally:
        for pid in (*cpu_time.descendants(process.pid), process.pid):
            kill(pid)
        process.wait()


def kill(pid):
    if is_there(pid):
        os.kill(pid, signal.SIGKILL)


def is_there(pid):
    """Whether a process runs; one that waits for its parent to hear of its end does not."""
    try:
        return ProcessStat.of(pid).state != "Z"
    except OSError:
        return False


def until(condition, *, timeout_s=START_TIMEOUT_S):
    end_s = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < end_s, "waited in vain"
        time.sleep(0.05)


class Heard(QuietProgress):
    """Calls `then` once so many runs are told as done."""

    def __init__(self, *, after=0, then=None):
        super().__init__()
        self._after, self._then = after, then

    def judged(self, *, status):
        super().judged(status=status)
        if self.done == self._after:
            self._then()

    @property
    def done(self):
        return sum(what[0] == "judged" for what in self.told)

    @property
    def remarks(self):
        return [what[1] for what in self.told if what[0] == "remark"]

    def __enter__(self):
        return self

    def __exit__(self, *error):
        pass


def measured(scenario, folder, *, address=None, progress=None, jobs=None, engine=None):
    """Measure a scenario's file by threads, or by the workers of a scheduler; without an engine simulated."""
    cluster = None if address is None else RunningScheduler(address=address)
    order = Order(scenario=scenario, folder=folder, cluster=cluster, jobs=jobs)
    return measure(order, engine=engine or Simulator(), progress=progress or Heard())


def content(folder):
    """Return records and series by run, as bytes."""
    with Ledger(folder) as ledger:
        return {
            entry.run_id: (
                entry.record.to_json(),
                {
                    name: {key: column.tobytes() for key, column in ledger.series(entry.run_id, name).items()}
                    for name in ("link", "progress", "sender")
                },
            )
            for entry in ledger.entries()
        }


def attempts(folder):
    with Ledger(folder) as ledger:
        return [(entry.run_id, entry.attempt) for entry in ledger.entries()]
