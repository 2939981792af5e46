"""A path that changes, for people: what a direction of a link follows, and what a run's path was like."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from bentpipe import _core
from bentpipe.cli.queue import exact_percent
from bentpipe.model.description import DirectionDescription
from bentpipe.model.schedule import (
    CapacityVariationSpec,
    ChoiceSpec,
    ConstellationSpec,
    EpochDelaySpec,
    EpochsScheduleSpec,
    GeometryEpochDelaySpec,
    GeometrySpec,
    GeostationaryConstellationSpec,
    OpportunitiesScheduleSpec,
    RowSpec,
    ScheduleSpec,
    SilenceKindSpec,
    SilenceSpec,
    SiteSpec,
    StateSpec,
    StepsEpochDelaySpec,
    TableScheduleSpec,
    TleConstellationSpec,
    WalkerConstellationSpec,
)
from bentpipe.scenario.link.mix_words import counted
from bentpipe.scenario.written.quantity import MILLISECOND_NS

if TYPE_CHECKING:
    from bentpipe.stats import DirectionSummary, Durations, PathSummary, Range

_NS = 1e-9
_STATES = {StateSpec.SILENCE: "silent", StateSpec.OUTAGE: "losing all"}
_CHOICES = {ChoiceSpec.HIGHEST: "the highest", ChoiceSpec.WEIGHTED: "any in sight, the higher the likelier,"}
_KINDS = {SilenceKindSpec.HOLD: "that hold", SilenceKindSpec.LOSE: "that lose"}


def schedule_lines(spec: ScheduleSpec, described: DirectionDescription, own_delay_ns: int) -> Iterator[str]:
    """The lines that say what a direction of that delay follows, the most important first."""
    match spec:
        case TableScheduleSpec():
            yield from _table(spec, described, own_delay_ns)
        case OpportunitiesScheduleSpec():
            yield from _opportunities(spec, described)
        case EpochsScheduleSpec():
            yield from _epochs(spec)


def duration_range(least_ns: int, most_ns: int) -> str:
    """Write "16 ms", or "16 to 26 ms" where the two differ."""
    return (
        scaled_range(least_ns * _NS * 1e3, most_ns * _NS * 1e3, "ms")
        if least_ns != most_ns
        else (_core.format_duration(least_ns))
    )


def scaled_range(least: float, greatest: float, unit: str) -> str:
    """Write "36.4 to 63 Mbit/s", and one number where both read alike."""
    words = dict.fromkeys(f"{value:.3g}" if value < 1e3 else f"{value:.0f}" for value in (least, greatest))
    return f"{' to '.join(words)} {unit}"


def summary_lines(found: "PathSummary") -> Iterator[str]:
    """The lines that say what a path was like in a run: interruptions first, then each direction."""
    interruptions = [
        words
        for what, durations in (("silence", found.silences), ("outage", found.outages))
        if (words := _interruptions(what, durations))
    ]
    handovers = [counted(found.handovers, "handover")] if found.handovers else []
    yield ", ".join([*interruptions, *handovers]) or "no silence, outage or handover"
    for name, direction in (("forward", found.forward), ("return", found.return_)):
        if direction is not None:
            yield f"{name} {_direction(direction)}"
    if found.elevation_deg is not None:
        yield scaled_range(found.elevation_deg.least, found.elevation_deg.greatest, "degrees of elevation")


def _interruptions(what: str, durations: "Durations") -> str:
    if durations.count == 0:
        return ""
    if durations.count == 1:
        return f"1 {what} of {durations.total_s:.2f} s"
    spans = f"{durations.total_s:.2f} s in all, longest {durations.longest_s:.2f} s"
    return f"{counted(durations.count, what)} ({spans})"


def _direction(found: "DirectionSummary") -> str:
    delays = scaled_range(found.delay_s.least * 1e3, found.delay_s.greatest * 1e3, "ms")
    rate = "" if found.capacity_bps is None else f"{_rates(found.capacity_bps)}, "
    return f"{rate}one way {delays}"


def _rates(found: "Range") -> str:
    unit, scale = ("Mbit/s", 1e6) if found.greatest >= 1e6 else ("kbit/s", 1e3)
    span = scaled_range(found.least / scale, found.greatest / scale, unit)
    return f"{span} (mean {found.mean / scale:.3g})" if " to " in span else span


def _table(spec: TableScheduleSpec, described: DirectionDescription, own_delay_ns: int) -> Iterator[str]:
    rows = spec.rows
    last_ns = rows[-1].at_ns
    how = (
        f"over {_core.format_duration(spec.period_ns)}, again and again"
        if spec.period_ns is not None
        else f"over {_core.format_duration(last_ns)}, then as the last says"
    )
    words = [f"{counted(len(rows), 'row')} {how}{_from(spec.offset_ns)}"]
    rates = [described.nominal_bps if row.rate_bps is None else row.rate_bps for row in rows]
    delays = [own_delay_ns if row.delay_ns is None else row.delay_ns for row in rows]
    if min(rates) != max(rates):
        words.append(f"{_core.format_rate(min(rates))} to {_core.format_rate(max(rates))}{_mean(described)}")
    if min(delays) != max(delays):
        words.append(f"one way {duration_range(min(delays), max(delays))}")
    yield "; ".join(words)
    if states := list(_states(spec)):
        yield ", ".join(states)


def _states(spec: TableScheduleSpec) -> Iterator[str]:
    """How long the rows let nothing through, once through, and the greatest of their losses."""
    ends_ns = [*(row.at_ns for row in spec.rows[1:]), spec.period_ns]
    for state, words in _STATES.items():
        those = [(row, end_ns) for row, end_ns in zip(spec.rows, ends_ns, strict=True) if row.state is state]
        if those:
            yield f"{words} {_times(those)}"
    if most := max(row.loss for row in spec.rows if row.state is StateSpec.OPEN or row.loss == 0):
        yield f"at most {exact_percent(most)} of the packets lost otherwise"


def _times(those: list[tuple[RowSpec, int | None]]) -> str:
    times = "once" if len(those) == 1 else f"{len(those)} times"
    known_ns = sum(end_ns - row.at_ns for row, end_ns in those if end_ns is not None)
    if those[-1][1] is None:
        return f"{times}, and for ever after the last row"
    return f"{times}, for {_core.format_duration(known_ns)} in all"


def _opportunities(spec: OpportunitiesScheduleSpec, described: DirectionDescription) -> Iterator[str]:
    length_ns = len(spec.per_ms) * MILLISECOND_NS
    length = f"{_core.format_duration(length_ns)}, again and again{_from(spec.offset_ns)}"
    yield f"opportunities of {_core.OPPORTUNITY_BYTES} B over {length}{_mean(described)}"
    if spec.delays_ns:
        yield f"one way {duration_range(min(spec.delays_ns), max(spec.delays_ns))}"


def _mean(described: DirectionDescription) -> str:
    return "" if described.mean_bps is None else f"; mean {_core.format_rate(described.mean_bps)}"


def _from(offset_ns: int) -> str:
    return f", from {_core.format_duration(offset_ns)} on" if offset_ns else ""


def _epochs(spec: EpochsScheduleSpec) -> Iterator[str]:
    period, phase = _core.format_duration(spec.period_ns), _core.format_duration(spec.phase_ns)
    moved = f", give or take {_core.format_duration(spec.edge_jitter_ns)}" if spec.edge_jitter_ns else ""
    yield f"epochs of {period}, from {phase} into every {period} of UTC{moved}"
    if spec.silence is not None:
        yield _silences(spec.silence)
    if spec.capacity is not None:
        yield _variation(spec.capacity)
    yield from _steps(spec.delay)
    yield _start(spec)


def _silences(spec: SilenceSpec) -> str:
    median, p90 = map(_core.format_duration, (spec.median_ns, spec.p90_ns))
    lead = duration_range(spec.lead_min_ns, spec.lead_max_ns)
    spread = f"median {median}, 90th percentile {p90}, {duration_range(spec.min_ns, spec.max_ns)}"
    return f"silences {_KINDS[spec.state]}: {spread}; they begin {lead} before the edge"


def _variation(spec: CapacityVariationSpec) -> str:
    within = f"every {_core.format_duration(spec.within_step_ns)}, correlation {spec.within_correlation:g}"
    return (
        f"rate varies by {exact_percent(spec.between_cv)} between epochs, "
        f"by {exact_percent(spec.within_cv)} within ({within})"
    )


def _steps(spec: EpochDelaySpec) -> Iterator[str]:
    if isinstance(spec, StepsEpochDelaySpec):
        added = duration_range(spec.quantiles[0].offset_ns, spec.quantiles[-1].offset_ns)
        yield f"an epoch adds {added} of delay"
    if isinstance(spec, GeometryEpochDelaySpec):
        yield from _geometry(spec.geometry)


def _geometry(spec: GeometrySpec) -> Iterator[str]:
    yield f"over {_satellites(spec.constellation)}, of which {_CHOICES[spec.choice]} serves"
    sees = f"from {spec.minimum_elevation_deg:g} degrees of elevation on"
    gateways = " and ".join(map(_place, spec.gateways))
    yield f"dish at {_place(spec.site)}, {sees}; gateway at {gateways}"
    if spec.isl is not None:
        yield f"links between satellites, {spec.isl.stretch:g} times the great circle"


def _satellites(spec: ConstellationSpec) -> str:
    match spec:
        case WalkerConstellationSpec(shells=shells):
            return " and ".join(
                f"{shell.planes} x {shell.satellites_per_plane} satellites at "
                f"{shell.altitude_m / 1e3:g} km and {shell.inclination_deg:g} degrees"
                for shell in shells
            )
        case TleConstellationSpec():
            return "the satellites of a file"
        case GeostationaryConstellationSpec(longitude_deg=longitude_deg):
            return f"a geostationary satellite at {longitude_deg:g} degrees"


def _place(site: SiteSpec) -> str:
    north, east = ("N" if site.latitude_deg >= 0 else "S"), ("E" if site.longitude_deg >= 0 else "W")
    return f"{abs(site.latitude_deg):g} {north} {abs(site.longitude_deg):g} {east}"


def _start(spec: EpochsScheduleSpec) -> str:
    at = datetime.fromtimestamp(spec.start_unix_ns // 1_000_000_000, tz=UTC)
    start = f"starts at {at:%Y-%m-%d %H:%M:%S} UTC"
    later = _core.format_duration(spec.start_span_ns)
    return f"{start}, or up to {later} later, by the seed" if spec.start_span_ns else start
