"""Every number of the publication that ours are compared with, with where it stands."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from bentpipe.stats import Phase
from bentpipe.studies.margins import LEVEL_MARGIN_PERCENT, ROUGH_MARGIN_PERCENT, TIME_MARGIN_PERCENT
from bentpipe.studies.published_number import PublishedNumber

TITLE = "Comparison of TCP Congestion Control Performance over a Satellite Network"
CITATION = (
    "Claypool, Chung, Claypool: Comparison of TCP Congestion Control Performance over a Satellite Network. "
    "Passive and Active Measurement (PAM) 2021, LNCS 12671, 499-512"
)
DOI: str | None = "10.1007/978-3-030-72582-2_29"

DOWNLOADS = 80
"""Of each congestion control."""

PAYLOAD_MBPS = 144 * 1448 / 1500
"""What the peak rate of the service plan carries of TCP's payload in packets of 1500 B: 139."""

SMALL_MARGIN_PERCENT = 50.0
"""Of one digit of a small number: 0.5 %, 5 %."""


@dataclass(frozen=True, kw_only=True)
class TestOfMeans:
    """Against CUBIC. The publication gives sizes without signs; `p` is None for its "< .0001"."""

    t: float
    d: float
    p: float | None = None


@dataclass(frozen=True, kw_only=True)
class Baseline:
    """The quiet link: round trips in milliseconds, losses of single packets and of several in a row."""

    mean_ms: float
    sd_ms: float
    median_ms: float
    min_ms: float
    max_ms: float
    high_99_ms: float
    loss_percent: float
    lost: int
    events_of_several: int
    single_percent: float
    longest: int


Pair: TypeAlias = tuple[float, float]
Row: TypeAlias = Mapping[str, PublishedNumber]
"""By congestion control."""


def _row(
    source: str, unit: str, *, bbr: Pair, cubic: Pair, hybla: Pair, vivace: Pair
) -> Mapping[str, PublishedNumber]:
    """A row as printed: mean and standard deviation over downloads by congestion control."""
    pairs = {"bbr": bbr, "cubic": cubic, "hybla": hybla, "vivace": vivace}
    return {
        control: PublishedNumber(
            value=mean,
            unit=unit,
            source=source,
            margin_percent=LEVEL_MARGIN_PERCENT,
            margin_because="what headers, timers and hosts of another rig make of two or three digits",
            sd=sd,
            n=DOWNLOADS,
        )
        for control, (mean, sd) in pairs.items()
    }


def _about(value: float, unit: str, source: str) -> PublishedNumber:
    return PublishedNumber(
        value=value,
        unit=unit,
        source=source,
        margin_percent=ROUGH_MARGIN_PERCENT,
        margin_because='said to be "about", or of one representative download',
    )


def _whole_seconds(value: float, source: str) -> PublishedNumber:
    return PublishedNumber(
        value=value,
        unit="s",
        source=source,
        margin_percent=TIME_MARGIN_PERCENT,
        margin_because="given in whole seconds: half a second of 4 s is 12.5 %",
    )


def _one_digit(value: float, unit: str, source: str) -> PublishedNumber:
    return PublishedNumber(
        value=value,
        unit=unit,
        source=source,
        margin_percent=SMALL_MARGIN_PERCENT,
        margin_because="one digit of a small number",
    )


BASELINE = Baseline(
    mean_ms=597.5,
    sd_ms=16.9,
    median_ms=597.0,
    min_ms=564.0,
    max_ms=2174.0,
    high_99_ms=625.0,
    loss_percent=0.05,
    lost=604,
    events_of_several=44,
    single_percent=77.0,
    longest=11,
)
"""Table I and section IV.A."""
GAP_MS = (1500.0, 1700.0)
"""Fig. 3b and section IV.A: none of its round trips lies between."""

THROUGHPUT_MBPS: Mapping[Phase, Row] = {
    Phase.OVERALL: _row(
        "Table II", "Mbit/s", bbr=(95.8, 6.7), cubic=(91.0, 9.5), hybla=(112.1, 11.2), vivace=(91.8, 10.2)
    ),
    Phase.STEADY: _row(
        "Table V", "Mbit/s", bbr=(112.9, 12.2), cubic=(123.3, 17.0), hybla=(130.1, 17.2), vivace=(112.6, 17.9)
    ),
    Phase.START_UP: _row(
        "Table VIII", "Mbit/s", bbr=(23.1, 1.8), cubic=(16.6, 0.3), hybla=(40.8, 2.9), vivace=(20.3, 1.6)
    ),
}
"""Over downloads, of the mean throughput of each."""

RTT_MS: Mapping[Phase, Row] = {
    Phase.OVERALL: _row(
        "Table IV", "ms", bbr=(827.0, 85.4), cubic=(806.0, 163.1), hybla=(906.0, 129.3), vivace=(722.0, 49.6)
    ),
    Phase.STEADY: _row(
        "Table VII",
        "ms",
        bbr=(780.0, 125.1),
        cubic=(821.0, 206.4),
        hybla=(958.0, 142.1),
        vivace=(685.0, 73.1),
    ),
    Phase.START_UP: _row(
        "Table VIII", "ms", bbr=(917.0, 42.9), cubic=(757.0, 22.3), hybla=(799.0, 130.8), vivace=(806.0, 15.1)
    ),
}
"""Over downloads, of the mean round trip of each."""


