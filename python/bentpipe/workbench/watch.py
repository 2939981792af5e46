"""A campaign that is being measured, as its folder of results tells: read, never written.

The folder is read when its index has changed, and so seldom that reading takes a small share of the time: who
writes the folder, be it for a cluster, waits as long as somebody reads.
"""

import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self, TypeAlias

from bentpipe.errors import BentpipeError
from bentpipe.ledger import Ledger
from bentpipe.ledger.folder import INDEX, SCENARIO
from bentpipe.ledger.tally import CellTally, Tally
from bentpipe.model.record import Status
from bentpipe.model.scenario import CellDocument, ScenarioDocument
from bentpipe.reasons import causes, told
from bentpipe.report.quantities import Quantity, quantities
from bentpipe.scenario.written.location import Location, quoted
from bentpipe.stats import Moments, cell_key, cell_label, moments_interval
from bentpipe.workbench.messages import CampaignCell, CampaignState, Rejected

POLL_S = 1.0
"""How often the folder is looked at."""
READING_SHARE = 0.02
"""Of the time, for reading; a million runs take up to ten seconds."""
LOCK_WAIT_S = 0.5
"""For who writes the folder at this moment: a commit takes less, and what takes longer is told."""
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
        self._looked_at: _Version | None = None
        self._next_s = 0.0
        self._counts: deque[tuple[float, int]] = deque()
        with Ledger(folder) as ledger:
            # The older of what is read and what it is told by: what changes meanwhile is read again.
            self._measured_by = _version(folder / SCENARIO)
            self._subject = _Subject.read(ledger)
        self._state = self._subject.empty
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
        began_s, pause_s = now_s, POLL_S
        try:
            version = _version(self._folder / INDEX)
            if version != self._looked_at or self._state.problem:
                # As at the start.
                measured_by = _version(self._folder / SCENARIO)
                with Ledger(self._folder, wait_s=LOCK_WAIT_S) as ledger:
                    # What took the time until now was waiting for who writes, and no reading.
                    began_s = time.monotonic()
                    if measured_by != self._measured_by:
                        self._subject = _Subject.read(ledger)
                        self._counts.clear()
                    self._state = self._subject.state(ledger)
                self._looked_at, self._measured_by = version, measured_by
            self._state = self._with_rate(self._state, now_s)
            pause_s = max(POLL_S, (time.monotonic() - began_s) / READING_SHARE)
        except (BentpipeError, OSError) as error:
            # This took the time of a wait at most.
            self._state = self._state.model_copy(update={"problem": str(error)})
        self._next_s = time.monotonic() + pause_s
        return self._state

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


_Version: TypeAlias = tuple[int, int, int, int]


def _version(file: Path) -> _Version:
    """Return what differs between a file and what was in its place before."""
    status = file.stat()
    return (status.st_dev, status.st_ino, status.st_mtime_ns, status.st_size)


@dataclass(frozen=True, kw_only=True)
class _Subject:
    """The campaign of a folder: what was to be measured, each cell with what is told of it first."""

    empty: CampaignState
    """Before any run."""
    cells: Sequence[tuple[CellDocument, Quantity]]
    varied: Sequence[str]
    """The factors that tell cells apart."""

    @classmethod
    def read(cls, ledger: Ledger) -> Self:
        """Return that of a ledger; raises InputError where its scenario is none of ours."""
        document, file = ledger.scenario(), str(ledger.folder / SCENARIO)
        scenario = ScenarioDocument.read(document, file=file)
        names = dict.fromkeys(name for cell in scenario.cells for name in cell.factors)
        headlines = {
            workload: _headline(workload, Location(file=file, field="cells.spec.workload.kind"))
            for workload in {cell.workload for cell in scenario.cells}
        }
        return cls(
            empty=CampaignState(
                name=scenario.name,
                title=scenario.title,
                engine=str(document.get("engine", "")),
                folder=ledger.folder.name,
                planned=scenario.repetitions * len(scenario.cells),
            ),
            cells=[(cell, headlines[cell.workload]) for cell in scenario.cells],
            varied=tuple(name for name in names if name not in scenario.constants),
        )

    def state(self, ledger: Ledger) -> CampaignState:
        """Return how far it is, without rates."""
        tally = ledger.tally(list(dict.fromkeys(headline.metric for _, headline in self.cells)))
        found = {cell_key(factors): cell for factors, cell in tally.cells}
        shown = self.cells[:MOST_CELLS_SHOWN]
        statuses = {status: sum(cell.statuses.get(status, 0) for cell in found.values()) for status in Status}
        return self.empty.model_copy(
            update={
                **{str(status): count for status, count in statuses.items()},
                "attempts": tally.attempts,
                "rejected": _rejected(ledger, tally),
                "cells": tuple(
                    self._cell(cell, headline, found.get(cell_key(cell.factors), CellTally()))
                    for cell, headline in shown
                ),
                "further_cells": len(self.cells) - len(shown),
            }
        )

    def _cell(self, planned: CellDocument, headline: Quantity, cell: CellTally) -> CampaignCell:
        telling = {name: planned.factors[name] for name in self.varied if name in planned.factors}
        values = cell.values.get(headline.metric, Moments())
        found = moments_interval(values)
        interval = found and found.scaled(headline.scale)
        return CampaignCell(
            label=cell_label(telling or planned.factors, order=self.varied),
            succeeded=cell.statuses.get(Status.SUCCEEDED, 0),
            failed=cell.statuses.get(Status.FAILED, 0),
            invalid=cell.statuses.get(Status.INVALID, 0),
            quantity=headline.label,
            unit=headline.unit,
            decimals=headline.decimals,
            mean=headline.scale * values.mean if values.count else None,
            low=interval.low if interval else None,
            high=interval.high if interval else None,
        )


def _headline(workload: str, where: Location) -> Quantity:
    """Return what is told first of a kind of workload; raises InputError where there is nothing."""
    for quantity in quantities(workload):
        return quantity
    raise where.error(expected="a workload of Bentpipe", found=quoted(workload))


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
