"""The quiet link: its round trips and losses beside the study's."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bentpipe.stats import jackknife_interval, loss_runs
from bentpipe.studies.claypool2020.published import BASELINE
from bentpipe.studies.measure import deviation_of, nothing
from bentpipe.studies.rules import near
from bentpipe.studies.study import Column, StudyTable
from bentpipe.studies.verdict import Finding, Standing, Verdict, judge, verdict

Echoes = Sequence[NDArray[np.float64]]
"""The round trips of each run in seconds; NaN for a lost one."""

Figure = Callable[[NDArray[np.float64]], Any]

RTT_MARGIN_PERCENT = 2.0
LOSS_MARGIN_PERCENT = 20.0
"""0.04 to 0.06 %."""
SINGLE_MARGIN_PERCENT = 6.5
"""72 to 82 % of the loss events."""


@dataclass(frozen=True, kw_only=True)
class Quantity:
    """One number of the baseline, NaN where there is none. An extreme, a single packet's, has no margin."""

    label: str
    unit: str
    decimals: int
    published: float
    of: Callable[[Echoes], float]
    margin_percent: float | None = None


def _of_round_trips(figure: Figure) -> Callable[[Echoes], float]:
    """The figure of all round trips together, in milliseconds."""

    def of(echoes: Echoes) -> float:
        together = np.concatenate(echoes)
        return 1e3 * float(figure(together[~np.isnan(together)]))

    return of


def _single_percent(echoes: Echoes) -> float:
    share = loss_runs(echoes).single_share
    return math.nan if share is None else 100 * share


def _round_trip(
    label: str, published: float, figure: Figure, *, margin_percent: float | None = RTT_MARGIN_PERCENT
) -> Quantity:
    return Quantity(
        label=label,
        unit="ms",
        decimals=1,
        published=published,
        of=_of_round_trips(figure),
        margin_percent=margin_percent,
    )


RTT_QUANTITIES = (
    _round_trip("mean", BASELINE.mean_ms, np.mean),
    _round_trip("standard deviation", BASELINE.sd_ms, partial(np.std, ddof=1)),
    _round_trip("median", BASELINE.median_ms, np.median),
    _round_trip("minimum", BASELINE.min_ms, np.min),
    # The study's range begins below its minimum, so that its end is the 99th percentile.
    _round_trip("99 % up to", BASELINE.high_99_ms, partial(np.percentile, q=99)),
    _round_trip("maximum", BASELINE.max_ms, np.max, margin_percent=None),
)
LOSS_QUANTITIES = (
    Quantity(
        label="lost packets",
        unit="%",
        decimals=3,
        published=BASELINE.loss_percent,
        of=lambda echoes: 100 * loss_runs(echoes).fraction,
        margin_percent=LOSS_MARGIN_PERCENT,
    ),
    Quantity(
        label="losses of a single packet, of all events",
        unit="%",
        decimals=1,
        published=BASELINE.single_percent,
        of=_single_percent,
        margin_percent=SINGLE_MARGIN_PERCENT,
    ),
    Quantity(
        label="longest run of losses",
        unit="packets",
        decimals=0,
        published=BASELINE.longest,
        of=lambda echoes: float(loss_runs(echoes).longest),
    ),
)


def verdicts(echoes: Echoes) -> tuple[Verdict, ...]:
    """Judge the baseline's claims."""
    return (
        verdict(
            "baseline-round-trip",
            "Quiet link: round trip 597.5 ms (sd 16.9), median 597, minimum 564, 99 % within 560 to 625 ms",
            [_finding(quantity, echoes) for quantity in RTT_QUANTITIES if quantity.margin_percent],
            source="Table I and section IV.A",
            standing=Standing.CALIBRATED,
            note="The return link's jitter was made to these numbers (docs/models/empirical.md).",
        ),
        verdict(
            "baseline-loss",
            "Quiet link: 0.05 % of packets are lost, 77 % of the events are of a single packet",
            [_finding(quantity, echoes) for quantity in LOSS_QUANTITIES if quantity.margin_percent],
            source="section IV.A",
            standing=Standing.CALIBRATED,
            note="The outages of the return link were made to these numbers (docs/models/outages.md).",
        ),
    )


def table(echoes: Echoes) -> StudyTable:
    """Every number of the baseline, theirs and ours."""
    rows: list[Mapping[str, str | float | None]] = []
    for quantity in (*RTT_QUANTITIES, *LOSS_QUANTITIES):
        ours = _number(quantity, echoes)
        rows.append(
            {
                "quantity": f"{quantity.label} in {quantity.unit}",
                "published": quantity.published,
                "ours": ours,
                "difference_percent": None if ours is None else 100 * (ours / quantity.published - 1),
                "margin_percent": quantity.margin_percent,
            }
        )
    runs = loss_runs(echoes)
    return StudyTable(
        name="baseline",
        title="Round trips and losses of the quiet link",
        columns=(
            Column(key="quantity", heading="Quantity"),
            Column(key="published", heading="Study", decimals=2),
            Column(key="ours", heading="Ours", decimals=2),
            Column(key="difference_percent", heading="Difference in %", decimals=1),
            Column(key="margin_percent", heading="Margin in %", decimals=1),
        ),
        rows=tuple(rows),
        conclusion=f"Ours: {runs.lost} of {runs.sent} echoes lost in {runs.events} events. "
        f"Study: {BASELINE.lost} lost, {BASELINE.events_of_several} events of several packets.",
        note="UDP echoes of 20 bytes every 200 ms, all runs together. The maximum and the longest run of "
        "losses are single events and have no margin.",
    )


def _finding(quantity: Quantity, echoes: Echoes) -> Finding:
    assert quantity.margin_percent is not None
    rule = near(quantity.margin_percent)
    published = f"{quantity.published:.{quantity.decimals}f} {quantity.unit}"
    ours = _number(quantity, echoes)
    if ours is None:
        return judge(quantity.label, nothing("not measured"), rule, published=published)
    interval = jackknife_interval(echoes, quantity.of)
    basis = f"{len(echoes)} runs, {sum(map(len, echoes))} echoes"
    measurement = deviation_of(ours, interval, quantity.published, basis=basis)
    told = f"{ours:.{quantity.decimals}f} {quantity.unit}"
    return judge(quantity.label, measurement, rule, published=published, ours=told)


def _number(quantity: Quantity, echoes: Echoes) -> float | None:
    number = quantity.of(echoes) if echoes else math.nan
    return None if math.isnan(number) else number
