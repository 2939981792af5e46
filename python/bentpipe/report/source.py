"""What a report is made from: a folder's scenario and ledger, read once."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bentpipe.ledger import Entry, Ledger
from bentpipe.ledger.folder import SCENARIO
from bentpipe.model.record import RunRecord
from bentpipe.model.scenario import ScenarioDocument

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
    def record(self) -> RunRecord:
        """The run's record, without series."""
        return self.entry.record

    def series(self, name: str) -> Series:
        """The columns of one of its series."""
        return self.read(self.entry.run_id, name)


@dataclass(frozen=True, kw_only=True)
class Source:
    """A folder's contents: `entries` are all attempts, `best` the one of each run that is judged."""

    scenario: ScenarioDocument
    entries: Sequence[Entry]
    best: Sequence[Entry]
    series: Callable[[str, str], Series]
    artifacts: Callable[[Entry], Path]
    """The folder of an attempt's captures and pictures."""

    @property
    def recorded(self) -> tuple[Recorded, ...]:
        """The runs that are judged, with their series."""
        return tuple(Recorded(entry=entry, read=self.series) for entry in self.best)

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
    """Read an open ledger; each series is read when it is first asked for, so keep it open meanwhile."""
    return Source(
        scenario=ScenarioDocument.read(ledger.scenario(), file=str(ledger.folder / SCENARIO)),
        entries=ledger.entries(),
        best=ledger.best(),
        series=cache(ledger.series),
        artifacts=lambda entry: ledger.artifacts(entry.run_id, entry.attempt),
    )
