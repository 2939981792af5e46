"""Every number of the publication that ours are compared with."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from bentpipe.stats import Phase

TITLE = "Comparison of TCP Congestion Control Performance over a Satellite Network"
CITATION = (
    "Claypool, Chung, Claypool: Comparison of TCP Congestion Control Performance over a Satellite Network. "
    "Passive and Active Measurement (PAM) 2021, LNCS 12671, 499-512"
)
DOI: str | None = "10.1007/978-3-030-72582-2_29"

DOWNLOADS = 80
"""Of each congestion control."""


@dataclass(frozen=True, kw_only=True)
class MeanSd:
    """Mean and standard deviation over downloads."""

    mean: float
    sd: float


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


def _row(bbr: Pair, cubic: Pair, hybla: Pair, vivace: Pair) -> Mapping[str, MeanSd]:
    """A row as printed: mean and standard deviation by congestion control."""
    pairs = {"bbr": bbr, "cubic": cubic, "hybla": hybla, "vivace": vivace}
    return {control: MeanSd(mean=mean, sd=sd) for control, (mean, sd) in pairs.items()}


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

THROUGHPUT_MBPS = {
    Phase.OVERALL: _row((95.8, 6.7), (91.0, 9.5), (112.1, 11.2), (91.8, 10.2)),
    Phase.STEADY: _row((112.9, 12.2), (123.3, 17.0), (130.1, 17.2), (112.6, 17.9)),
    Phase.START_UP: _row((23.1, 1.8), (16.6, 0.3), (40.8, 2.9), (20.3, 1.6)),
}
"""Over downloads, of the mean throughput of each."""

RTT_MS = {
    Phase.OVERALL: _row((827.0, 85.4), (806.0, 163.1), (906.0, 129.3), (722.0, 49.6)),
    Phase.STEADY: _row((780.0, 125.1), (821.0, 206.4), (958.0, 142.1), (685.0, 73.1)),
    Phase.START_UP: _row((917.0, 42.9), (757.0, 22.3), (799.0, 130.8), (806.0, 15.1)),
}
"""Over downloads, of the mean round trip of each."""

POWER = {
    Phase.OVERALL: {"bbr": 115.0, "cubic": 112.0, "hybla": 123.0, "vivace": 127.0},
    Phase.STEADY: {"bbr": 144.0, "cubic": 150.0, "hybla": 136.0, "vivace": 165.0},
    Phase.START_UP: {"bbr": 35.0, "cubic": 22.0, "hybla": 51.0, "vivace": 25.0},
}
"""Mean throughput over mean round trip, in Mbit/s per second, as printed.

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
"""Of the throughput."""

OBJECT_TIMES_S: Mapping[int, Mapping[str, float]] = {
    1: {"hybla": 4.0, "vivace": 4.0},
    5: {"hybla": 4.0, "vivace": 7.0, "bbr": 10.0, "cubic": 13.0},
    30: {"hybla": 8.0},
}
"""By size in MB."""
MULTIPLES_SIZE_MB = 30
MULTIPLES_OF_HYBLA = {"bbr": 2, "vivace": 2, "cubic": 3}
"""How many times as long as Hybla the others take for that size."""

HYBLA_RESENT_NEARLY_ALWAYS_BELOW_PERCENT = 1.0
PCC_RESENT_ABOUT_PERCENT = 0.5
PCC_RESENT_AT_MOST_PERCENT = 4.0

BBR_STEADY_MBPS = 140.0
"""Between its dips."""
BBR_DIP_INTERVAL_S = 10.0
CUBIC_REACHES_MBPS = 100.0
CUBIC_REACHES_S = 45.0
