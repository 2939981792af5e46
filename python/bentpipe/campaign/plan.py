"""The runs of a scenario in the order in which they are measured.

A campaign may have a million runs: what those of a cell share is written and hashed once, and the
specification of a run is made when it is asked for.
"""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from bentpipe.model.spec import RunSpec
from bentpipe.scenario import Cell, Scenario, canonical_json, identity

RUN_ID_VERSION = 1
"""A new one makes new run ids: old records then count for nothing new."""

SEED_BITS = 53
"""Every reader of JSON keeps integers of this length."""

_SEED = "seed"


@dataclass(frozen=True, kw_only=True, slots=True)
class PlannedRun:
    """One run: a cell, a repetition of it, and the seed of its random numbers."""

    run_id: str
    cell: Cell
    repetition: int
    seed: int

    @property
    def spec(self) -> RunSpec:
        """The complete specification with its seed, made anew each time."""
        return RunSpec.model_validate({**self.cell.spec, _SEED: self.seed})

    @property
    def leaves_files(self) -> bool:
        """Whether it may leave captures, or pictures as browsers do."""
        return any(self.cell.spec["capture"].values()) or self.cell.spec.get("client") is not None


class CellPlan:
    """Plans the runs of a cell; `seed` is the campaign's."""

    def __init__(self, cell: Cell, *, seed: int) -> None:
        self._cell, self._seed = cell, seed
        shared = identity(cell.spec)
        self._apart = b"" if _has_drawn_path(cell) else b",%b" % canonical_json(shared).encode()
        # Keys are sorted: what stands before a run's seed is the same for all runs, and so is what follows.
        before = canonical_json({key: value for key, value in shared.items() if key < _SEED})
        after = canonical_json({key: value for key, value in shared.items() if key > _SEED})
        head = f'[{RUN_ID_VERSION},{before[:-1]}{"," * (before != "{}")}"{_SEED}":'
        self._head = hashlib.sha256(head.encode())
        self._tail = f"{',' * (after != '{}')}{after[1:]}]".encode()

    def run(self, repetition: int) -> PlannedRun:
        """Return one run; its seed depends on the cell, so that no two cells share random numbers.

        Not so where the path is drawn from it: there all cells of a repetition have one seed, so that they
        meet the same satellites, silences and capacities, and what tells them apart is not luck (common
        random numbers; Law 2015, Simulation modeling and analysis, section 11.2).
        """
        drawn = hashlib.sha256(b"[%d,%d%b]" % (self._seed, repetition, self._apart)).digest()
        seed = int.from_bytes(drawn) >> (256 - SEED_BITS)
        whole = self._head.copy()
        whole.update(b"%d%b" % (seed, self._tail))
        return PlannedRun(run_id=whole.hexdigest()[:16], cell=self._cell, repetition=repetition, seed=seed)


def plan(scenario: Scenario) -> tuple[PlannedRun, ...]:
    """Return the scenario's runs, interlaced over the matrix.

    Every cell is measured once before any is measured again, and each round starts at another cell, so
    that a slow change of the machine's conditions meets all cells alike.
    """
    cells = [CellPlan(cell, seed=scenario.seed) for cell in scenario.cells]
    runs = []
    for repetition in range(scenario.repetitions):
        offset = len(cells) * repetition // scenario.repetitions
        runs += [cell.run(repetition) for cell in (*cells[offset:], *cells[:offset])]
    return tuple(runs)


def planned_run(cell: Cell, *, seed: int, repetition: int) -> PlannedRun:
    """Return one run of a cell."""
    return CellPlan(cell, seed=seed).run(repetition)


def one_of_each_cell(runs: Iterable[PlannedRun]) -> list[PlannedRun]:
    """Return the first run of each cell; the specifications of the others differ from its in their seed."""
    firsts: dict[int, PlannedRun] = {}
    for run in runs:
        firsts.setdefault(id(run.cell), run)
    return list(firsts.values())


def _has_drawn_path(cell: Cell) -> bool:
    """Whether its link follows epochs, of which silences, satellites and rates are drawn from the seed."""
    link = cell.spec["link"]
    schedules = (direction.get("schedule") for direction in (link["forward"], link["return"]))
    return any(schedule is not None and schedule["kind"] == "epochs" for schedule in schedules)


def run_id(spec: Mapping[str, object]) -> str:
    """Return the name of the run that a specification with its seed stands for."""
    text = canonical_json([RUN_ID_VERSION, identity(spec)])
    return hashlib.sha256(text.encode()).hexdigest()[:16]
