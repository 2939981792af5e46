"""What a report is made from: a folder's scenario and ledger, read once."""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, TypeVarTuple

import numpy as np
from numpy.typing import NDArray

from bentpipe.errors import InputError
from bentpipe.ledger import Entry, Ledger, judged
from bentpipe.ledger.folder import SCENARIO
from bentpipe.model.record import RunRecord
from bentpipe.model.scenario import ScenarioDocument

if TYPE_CHECKING:
    import polars

_SERIES_AT_ONCE = 256
"""That are kept: figures ask for those of the same runs."""

Series = Mapping[str, NDArray[np.float64]]
T = TypeVar("T")
Arguments = TypeVarTuple("Arguments")
Derived = dict[Hashable, Any]
"""What functions made of runs: by run id, function and arguments."""


@dataclass(frozen=True, kw_only=True)
class Recorded:
    """A run that is judged, together with its series, which are read when they are asked for.

    `kept` is shared by all runs of a report.
    """

    entry: Entry
    read: Callable[[str, str], Series]
    kept: Derived = field(repr=False, compare=False)

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

    def derived(self, of: "Callable[[Recorded, *Arguments], T]", *arguments: *Arguments) -> T:
        """What a function makes of record and series (`studies.study.Run`)."""
        key = (self.entry.run_id, of, arguments)
        if key not in self.kept:
            self.kept[key] = of(self, *arguments)
        found: T = self.kept[key]
        return found


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
    derived: Derived = field(default_factory=dict, repr=False)
    """What claims, tables and figures have made of the runs."""

    @property
    def recorded(self) -> tuple[Recorded, ...]:
        """The runs that are judged, with their series."""
        return tuple(Recorded(entry=entry, read=self.series, kept=self.derived) for entry in self.best)

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
    """Read an open ledger; records and series are read when they are asked for, so keep it open meanwhile.

    Raises
    ------
    InputError
        When its runs are not those of a scenario.
    """
    written = ledger.scenario()
    if "cells" not in written:
        raise InputError(
            file=str(ledger.folder / SCENARIO),
            field="cells",
            expected="the results of a scenario",
            found="those of something else, such as of `bentpipe advise`, which writes a page of its own",
        )
    attempts = ledger.all_attempts()
    entries = attempts.entries()
    return Source(
        scenario=ScenarioDocument.read(written, file=str(ledger.folder / SCENARIO)),
        entries=entries,
        best=judged(entries),
        runs=attempts.runs(),
        provenances=attempts.provenances(),
        series=lru_cache(maxsize=_SERIES_AT_ONCE)(ledger.series),
        every_series=ledger.every_series,
        artifacts=lambda entry: ledger.artifacts(entry.run_id, entry.attempt),
    )