def _power_row(phase: Phase, **levels: float) -> Row:
    """A row of Table X; its own uncertainty is that of the two means that it is the quotient of."""

    def number(control: str, power: float) -> PublishedNumber:
        means = (THROUGHPUT_MBPS[phase][control], RTT_MS[phase][control])
        relative_sd = math.hypot(*((mean.sd or 0.0) / mean.value for mean in means))
        return PublishedNumber(
            value=power,
            unit="Mbit/s per s",
            source="Table X",
            margin_percent=LEVEL_MARGIN_PERCENT,
            margin_because="a quotient of two means that have this margin each",
            sd=round(power * relative_sd, 1),
            n=DOWNLOADS,
        )

    return {control: number(control, power) for control, power in levels.items()}


POWER: Mapping[Phase, Row] = {
    Phase.OVERALL: _power_row(Phase.OVERALL, bbr=115.0, cubic=112.0, hybla=123.0, vivace=127.0),
    Phase.STEADY: _power_row(Phase.STEADY, bbr=144.0, cubic=150.0, hybla=136.0, vivace=165.0),
    Phase.START_UP: _power_row(Phase.START_UP, bbr=35.0, cubic=22.0, hybla=51.0, vivace=25.0),
}
"""Mean throughput over mean round trip, as printed (its unit is printed as MBytes).

BBR's start-up does not follow from the means that the study prints: 23.1 over 0.917 is 25.
"""

TESTS = {
    Phase.OVERALL: {
        "bbr": TestOfMeans(t=3.69, p=0.0003, d=0.58),
        "hybla": TestOfMeans(t=12.85, d=2.03),
        "vivace": TestOfMeans(t=0.5133, p=0.6084, d=0.08),
    },
    Phase.STEADY: {
        "bbr": TestOfMeans(t=4.44, d=0.7),
        "hybla": TestOfMeans(t=2.51, p=0.0129, d=0.4),
        "vivace": TestOfMeans(t=3.88, p=0.0002, d=0.6),
    },
    Phase.START_UP: {
        "bbr": TestOfMeans(t=31.9, d=5.0),
        "hybla": TestOfMeans(t=74.2, d=12.0),
        "vivace": TestOfMeans(t=20.3, d=3.2),
    },
}
"""Of the throughput: Tables III, VI, IX."""
TESTS_SOURCE = {Phase.OVERALL: "Table III", Phase.STEADY: "Table VI", Phase.START_UP: "Table IX"}

_FIG_11 = "section IV.E and Fig. 11"
OBJECT_TIMES_S: Mapping[int, Row] = {
    1: {control: _whole_seconds(4.0, _FIG_11) for control in ("hybla", "vivace")},
    5: {
        control: _whole_seconds(time_s, _FIG_11)
        for control, time_s in (("hybla", 4.0), ("vivace", 7.0), ("bbr", 10.0), ("cubic", 13.0))
    },
    30: {"hybla": _whole_seconds(8.0, _FIG_11)},
}
"""By size in MB."""
MULTIPLES_SIZE_MB = 30
MULTIPLES_OF_HYBLA: Row = {
    control: _about(multiple, "times Hybla's", _FIG_11)
    for control, multiple in (("bbr", 2.0), ("vivace", 2.0), ("cubic", 3.0))
}
"""How many times as long as Hybla the others take for that size."""
SMALL_SIZE_MB = 5
HYBLA_TWICE_AS_FAST = _about(2.0, "times Hybla's time", "section V")
"""BBR's time for a small download."""
BBR_HALF_AGAIN_AS_FAST = _about(1.5, "times BBR's time", "section V")
"""CUBIC's time for a small download."""

HYBLA_RESENT_NEARLY_ALWAYS_BELOW_PERCENT = 1.0
PCC_RESENT = _one_digit(0.5, "%", "section IV.C and Fig. 7")
PCC_RESENT_AT_MOST_PERCENT = 4.0
STEADY_WITHOUT_RESENT_PERCENT = {"hybla": 75.0, "vivace": 75.0, "bbr": 20.0, "cubic": 20.0}
"""Section IV.D and Fig. 10: "about 3/4ths of all runs, compared to only about 20 %"."""
STEADY_RTT_FROM_2_S = _one_digit(5.0, "%", "section IV.D")
LONG_RTT_S = 2.0
HYBLA_ABOVE_OTHERS = _about(200.0, "ms", "section IV.D and Fig. 9")

_FIG_4 = "section IV.B and Fig. 4"
HYBLA_TENTH_PERCENTILE = _about(100.0, "Mbit/s", "section IV.C and Fig. 5")
BBR_STEADY = _about(140.0, "Mbit/s", _FIG_4)
"""Between its dips."""
HYBLA_STEADY = _about(140.0, "Mbit/s", _FIG_4)
PCC_STEADY = _about(140.0, "Mbit/s", _FIG_4)
CUBIC_STEADY = _about(100.0, "Mbit/s", _FIG_4)
BBR_STEADY_RTT = _about(750.0, "ms", _FIG_4)
CUBIC_STEADY_RTT = _about(1000.0, "ms", _FIG_4)
PCC_STEADY_RTT = _about(600.0, "ms", _FIG_4)
BBR_DIPS = _whole_seconds(10.0, _FIG_4)
BBR_OVERSHOOTS = _about(20.0, "s", _FIG_4)
CUBIC_REACHES_MBPS = 100.0
CUBIC_REACHES = _about(45.0, "s", _FIG_4)
CUBIC_LEAVES_SLOW_START = _about(15.0, "s", _FIG_4)
CUBIC_SPIKE_RTT_S = 3.0
CUBIC_SPIKE_RESENT_PERCENT = 20.0
CUBIC_LONGEST_RTT_S = 10.0
