"""Every number of the publication that ours are compared with, and where it stands there."""

from collections.abc import Mapping
from dataclasses import dataclass

from bentpipe.studies.margins import LEVEL_MARGIN_PERCENT
from bentpipe.studies.published_number import PublishedNumber

TITLE = "Evaluation of Modern Internet Transport Protocols over GEO Satellite Links"
CITATION = (
    "Alshagri, Mutairi: Evaluation of Modern Internet Transport Protocols over GEO Satellite Links. "
    "Network 2023, 3(3), 451-468"
)
DOI: str | None = "10.3390/network3030019"

RATE_BPS = 10_000_000
"""Table 2, maximum link data rate; section 5: "we set all links' speeds to 10 Mbps"."""


@dataclass(frozen=True, kw_only=True)
class PublishedDifference:
    """A published difference in percent, negative when the first is below the second; "about" so many."""

    percent: float
    source: str


PLT_H3_AGAINST_H1 = PublishedDifference(percent=-55.0, source="section 6.2 on Fig. 7: about 55 % less")
PLT_H3_AGAINST_H2 = PublishedDifference(percent=-30.0, source="section 6.2 on Fig. 7: 30 % less")
PLT_H3_AGAINST_H2_ON_AVERAGE = PublishedDifference(percent=-35.0, source="abstract: by an average of 35 %")


def h2_against_h1_percent() -> float:
    """What the two differences of HTTP/3 leave between HTTP/2 and HTTP/1.1: 0.45 / 0.70 - 1."""
    against_h1, against_h2 = 1 + PLT_H3_AGAINST_H1.percent / 100, 1 + PLT_H3_AGAINST_H2.percent / 100
    return 100 * (against_h1 / against_h2 - 1)


ROUND_TRIP = PublishedNumber(
    value=530.0, unit="ms", source="Table 2", margin_percent=1.0,
    margin_because="printed to 10 ms: half of that is 5 ms",
)  # fmt: skip
ROUND_TRIP_LAN = PublishedNumber(
    value=1.08, unit="ms", source="captions of Figs. 7 to 9", margin_percent=12.5,
    margin_because="an echo of 84 B takes 0.13 ms of a 10 Mbit/s link both ways, and it is not said whether "
    "the number has them",
)  # fmt: skip

OVERHEAD_SOURCE = "Table 6"
OVERHEAD_PERCENT: Mapping[str, Mapping[str, float]] = {
    "h1": {"100k": 11.76, "500k": 6.60, "1m": 5.92, "2m": 5.57},
    "h2": {"100k": 11.27, "500k": 6.71, "1m": 6.07, "2m": 5.71},
    "h3": {"100k": 18.23, "500k": 9.76, "1m": 8.42, "2m": 7.79},
}
"""Bytes on the wire above the page's, in percent: protocol, then page size."""

OBJECTS_KB: Mapping[str, Mapping[str, tuple[float, ...]]] = {
    "single": {"100k": (100,), "500k": (500,), "1m": (1000,), "2m": (2000,)},
    "uniform": {"100k": (12.5,) * 8, "500k": (62.5,) * 8, "1m": (125,) * 8, "2m": (250,) * 8},
    "triangular": {
        "100k": (3, 8, 14, 20, 22, 16, 11, 6),
        "500k": (20, 40, 70, 100, 110, 80, 50, 30),
        "1m": (5, 50, 135, 230, 270, 200, 100, 10),
        "2m": (10, 100, 270, 450, 540, 400, 200, 20),
    },
}
"""Table 3: sizes of the objects in the order of the page."""


def overhead(http: str, size: str) -> PublishedNumber:
    """A number of table 6."""
    return PublishedNumber(
        value=OVERHEAD_PERCENT[http][size],
        unit="%",
        source=OVERHEAD_SOURCE,
        margin_percent=LEVEL_MARGIN_PERCENT,
        margin_because="no spread is published; what another rig's headers, timers and hosts make of it",
    )
