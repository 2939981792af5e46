"""What is measured, each in a process of its own, so that its memory is its own too."""

import resource
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from pydantic import BaseModel

from bentpipe import report
from bentpipe.campaign.measure import Order, measure
from bentpipe.campaign.outcome import Outcome
from bentpipe.campaign.plan import plan
from bentpipe.campaign.time_limit import Hopeless
from bentpipe.engine import simulate
from bentpipe.ledger import Entry, Ledger
from bentpipe.scenario import load

SCENARIO = Path(__file__).with_name("pings.toml")
CELLS = 100
_PACK = 1000
"""Attempts of a commit that are made up: about a second of a campaign."""


class Measured(BaseModel):
    """A phase: how long it took, and the most memory that it had.

    `first_s` is until the first run was started or, where all are there, until that was known. Runs per
    second are the least and the most of ten equal parts.
    """

    took_s: float
    peak_bytes: int
    first_s: float | None = None
    slowest_per_s: float | None = None
    fastest_per_s: float | None = None


class Clock:
    """A campaign's progress that notes when it was told what."""

    def __init__(self, planned: int) -> None:
        self.started_s = time.monotonic()
        self.first_s: float | None = None
        self.ends_s: list[float] = []
        self._part = max(planned // 10, 1)
        self._judged = 0

    def set_aside(self, *, attempts: int, folder: Path) -> None:
        """See Progress."""

    def hopeless(self, cells: Sequence[Hopeless]) -> None:
        """See Progress."""

    def remark(self, text: str) -> None:
        """See Progress."""

    def start(self, *, planned: int, already_succeeded: int) -> None:
        """See Progress."""
        del planned, already_succeeded
        self.first_s = time.monotonic() - self.started_s

    def judged(self, *, status: str) -> None:
        """See Progress."""
        del status
        self._judged += 1
        if self._judged % self._part == 0:
            self.ends_s.append(time.monotonic())

    def repeating(self, *, runs: int, at_once: int) -> None:
        """See Progress."""

    def interrupted(self, *, in_flight: int) -> None:
        """See Progress."""

    def end(self, outcome: Outcome) -> None:
        """See Progress."""

    def measured(self) -> Measured:
        """Return what it took until now."""
        parts_s = [end - start for start, end in zip(self.ends_s, self.ends_s[1:], strict=False)]
        rates = [self._part / part_s for part_s in parts_s]
        return Measured(
            took_s=time.monotonic() - self.started_s,
            peak_bytes=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
            first_s=self.first_s,
            slowest_per_s=min(rates, default=None),
            fastest_per_s=max(rates, default=None),
        )


def campaign(folder: Path, runs: int) -> Measured:
    """Measure what the folder does not have yet, in virtual time."""
    clock = Clock(runs)
    order = Order(scenario=SCENARIO, settings=_settings(runs), folder=folder)

    @contextmanager
    def told() -> Iterator[Clock]:
        yield clock

    measure(order, engine=simulate.Simulator(), progress=told())
    return clock.measured()


def made_up(folder: Path, runs: int) -> Measured:
    """Append as many attempts through the ledger, copies of simulated ones with other round trips."""
    clock = Clock(runs)
    scenario = load(SCENARIO, overrides=_settings(runs))
    engine = simulate.Simulator()
    document = {**scenario.document(), "engine": engine.name}
    planned = plan(scenario)
    patterns = {
        id(run.cell): engine.run(run_id=run.run_id, spec=run.spec, artifacts=None)
        for run in planned[: len(scenario.cells)]
    }
    with Ledger.claim(folder, document) as ledger:
        for place, run in enumerate(planned, start=1):
            pattern = patterns[id(run.cell)]
            spread = 1 + run.seed % 997 / 1e4
            metrics = {"rtt_mean_s": (pattern.metrics.rtt_mean_s or 0.0) * spread}
            record = pattern.model_copy(
                update={
                    "run_id": run.run_id,
                    "spec": pattern.spec.model_copy(update={"seed": run.seed}),
                    "metrics": pattern.metrics.model_copy(update=metrics),
                    "series": {},
                }
            )
            entry = Entry.of(
                record,
                run_id=run.run_id,
                attempt=1,
                factors=run.cell.factors,
                repetition=run.repetition,
            )
            ledger.add(entry, pattern.series)
            if place % _PACK == 0:
                ledger.commit()
            clock.judged(status=entry.status)
    return clock.measured()


def make_report(folder: Path, runs: int) -> Measured:
    """Make the report of the folder."""
    clock = Clock(runs)
    report.build(folder)
    return clock.measured()


PHASES: dict[str, Callable[[Path, int], Measured]] = {
    "campaign": campaign,
    "made-up": made_up,
    "resume": campaign,
    "report": make_report,
}


def _settings(runs: int) -> tuple[str, ...]:
    return (f"repetitions={runs // CELLS}",)
