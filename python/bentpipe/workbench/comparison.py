"""A choice measured in virtual time: its runs, the most telling run of each cell, and its numbers."""

import time
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

from bentpipe.campaign.attempt import attempted
from bentpipe.campaign.engine import Engine
from bentpipe.campaign.plan import PlannedRun, plan
from bentpipe.figures import style
from bentpipe.model.record import RunRecord, Status
from bentpipe.model.spec import RunSpec
from bentpipe.reasons import causes, told
from bentpipe.report.quantities import Quantity, quantities
from bentpipe.scenario import Cell, Scenario
from bentpipe.scenario.link.description import describe_link
from bentpipe.stats import representative, summarise
from bentpipe.stats.metrics import metrics_of
from bentpipe.workbench.choice import Choice
from bentpipe.workbench.messages import (
    CellEvent,
    CellPlan,
    Column,
    EndEvent,
    Event,
    PictureEvent,
    PlanEvent,
    Row,
    RunEvent,
)
from bentpipe.workbench.offer import path_words
from bentpipe.workbench.picture import picture
from bentpipe.workbench.pool import Pool

Metrics: TypeAlias = Mapping[str, float | None]

WORKLOAD = "page-load"
HEADLINE = "plt_s"
SHOWN = ("plt_s", "fcp_s", "ttfb_s", "utilisation", "retransmitted_packets")
"""Of the quantities of a report those of the page's table."""
_DASHES = ((), (8, 4), (2, 3), (10, 3, 2, 3), (4, 2), (1, 2))
"""One for each congestion control, in the order in which they are chosen."""


@dataclass(frozen=True, kw_only=True)
class _Ended:
    """A run that has ended, with its picture where it was asked for; the record itself is not kept."""

    cell: int
    repetition: int
    event: RunEvent
    metrics: Metrics
    picture: PictureEvent | None


class Comparison:
    """The runs of a choice; each is thrown away but for its numbers, for it can be simulated again.

    Raises
    ------
    InputError
        For a choice whose parts do not go together.
    """

    def __init__(self, choice: Choice, *, engine: Engine) -> None:
        self._engine = engine
        self._scenario: Scenario = choice.scenario()
        self._runs = plan(self._scenario)
        self._places = {id(cell): place for place, cell in enumerate(self._scenario.cells)}

    async def events(self, pool: Pool) -> AsyncGenerator[Event]:
        """Yield the plan, each run as it ends, each cell's numbers, and the end.

        The first run of a cell comes with its picture where it has succeeded. When all have ended, that of
        the median page load time takes its place; a cell without a run that succeeded has none.
        """
        began_s = time.monotonic()
        yield self._plan()
        ended: dict[int, list[_Ended]] = {}
        works = [partial(self._run, run, is_shown=run.repetition == 0) for run in self._runs]
        async with aclosing(pool.results(works)) as runs:
            async for run in runs:
                yield run.event
                if run.picture is not None:
                    yield run.picture
                ended.setdefault(run.cell, []).append(run)
        async with aclosing(pool.results(self._last_words(ended))) as last_words:
            async for event in last_words:
                yield event
        yield EndEvent(runs=len(self._runs), wall_s=time.monotonic() - began_s)

    def _plan(self) -> PlanEvent:
        cells = self._scenario.cells
        controls = list(dict.fromkeys(cell.factors["cc"] for cell in cells))
        spec = RunSpec.model_validate({**cells[0].spec, "seed": self._scenario.seed})
        return PlanEvent(
            cells=tuple(_looks(cell, controls) for cell in cells),
            runs=len(self._runs),
            path=path_words(describe_link(spec.link)),
            headline=HEADLINE,
            quantities=tuple(
                Column(metric=each.metric, label=each.label, unit=each.unit, decimals=each.decimals)
                for each in _quantities()
            ),
        )

    def _run(self, run: PlannedRun, *, is_shown: bool) -> _Ended:
        record = self._record(run)
        cell = self._places[id(run.cell)]
        metrics = metrics_of(record)
        succeeded = record.status is Status.SUCCEEDED
        return _Ended(
            cell=cell,
            repetition=run.repetition,
            event=RunEvent(
                cell=cell,
                status=str(record.status),
                plt_s=metrics[HEADLINE] if succeeded else None,
                words=tuple(told(reason, record) for reason in causes(record.reasons)),
            ),
            metrics=metrics if succeeded else {},
            picture=picture(record, cell=cell, is_median=False) if is_shown and succeeded else None,
        )

    def _last_words(self, ended: Mapping[int, list[_Ended]]) -> Iterator[Callable[[], Event]]:
        """Yield what is left to do: of each cell its numbers, then of each the picture of its median run."""
        cells = [sorted(ended[cell], key=lambda run: run.repetition) for cell in sorted(ended)]
        for runs in cells:
            yield partial(self._cell, runs)
        for runs in cells:
            measured = [run for run in runs if run.metrics.get(HEADLINE) is not None]
            if measured:
                yield partial(self._median, measured[representative(_values(measured, HEADLINE))])

    def _median(self, run: _Ended) -> PictureEvent:
        if run.picture is not None:
            return run.picture.model_copy(update={"is_median": True})
        cell = self._scenario.cells[run.cell]
        again = next(one for one in self._runs if one.cell is cell and one.repetition == run.repetition)
        return picture(self._record(again), cell=run.cell, is_median=True)

    def _cell(self, ended: list[_Ended]) -> CellEvent:
        rows = []
        for quantity in _quantities():
            values = [value * quantity.scale for value in _values(ended, quantity.metric)]
            summary = summarise(values, seed=self._scenario.seed)
            if summary is not None:
                interval = summary.median_ci
                rows.append(
                    Row(
                        metric=quantity.metric,
                        median=summary.median,
                        low=interval.low if interval else None,
                        high=interval.high if interval else None,
                    )
                )
        succeeded = sum(run.event.status == Status.SUCCEEDED for run in ended)
        return CellEvent(cell=ended[0].cell, runs=succeeded, rows=tuple(rows))

    def _record(self, run: PlannedRun) -> RunRecord:
        return attempted(self._engine, run_id=run.run_id, spec=run.spec, artifacts=None)


def _looks(cell: Cell, controls: list[str]) -> CellPlan:
    http, control = cell.factors["http"], cell.factors["cc"]
    label = style.look(http).label
    return CellPlan(
        label=f"{label} · {style.control_label(control)}" if len(controls) > 1 else label,
        colour=style.look(http).colour,
        dash=_DASHES[controls.index(control) % len(_DASHES)],
    )


def _quantities() -> tuple[Quantity, ...]:
    return tuple(quantity for quantity in quantities(WORKLOAD) if quantity.metric in SHOWN)


def _values(runs: list[_Ended], metric: str) -> list[float]:
    return [value for run in runs if (value := run.metrics.get(metric)) is not None]
