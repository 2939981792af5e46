"""Compares how many runs end in a second: by threads of one process, and by workers of a cluster.

Run by `make bench-cluster`. Prints one JSON document. Each way measures the same runs of about 10 ms with the
same number of cores, into a folder of its own. Exit status: 0 clusters reach the bar and have the same
results, 1 they do not.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from bentpipe.campaign.cluster.choice import Cluster, LocalProcesses, RunningScheduler
from bentpipe.campaign.measure import Order, measure
from bentpipe.campaign.outcome import Outcome
from bentpipe.engine import provenance
from bentpipe.engine.simulate import Simulator
from bentpipe.ledger import Ledger

BAR = 0.85
"""Throughput of a cluster over that of threads, at least."""

CELLS = 2
SCENARIO = """
name = "throughput"
repetitions = {repetitions}
[run]
link = "geo-alshagri-flat"
page = "single-2m"
cc = "cubic"
[matrix]
http = ["h2", "h3"]
"""
"""7 ms and 14 ms each on a virtual AMD EPYC."""


class Clock:
    """Notes when a campaign begins, when its first run is judged, and when it ends."""

    def __init__(self) -> None:
        self.began_s = self.first_s = self.ended_s = 0.0

    def set_aside(self, *, attempts: int, folder: Path) -> None:
        """See Progress."""

    def remark(self, text: str) -> None:
        """See Progress."""
        print(text, file=sys.stderr)

    def start(self, *, planned: int, already_succeeded: int) -> None:
        """See Progress."""
        del planned, already_succeeded
        self.began_s = time.monotonic()

    def judged(self, *, status: str) -> None:
        """See Progress."""
        del status
        self.first_s = self.first_s or time.monotonic()

    def repeating(self, *, runs: int, at_once: int) -> None:
        """See Progress."""

    def interrupted(self, *, in_flight: int) -> None:
        """See Progress."""

    def end(self, outcome: Outcome) -> None:
        """See Progress."""
        del outcome
        self.ended_s = time.monotonic()

    def __enter__(self) -> "Clock":
        return self

    def __exit__(self, *error: object) -> None:
        pass


def main() -> int:
    """Measure each way and print what they come to."""
    options = _options()
    with TemporaryDirectory(prefix="bentpipe-bench-") as name:
        folder = Path(name)
        scenario = folder / "throughput.toml"
        scenario.write_text(SCENARIO.format(repetitions=options.runs // CELLS))
        with _workers_of_a_scheduler(folder, options.cores) as address:
            ways: dict[str, Cluster | None] = {
                "threads": None,
                "local": LocalProcesses(workers=options.cores),
                "scheduler": RunningScheduler(address=address),
            }
            figures = {
                way: _figures(scenario, folder / way, cluster, cores=options.cores)
                for way, cluster in ways.items()
            }
        are_equal = {way: _content(folder / way) == _content(folder / "threads") for way in ways}
    shares = {way: each["runs_per_s"] / figures["threads"]["runs_per_s"] for way, each in figures.items()}
    print(
        json.dumps(
            {
                "machine": provenance.of_this_host(),
                "runs": options.runs,
                "cores": options.cores,
                "ways": figures,
                "of_threads": shares,
                "equal_to_threads": are_equal,
            },
            indent=2,
        )
    )
    return 0 if all(are_equal.values()) and min(shares.values()) >= BAR else 1


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--runs", type=int, default=10_000)
    parser.add_argument("--cores", type=int, default=len(os.sched_getaffinity(0)))
    return parser.parse_args()


def _figures(scenario: Path, folder: Path, cluster: Cluster | None, *, cores: int) -> dict[str, float]:
    """Measure one way: the rate with all that is started for it, and how long that took."""
    clock = Clock()
    order = Order(scenario=scenario, folder=folder, cluster=cluster, jobs=cores if cluster is None else None)
    outcome = measure(order, engine=Simulator(), progress=clock).outcome
    assert outcome.succeeded == outcome.planned
    took_s = clock.ended_s - clock.began_s
    return {
        "runs_per_s": outcome.planned / took_s,
        "took_s": took_s,
        "first_after_s": clock.first_s - clock.began_s,
    }


def _content(folder: Path) -> dict[str, tuple[str, dict[str, dict[str, bytes]]]]:
    """Return records and series by run."""
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


@contextmanager
def _workers_of_a_scheduler(folder: Path, processes: int) -> Iterator[str]:
    """Start a scheduler and workers, each a process of its own; yield the scheduler's address."""
    file = folder / "scheduler.json"
    listening = ["--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(file)]
    with _running("distributed.cli.dask_scheduler", *listening):
        while not file.exists() or not file.read_text().endswith("}"):
            time.sleep(0.1)
        address: str = json.loads(file.read_text())["address"]
        with _running("bentpipe.cli", "worker", address, "--processes", str(processes)):
            yield address


@contextmanager
def _running(module: str, *arguments: str) -> Iterator[None]:
    process = subprocess.Popen([sys.executable, "-m", module, *arguments], stderr=subprocess.DEVNULL)
    try:
        yield
    finally:
        process.terminate()
        process.wait()


if __name__ == "__main__":
    sys.exit(main())
