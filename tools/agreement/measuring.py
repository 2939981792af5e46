"""The runs of the grid, measured by either engine into ledgers of their own."""

import math
import os
import shutil
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bentpipe.campaign.engine import Engine
from bentpipe.campaign.executor import execute
from bentpipe.campaign.outcome import Ending
from bentpipe.campaign.plan import PlannedRun, plan
from bentpipe.cli.progress import progress
from bentpipe.engine.emulate import Emulator
from bentpipe.engine.simulate import Simulator
from bentpipe.ledger import Entry, Ledger, judged
from bentpipe.scenario import Extent, Scenario, load
from tools.agreement import kept
from tools.agreement.grid import KINDS, Company, Kind, Part
from tools.agreement.traces import CHOICES, Choice, Trace, Window

OTHER_SEED = "seed=2"
"""Makes samples independent of the emulated ones, as two-sample tests assume.

With equal seeds the n-th packet is lost in both engines or in neither: good for comparing medians, for only
the engines then differ, but no longer two independent samples.
"""


@dataclass(frozen=True, kw_only=True)
class Attempts:
    """What one engine has measured of a kind."""

    all: tuple[Entry, ...]
    judged: tuple[Entry, ...]
    """One per run: the attempt that succeeded, else the last."""


@dataclass(frozen=True, kw_only=True)
class Runs:
    """What both engines have measured of a kind; in virtual time also with seeds that were not emulated."""

    emulated: Attempts
    simulated: Attempts
    simulated_otherwise: Attempts


def emulate(
    kind: Kind, *, results: Path, extent: Extent = Extent.FULL, repeat_for_s: float = math.inf
) -> None:
    """Measure in real time what is not there yet; an interrupted measurement goes on where it ended.

    What is late is repeated for `repeat_for_s` at most in each part, by each company that its runs bear.
    """
    for part in kind.parts:
        scenario = load(part.scenario, extent=extent)
        runs = plan(scenario)
        for company in sorted(Company, key=lambda company: -company.value):
            alike = [run for run in runs if part.company_of(run.cell.factors) is company]
            if alike:
                with closing(Emulator()) as engine:
                    jobs = company.runs_at_once(_cores())
                    folder = _emulated(results, part)
                    _measure(alike, scenario, engine, folder, jobs=jobs, repeat_for_s=repeat_for_s)


def restore(kind: Kind, *, results: Path) -> None:
    """Take what has been emulated of a kind on other days; see `kept`."""
    for part in kind.parts:
        scenario, file = load(part.scenario), _kept(part)
        if not file.is_file():
            continue
        # Of windows over time nothing is kept: the runs that the page shows are measured again.
        runs = [run for run in plan(scenario) if not _is_shown(part, run)]
        with Ledger.claim(_emulated(results, part), _document(scenario, Emulator.name)) as ledger:
            kept.restore(file, metric=kind.quantity.metric, runs=runs, ledger=ledger)


def keep(kind: Kind, *, results: Path) -> None:
    """Keep what has been emulated of a kind."""
    for part in kind.parts:
        folder = _emulated(results, part)
        if folder.is_dir():
            runs = plan(load(part.scenario))
            with Ledger(folder) as ledger:
                entries = ledger.entries()
                kept.keep(_kept(part), metric=kind.quantity.metric, runs=runs, entries=entries)


def simulate(kind: Kind, *, results: Path, extent: Extent = Extent.FULL) -> None:
    """Measure in virtual time, afresh: these numbers follow from the program, which may have changed."""
    for part in kind.parts:
        _simulate_into(_simulated(results, part), load(part.scenario, extent=extent))
        if kind.judgement.has_test:
            scenario = load(part.scenario, overrides=[OTHER_SEED], extent=extent)
            _simulate_into(_simulated_otherwise(results, part), scenario)


def planned_cells(kind: Kind, *, extent: Extent = Extent.FULL) -> int:
    """Return the number of cells that the scenarios of a kind have."""
    return sum(len(load(part.scenario, extent=extent).cells) for part in kind.parts)


def measured(kind: Kind, *, results: Path) -> Runs:
    """Return what has been measured of a kind so far."""
    return Runs(
        emulated=_attempts([_emulated(results, part) for part in kind.parts]),
        simulated=_attempts([_simulated(results, part) for part in kind.parts]),
        simulated_otherwise=_attempts([_simulated_otherwise(results, part) for part in kind.parts]),
    )


def traces(choices: Iterable[Choice], *, results: Path) -> list[Trace]:
    """Return the first run of each cell that both engines have measured, its windows over time."""
    found = []
    for choice in choices:
        part = next(part for kind in KINDS for part in kind.parts if part.name == choice.part)
        folders = _emulated(results, part), _simulated(results, part)
        if not all(folder.is_dir() for folder in folders):
            continue
        with Ledger(folders[0]) as emulated, Ledger(folders[1]) as simulated:
            run_ids = {entry.run_id for entry in _first_runs(simulated, choice)}
            for entry in _first_runs(emulated, choice):
                if entry.run_id in run_ids:
                    windows = (_window(ledger, entry.run_id) for ledger in (emulated, simulated))
                    found.append(Trace(title=choice.title, emulated=next(windows), simulated=next(windows)))
    return found


def _first_runs(ledger: Ledger, choice: Choice) -> list[Entry]:
    return [
        entry
        for entry in ledger.best()
        if entry.status == "succeeded"
        and entry.repetition == 0
        and choice.factors.items() <= entry.factors.items()
    ]


def _window(ledger: Ledger, run_id: str) -> Window:
    sender = ledger.series(run_id, "sender")
    return Window(time_s=sender["time_s"], cwnd_bytes=sender["cwnd_bytes"])


def _simulate_into(folder: Path, scenario: Scenario) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    with closing(Simulator()) as engine:
        _measure(plan(scenario), scenario, engine, folder, jobs=_cores())


def _measure(
    runs: Sequence[PlannedRun],
    scenario: Scenario,
    engine: Engine,
    folder: Path,
    *,
    jobs: int,
    repeat_for_s: float = math.inf,
) -> None:
    with Ledger.claim(folder, _document(scenario, engine.name)) as ledger, progress() as shown:
        outcome = execute(
            runs, engine=engine, ledger=ledger, jobs=jobs, progress=shown, repeat_for_s=repeat_for_s
        )
    if outcome.ending is Ending.INTERRUPTED:
        # No other part is started either.
        raise KeyboardInterrupt


def _document(scenario: Scenario, engine: str) -> dict[str, Any]:
    return {**scenario.document(), "engine": engine}


def _is_shown(part: Part, run: PlannedRun) -> bool:
    return any(
        choice.part == part.name
        and run.repetition == 0
        and choice.factors.items() <= run.cell.factors.items()
        for choice in CHOICES
    )


def _kept(part: Part) -> Path:
    return kept.FOLDER / f"{part.name}.csv"


def _emulated(results: Path, part: Part) -> Path:
    return results / "emulate" / part.name


def _simulated(results: Path, part: Part) -> Path:
    return results / "simulate" / part.name


def _simulated_otherwise(results: Path, part: Part) -> Path:
    return results / "simulate" / f"{part.name}-with-other-seeds"


def _attempts(folders: Iterable[Path]) -> Attempts:
    every: list[Entry] = []
    best: list[Entry] = []
    for folder in filter(Path.is_dir, folders):
        with Ledger(folder) as ledger:
            entries = [entry.in_memory() for entry in ledger.entries()]
            every += entries
            best += judged(entries)
    return Attempts(all=tuple(every), judged=tuple(best))


def _cores() -> int:
    return len(os.sched_getaffinity(0))
