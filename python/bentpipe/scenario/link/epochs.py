"""Epochs of a constellation, which both directions of a link share, from what is written."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal, TypedDict

from bentpipe.model.draft.schedule import EpochDelaySpec, SilenceSpec
from bentpipe.scenario import defaults
from bentpipe.scenario.link.channel import quantiles
from bentpipe.scenario.link.geometry import geometry_spec
from bentpipe.scenario.written.link_schema import LinkTable
from bentpipe.scenario.written.location import Location, closest, quoted
from bentpipe.scenario.written.path_schema import EpochsTable, GeometryTable, SilenceTable
from bentpipe.scenario.written.quantity import duration_ns
from bentpipe.scenario.written.table import or_default

SHORTEST_PERIOD_NS = 100_000_000
"""What the link accepts."""
SHORTEST_STEP_NS = 10_000_000
"""Likewise."""
SILENCES = ("hold", "lose", "none")
UNIX_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
EARLIEST, LATEST = 1971, 2115
"""Years in which a run may start: those that the link accepts."""


class CommonSpec(TypedDict):
    """What epochs are in both directions."""

    period_ns: int
    phase_ns: int
    edge_jitter_ns: int
    start_unix_ns: int
    start_span_ns: int
    delay: EpochDelaySpec


@dataclass(frozen=True, kw_only=True)
class EpochDraft:
    """Epochs without how the rate varies, which each direction says for itself."""

    common: CommonSpec
    silence: SilenceSpec | None


def epoch_draft(table: LinkTable, where: Location, *, delays_ns: tuple[int, int]) -> EpochDraft | None:
    """Return the epochs of a link whose directions have these delays of their own; none where it has none.

    Raises
    ------
    InputError
        For values that no epochs can have.
    """
    if table.geometry is None:
        delay: EpochDelaySpec = {"kind": "none"}
    else:
        delay = _geometry(table.geometry, where.at("geometry"))
    epochs = table.epochs
    if epochs is None and table.geometry is None:
        return None
    if epochs is None and delay["kind"] == "geometry":
        if delay["geometry"]["constellation"]["kind"] != "geostationary":
            expected = "epochs with a period, after which another satellite may serve"
            raise where.at("epochs").error(expected=expected, found="nothing")
        epochs = EpochsTable(period=defaults.GEOSTATIONARY_PERIOD)
    assert epochs is not None
    return _epoch_draft(epochs, where.at("epochs"), delay=delay, delays_ns=delays_ns)


def _geometry(table: GeometryTable, where: Location) -> EpochDelaySpec:
    step = or_default(table.step, defaults.GEOMETRY_STEP)
    return {
        "kind": "geometry",
        "geometry": geometry_spec(table, where),
        "step_ns": duration_ns(step, where.at("step"), least_ns=SHORTEST_STEP_NS),
    }


def _epoch_draft(
    table: EpochsTable, where: Location, *, delay: EpochDelaySpec, delays_ns: tuple[int, int]
) -> EpochDraft:
    if table.period is None:
        raise where.at("period").error(expected='a duration such as "15 s"', found="nothing")
    if table.steps is not None:
        if delay["kind"] != "none":
            found = "a list"
            raise where.at("steps").error(expected="nothing, as the geometry says the delay", found=found)
        points = quantiles(table.steps, where.at("steps"), delay_ns=min(delays_ns))
        delay = {"kind": "steps", "quantiles": points}
    start_unix_ns, start_span_ns = _start(table, where)
    edge_jitter = or_default(table.edge_jitter, defaults.EPOCHS_EDGE_JITTER)
    common: CommonSpec = {
        "period_ns": duration_ns(table.period, where.at("period"), least_ns=SHORTEST_PERIOD_NS),
        "phase_ns": duration_ns(or_default(table.phase, defaults.EPOCHS_PHASE), where.at("phase")),
        "edge_jitter_ns": duration_ns(edge_jitter, where.at("edge_jitter")),
        "start_unix_ns": start_unix_ns,
        "start_span_ns": start_span_ns,
        "delay": delay,
    }
    silence = None if table.silence is None else _silence(table.silence, where.at("silence"))
    return EpochDraft(common=common, silence=silence)


def _start(table: EpochsTable, where: Location) -> tuple[int, int]:
    """Return the earliest start in Unix time and how much later it may be; a named start is exact."""
    written = or_default(table.start, defaults.EPOCHS_START)
    try:
        start = datetime.fromisoformat(written)
    except ValueError:
        start = None
    if start is None or start.tzinfo is None or not EARLIEST <= start.year <= LATEST:
        expected = f'an instant from {EARLIEST} to {LATEST} with its zone, such as "2026-01-01T00:00:00Z"'
        raise where.at("start").error(expected=expected, found=quoted(written))
    since = start - UNIX_EPOCH
    start_ns = since // timedelta(microseconds=1) * 1000
    is_named = table.start is not None
    within = defaults.EPOCHS_NAMED_START_WITHIN if is_named else defaults.EPOCHS_START_WITHIN
    return start_ns, duration_ns(or_default(table.start_within, within), where.at("start_within"))


def _silence(table: SilenceTable, where: Location) -> SilenceSpec | None:
    state = or_default(table.state, defaults.SILENCE_STATE)
    match state:
        case "hold" | "lose":
            return _drawn(table, state, where)
        case "none":
            return None
        case _:
            raise where.at("state").error(
                expected=f"one of {', '.join(SILENCES)}",
                found=quoted(state),
                suggestion=closest(state, SILENCES),
            )


def _drawn(table: SilenceTable, state: Literal["hold", "lose"], where: Location) -> SilenceSpec:
    if table.median is None:
        raise where.at("median").error(expected='a duration such as "80 ms"', found="nothing")
    median_ns = duration_ns(table.median, where.at("median"), least_ns=1)
    p90_ns = median_ns * defaults.SILENCE_P90_OF_MEDIAN
    if table.p90 is not None:
        p90_ns = duration_ns(table.p90, where.at("p90"))
    most_ns = p90_ns * defaults.SILENCE_MOST_OF_P90
    if table.most is not None:
        most_ns = duration_ns(table.most, where.at("most"))
    lead = or_default(table.lead, list(defaults.SILENCE_LEAD))
    if len(lead) != 2:
        expected = 'the least and the most such as ["10 ms", "20 ms"]'
        raise where.at("lead").error(expected=expected, found=quoted(lead))
    lead_min_ns, lead_max_ns = (
        duration_ns(text, where.at(f"lead.{number}")) for number, text in enumerate(lead, start=1)
    )
    return {
        "state": state,
        "median_ns": median_ns,
        "p90_ns": p90_ns,
        "min_ns": duration_ns(or_default(table.least, defaults.SILENCE_LEAST), where.at("least")),
        "max_ns": most_ns,
        "lead_min_ns": lead_min_ns,
        "lead_max_ns": lead_max_ns,
    }
