"""A campaign that is being measured, as its folder of results tells: read, never written.

The folder is read when its index has changed, and so seldom that reading takes a small share of the time: who
writes the folder, be it for a cluster, waits as long as somebody reads.
"""

import time
from collections import deque
from functools import cached_property
from pathlib import Path

from bentpipe.errors import BentpipeError
from bentpipe.ledger import Ledger
from bentpipe.ledger.folder import INDEX, SCENARIO
from bentpipe.ledger.tally import CellTally, Tally
from bentpipe.model.record import Status
from bentpipe.model.scenario import CellDocument, ScenarioDocument
from bentpipe.reasons import causes, told
from bentpipe.report.quantities import Quantity, quantities
from bentpipe.stats import cell_key, cell_label, mean_interval
from bentpipe.workbench.told import CampaignCell, CampaignState, Rejected

POLL_S = 1.0
"""How often the folder is looked at."""
READING_SHARE = 0.02
"""Of the time, for reading; a million runs take up to ten seconds."""
MOST_CELLS_SHOWN = 200
MOST_REJECTED_SHOWN = 20
RATE_OVER_S = 60.0
"""For which the rate of runs is told."""


class Watch:
    """Looks at a folder of results again and again; `look` is called by one thread at a time.

    Raises
    ------
    InputError
        When it is none.
    StorageError
        When it cannot be read.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._looked_at: tuple[int, int, int] | None = None
        self._next_s = 0.0
        self._counts: deque[tuple[float, int]] = deque()
        with Ledger(folder) as ledger:
            document = ledger.scenario()
            self._scenario = ScenarioDocument.read(document, file=str(folder / SCENARIO))
            self._engine = str(document.get("engine", ""))
        self._state = self._empty
        self.look()

    @property
    def state(self) -> CampaignState:
        """What was found when it was last looked at."""
        return self._state

    def look(self) -> CampaignState:
        """Return the state of now, or that of the last time where it is too early to read again."""
        now_s = time.monotonic()
        if now_s < self._next_s:
            return self._state
        try:
            status = (self._folder / INDEX).stat()
            version = (status.st_ino, status.st_mtime_ns, status.st_size)
            if version != self._looked_at or self._state.problem:
                with Ledger(self._folder) as ledger:
                    self._state = self._read(ledger)
                self._looked_at = version
            self._state = self._with_rate(self._state, now_s)
        except (BentpipeError, OSError) as error:
            self._state = self._state.model_copy(update={"problem": str(error)})
        self._next_s = time.monotonic() + max(POLL_S, (time.monotonic() - now_s) / READING_SHARE)
        return self._state

    @cached_property
    def _empty(self) -> CampaignState:
        scenario = self._scenario
        return CampaignState(
            name=scenario.name,
            title=scenario.title,
            engine=self._engine,
            folder=self._folder.name,
            planned=scenario.repetitions * len(scenario.cells),
        )

    @cached_property
    def _varied(self) -> tuple[str, ...]:
        """The factors that tell cells apart."""
        names = dict.fromkeys(name for cell in self._scenario.cells for name in cell.factors)
        return tuple(name for name in names if name not in self._scenario.constants)

    def _read(self, ledger: Ledger) -> CampaignState:
        workloads = dict.fromkeys(cell.workload for cell in self._scenario.cells)
        headlines = dict.fromkeys(_headline(workload).metric for workload in workloads)
        tally = ledger.tally(list(headlines))
        found = {cell_key(factors): cell for factors, cell in tally.cells}
        shown = self._scenario.cells[:MOST_CELLS_SHOWN]
        statuses = {status: sum(cell.statuses.get(status, 0) for cell in found.values()) for status in Status}
        return self._empty.model_copy(
            update={
                **{str(status): count for status, count in statuses.items()},
                "attempts": tally.attempts,
                "rejected": _rejected(ledger, tally),
                "cells": tuple(
                    self._cell(cell, found.get(cell_key(cell.factors), CellTally())) for cell in shown
                ),
                "further_cells": len(self._scenario.cells) - len(shown),
            }
        )

    def _cell(self, planned: CellDocument, cell: CellTally) -> CampaignCell:
        telling = {name: planned.factors[name] for name in self._varied if name in planned.factors}
        quantity = _headline(planned.workload)
        values = cell.values.get(quantity.metric, ())
        found = mean_interval(values)
        interval = found and found.scaled(quantity.scale)
        return CampaignCell(
            label=cell_label(telling or planned.factors, order=self._varied),
            succeeded=cell.statuses.get(Status.SUCCEEDED, 0),
            failed=cell.statuses.get(Status.FAILED, 0),
            invalid=cell.statuses.get(Status.INVALID, 0),
            quantity=quantity.label,
            unit=quantity.unit,
            decimals=quantity.decimals,
            mean=quantity.scale * sum(values) / len(values) if values else None,
            low=interval.low if interval else None,
            high=interval.high if interval else None,
        )

    def _with_rate(self, state: CampaignState, now_s: float) -> CampaignState:
        ended = state.succeeded + state.failed + state.invalid
        self._counts.append((now_s, ended))
        while now_s - self._counts[0][0] > RATE_OVER_S and len(self._counts) > 2:
            self._counts.popleft()
        began_s, before = self._counts[0]
        rate = (ended - before) / (now_s - began_s) if now_s > began_s and ended > before else None
        left = max(0, state.planned - ended)
        return state.model_copy(
            update={"problem": "", "runs_per_s": rate, "remaining_s": left / rate if rate else None}
        )


def _headline(workload: str) -> Quantity:
    """Return what is told first of a kind of workload, of which there is always something."""
    return quantities(workload)[0]


def _rejected(ledger: Ledger, tally: Tally) -> tuple[Rejected, ...]:
    """Return the runs without a number by their reasons, the most frequent first."""
    kinds = sorted(tally.unusable.items(), key=lambda item: -item[1][0])[:MOST_REJECTED_SHOWN]
    examples = ledger.numbered(last for _, (_, last) in kinds) if kinds else []
    words: dict[tuple[str, str], tuple[str, ...]] = {}
    for entry in examples:
        record = entry.record
        codes = " ".join(dict.fromkeys(reason.code for reason in record.reasons))
        words[entry.status, codes] = tuple(told(reason, record) for reason in causes(record.reasons))
    return tuple(
        Rejected(status=status, runs=runs, words=words.get((status, codes), tuple(codes.split())))
        for (status, codes), (runs, _) in kinds
    )
