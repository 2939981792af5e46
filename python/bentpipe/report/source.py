"""What a report is made from: a folder's scenario and ledger, read once."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bentpipe.ledger import Entry, Ledger

Series = Mapping[str, NDArray[np.float64]]


@dataclass(frozen=True, kw_only=True)
class Source:
    """A folder's contents: `entries` are all attempts, `best` the one of each run that is judged."""

    scenario: Mapping[str, Any]
    entries: Sequence[Entry]
    best: Sequence[Entry]
    series: Callable[[str, str], Series]

    @property
    def planned(self) -> int:
        """Number of runs that the scenario asks for."""
        return int(self.scenario["repetitions"]) * len(self.scenario["cells"])

    @property
    def varied(self) -> tuple[str, ...]:
        """Names of the factors that tell the cells apart, in the order of the scenario."""
        names = dict.fromkeys(name for cell in self.scenario["cells"] for name in cell["factors"])
        varied = tuple(name for name in names if name not in self.scenario["constants"])
        return varied or tuple(names)[:1]


def read(ledger: Ledger) -> Source:
    """Read an open ledger; series are read when they are asked for, so keep it open meanwhile."""
    return Source(
        scenario=ledger.scenario(),
        entries=ledger.entries(),
        best=ledger.best(),
        series=ledger.series,
    )
