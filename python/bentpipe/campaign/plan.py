"""The runs of a scenario in the order in which they are measured."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

from bentpipe.model.spec import RunSpec
from bentpipe.scenario import Cell, Scenario, canonical_json, identity

RUN_ID_VERSION = 1
"""A new one makes new run ids: old records then count for nothing new."""

SEED_BITS = 53
"""Every reader of JSON keeps integers of this length."""


@dataclass(frozen=True, kw_only=True)
class PlannedRun:
    """One run: a cell, a repetition of it, and the complete specification with its seed."""

    run_id: str
    cell: Cell
    repetition: int
    spec: RunSpec


def plan(scenario: Scenario) -> tuple[PlannedRun, ...]:
    """Return the scenario's runs, interlaced over the matrix.

    Every cell is measured once before any is measured again, and each round starts at another cell, so
    that a slow change of the machine's conditions meets all cells alike.
    """
    cells = scenario.cells
    runs = []
    for repetition in range(scenario.repetitions):
        offset = len(cells) * repetition // scenario.repetitions
        runs += [
            planned_run(cell, seed=scenario.seed, repetition=repetition)
            for cell in (*cells[offset:], *cells[:offset])
        ]
    return tuple(runs)


def planned_run(cell: Cell, *, seed: int, repetition: int) -> PlannedRun:
    """Return one run of a cell; its seed depends on the cell, so that no two cells share random numbers."""
    text = canonical_json([seed, repetition, identity(cell.spec)])
    run_seed = int.from_bytes(hashlib.sha256(text.encode()).digest()) >> (256 - SEED_BITS)
    spec = {**cell.spec, "seed": run_seed}
    return PlannedRun(
        run_id=run_id(spec), cell=cell, repetition=repetition, spec=RunSpec.model_validate(spec)
    )


def run_id(spec: Mapping[str, object]) -> str:
    """Return the name of the run that a specification with its seed stands for."""
    text = canonical_json([RUN_ID_VERSION, identity(spec)])
    return hashlib.sha256(text.encode()).hexdigest()[:16]
