"""A batch: some runs of a campaign for one worker, and what comes back of it.

Both are pickled, between processes of one release. A cell's specification is in a batch once, however many of
its runs are; the worker makes that of each run from it.
"""

import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bentpipe.campaign.plan import PlannedRun
from bentpipe.model.draft.spec import CellSpec
from bentpipe.model.spec import RunSpec


@dataclass(frozen=True, kw_only=True, slots=True)
class BatchRun:
    """One run.

    Attributes
    ----------
    cell : int
        The place of its cell in the batch.
    run_id : str
        Its name.
    seed : int
        Of its random numbers.
    leaves_files : bool
        Whether it is to have a folder for captures and logs.
    """

    cell: int
    run_id: str
    seed: int
    leaves_files: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Batch:
    """Runs for one worker, in the order of the plan.

    Attributes
    ----------
    engine : str
        What measures them.
    cells : bytes
        The specifications of their cells, as compressed JSON.
    runs : tuple of BatchRun
        At least one.
    """

    engine: str
    cells: bytes
    runs: tuple[BatchRun, ...]

    @classmethod
    def of(cls, runs: Sequence[PlannedRun], *, engine: str) -> "Batch":
        """Return the batch of some planned runs."""
        places: dict[int, int] = {}
        specs: list[CellSpec] = []
        for run in runs:
            if id(run.cell) not in places:
                places[id(run.cell)] = len(specs)
                specs.append(run.cell.spec)
        return cls(
            engine=engine,
            cells=zlib.compress(json.dumps(specs).encode(), level=1),
            runs=tuple(
                BatchRun(
                    cell=places[id(run.cell)],
                    run_id=run.run_id,
                    seed=run.seed,
                    leaves_files=run.leaves_files,
                )
                for run in runs
            ),
        )

    def specs(self) -> list[RunSpec]:
        """Return the specification of each run."""
        cells = json.loads(zlib.decompress(self.cells))
        return [RunSpec.model_validate({**cells[run.cell], "seed": run.seed}) for run in self.runs]


@dataclass(frozen=True, kw_only=True, slots=True)
class RunResult:
    """What became of a run.

    Attributes
    ----------
    record : bytes
        The record with its series, as JSON.
    took_s : float
        How long the worker was at it.
    files : mapping of str to bytes
        Captures and logs, by their path below the folder of the attempt's artifacts.
    """

    record: bytes
    took_s: float
    files: Mapping[str, bytes]


@dataclass(frozen=True, kw_only=True, slots=True)
class BatchResult:
    """The runs that a worker has come to, from the first of its batch on.

    Attributes
    ----------
    worker : str
        The worker's address.
    runs : tuple of RunResult
        At least one; fewer than in the batch when they took longer than was thought.
    """

    worker: str
    runs: tuple[RunResult, ...]
