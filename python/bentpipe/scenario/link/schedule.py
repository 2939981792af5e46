"""How a direction changes over time: rows as written, or epochs of a constellation."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from bentpipe.model.draft.schedule import (
    CapacityVariationSpec,
    EpochsScheduleSpec,
    RowSpec,
    ScheduleSpec,
    StateSpec,
)
from bentpipe.scenario import defaults
from bentpipe.scenario.link.epochs import EpochDraft
from bentpipe.scenario.written.link_schema import DirectionTable
from bentpipe.scenario.written.location import Location, closest, quoted
from bentpipe.scenario.written.path_schema import RateVariationTable, ScheduleRowTable, ScheduleTable
from bentpipe.scenario.written.quantity import MILLISECOND_NS, duration_ns, fraction, rate_bps
from bentpipe.scenario.written.table import or_default, refuse

STATES: tuple[StateSpec, ...] = ("open", "silence", "outage")
MOST_ROWS = 1_000_000
"""More are a recording, whose file is read by itself."""


@dataclass(frozen=True, kw_only=True)
class ScheduleDraft:
    """A schedule with all but the rates that are a part of its direction's own.

    Attributes
    ----------
    spec : ScheduleSpec
        What holds when.
    shares : mapping of int to float
        By the index of a row: the part of the direction's rate that it has.
    """

    spec: ScheduleSpec
    shares: Mapping[int, float] = field(default_factory=dict)

    def complete(self, nominal_bps: int) -> None:
        """Fill in the rates."""
        if self.spec["kind"] == "table":
            for index, share in self.shares.items():
                self.spec["rows"][index]["rate_bps"] = round(share * nominal_bps)


def schedule_draft(
    table: DirectionTable, epochs: EpochDraft | None, recorded: ScheduleSpec | None, where: Location
) -> ScheduleDraft | None:
    """Return what a direction follows: a recording, its own rows, or else the epochs of its link.

    Raises
    ------
    InputError
        For keys that do not belong together, and for rows that are not in order.
    """
    if recorded is not None:
        return ScheduleDraft(spec=recorded)
    if table.schedule is not None:
        refuse(table, ("rate_variation",), where, why="the rows of schedule say the rate")
        return _rows_draft(table.schedule, where.at("schedule"))
    if epochs is None:
        refuse(table, ("rate_variation",), where, why="the link has no epochs")
        return None
    spec: EpochsScheduleSpec = {
        "kind": "epochs",
        "silence": epochs.silence,
        "capacity": None,
        **epochs.common,
    }
    if table.rate_variation is not None:
        spec["capacity"] = _variation_spec(table.rate_variation, where.at("rate_variation"))
    return ScheduleDraft(spec=spec)


def _rows_draft(table: ScheduleTable, where: Location) -> ScheduleDraft:
    written = table.rows or []
    if not 1 <= len(written) <= MOST_ROWS:
        expected = f"from 1 to {MOST_ROWS} rows, the first at 0 s"
        raise where.at("rows").error(expected=expected, found=str(len(written)))
    rows: list[RowSpec] = []
    for number, row in enumerate(written, start=1):
        place = where.at(f"rows.{number}")
        spec = _row_spec(row, place)
        if not rows and spec["at_ns"] != 0:
            raise place.at("at").error(expected='"0 s" for the first row', found=quoted(row.at or "nothing"))
        if rows and spec["at_ns"] <= rows[-1]["at_ns"]:
            raise place.at("at").error(
                expected="an instant later than that of the row before", found=quoted(row.at or "nothing")
            )
        rows.append(spec)
    offset_ns = 0 if table.offset is None else duration_ns(table.offset, where.at("offset"))
    period_ns = None
    if table.every is not None:
        period_ns = duration_ns(table.every, where.at("every"), least_ns=MILLISECOND_NS)
        if period_ns <= rows[-1]["at_ns"]:
            expected = "a duration that ends later than the last row begins"
            raise where.at("every").error(expected=expected, found=quoted(table.every))
    shares = {
        index: fraction(row.share, where.at(f"rows.{index + 1}.share"))
        for index, row in enumerate(written)
        if row.share is not None
    }
    return ScheduleDraft(
        spec={"kind": "table", "rows": rows, "period_ns": period_ns, "offset_ns": offset_ns}, shares=shares
    )


def _row_spec(row: ScheduleRowTable, where: Location) -> RowSpec:
    state = or_default(row.state, STATES[0])
    if state not in STATES:
        raise where.at("state").error(
            expected=f"one of {', '.join(STATES)}", found=quoted(state), suggestion=closest(state, STATES)
        )
    if row.share is not None:
        refuse(row, ("rate",), where, why="share says it as a part of the direction's")
    spec: RowSpec = {
        "at_ns": 0 if row.at is None else duration_ns(row.at, where.at("at")),
        "loss": 0.0 if row.loss is None else fraction(row.loss, where.at("loss")),
        "state": state,
    }
    if row.rate is not None:
        spec["rate_bps"] = rate_bps(row.rate, where.at("rate"))
    if row.delay is not None:
        spec["delay_ns"] = duration_ns(row.delay, where.at("delay"))
    return spec


def _variation_spec(table: RateVariationTable, where: Location) -> CapacityVariationSpec:
    step = or_default(table.step, defaults.RATE_VARIATION_STEP)
    return {
        "between_cv": fraction(table.between or 0, where.at("between")),
        "within_cv": fraction(table.within or 0, where.at("within")),
        "within_step_ns": duration_ns(step, where.at("step"), least_ns=MILLISECOND_NS),
        "within_correlation": fraction(table.correlation or 0, where.at("correlation")),
    }
