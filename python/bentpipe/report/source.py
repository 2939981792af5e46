"""What a report is made from: a folder's scenario and ledger, read once."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bentpipe.ledger import Entry, Ledger, judged
from bentpipe.model.record import RunRecord
from bentpipe.model.scenario import ScenarioDocument

if TYPE_CHECKING:
    import polars

_SERIES_AT_ONCE = 256
"""That are kept: figures ask for those of the same runs."""

Series = Mapping[str, NDArray[np.float64]]


@dataclass(frozen=True, kw_only=True)
class Recorded:
    """A run that is judged, together with its series, which are read when they are asked for."""

    entry: Entry
    read: Callable[[str, str], Series]

    @property
    def factors(self) -> Mapping[str, str]:
        """What varies between cells."""
        return self.entry.factors

    @property
    def status(self) -> str:
        """How the run ended."""
        return self.entry.status

    @property
    def metrics(self) -> Mapping[str, float | None]:
        """The run's metrics by name."""
        return self.entry.metrics

    @property
    def record(self) -> RunRecord:
        """The run's record, without series."""
        return self.entry.record

    def series(self, name: str) -> Series:
        """The columns of one of its series."""
        return self.read(self.entry.run_id, name)


@dataclass(frozen=True, kw_only=True)
class Source:
    """A folder's contents: `entries` are all attempts, `best` the one of each run that is judged.

    Records and series are read when they are asked for, so that a million runs are no matter of memory.
    """

    scenario: ScenarioDocument
    entries: Sequence[Entry]
    best: Sequence[Entry]
    runs: "polars.DataFrame"
    """All attempts as a table (`Attempts.runs`)."""
    provenances: Sequence[Mapping[str, str]]
    """Those of all attempts, equal ones once."""
    series: Callable[[str, str], Series]
    every_series: Callable[[str], Iterator[tuple[str, int, Series]]]
    """Run id, attempt and columns of a series, of all attempts that have it."""
    artifacts: Callable[[Entry], Path]
    """The folder of an attempt's captures and pictures."""

    @property
    def recorded(self) -> tuple[Recorded, ...]:
        """The runs that are judged, with their series."""
        return tuple(Recorded(entry=entry, read=self.series) for entry in self.best)

    @property
    def transfers(self) -> Iterator[Entry]:
        """All attempts but pings: those that may have objects, flows and connections."""
        return (entry for entry in self.entries if entry.workload != "ping")

    @property
    def planned(self) -> int:
        """Number of runs that the scenario asks for."""
        return self.scenario.repetitions * len(self.scenario.cells)

    @property
    def varied(self) -> tuple[str, ...]:
        """Names of the factors that tell the cells apart, in the order of the scenario."""
        names = dict.fromkeys(name for cell in self.scenario.cells for name in cell.factors)
        varied = tuple(name for name in names if name not in self.scenario.constants)
        return varied or tuple(names)[:1]


def read(ledger: Ledger) -> Source:
    """Read an open ledger; records and series are read when they are asked for, so keep it open meanwhile."""
    attempts = ledger.all_attempts()
    entries = attempts.entries()
    return Source(
        scenario=ScenarioDocument.model_validate(ledger.scenario()),
        entries=entries,
        best=judged(entries),
        runs=attempts.runs(),
        provenances=attempts.provenances(),
        series=lru_cache(maxsize=_SERIES_AT_ONCE)(ledger.series),
        every_series=ledger.every_series,
        artifacts=lambda entry: ledger.artifacts(entry.run_id, entry.attempt),
    )
