"""Every number of the publication that ours are compared with, its place there, and its spread.

Table 1 holds its own replicates. Its two columns with the PEP measure the same ("limited impact", section
4.5): the logarithms of their nine ratios have a standard deviation of 16 %, so that two means of ten loads
are up to 30 % apart in 95 of 100 cases. Without the PEP the three sizes of objects do ("not the size of
objects", section 4.3): 15 % within a column, so that two means are up to 40 % apart (1.96 x 15 % x the root
of 2).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from bentpipe.studies.margins import ROUGH_MARGIN_PERCENT, TIME_MARGIN_PERCENT
from bentpipe.studies.published_number import PublishedNumber
from bentpipe.studies.secchi2018.cells import PEP, TUNNEL

TITLE = "Performance analysis of next generation web access via satellite"
CITATION = (
    "Secchi, Mohideen, Fairhurst: Performance analysis of next generation web access via satellite. "
    "International Journal of Satellite Communications and Networking 36(1), 29-43, 2018"
)
DOI: str | None = "10.1002/sat.1201"

FORWARD_BPS = 8e6
"""By service level (section 4)."""

LOAD_MARGIN_PERCENT = {PEP: 30.0, TUNNEL: 40.0}
"""How far two means of ten loads of the same lie apart in 95 of 100 cases, by the replicates of table 1."""
_MARGIN_BECAUSE = {
    PEP: "two columns of table 1 with the PEP measure the same: 95 of 100 such means are within 30 %",
    TUNNEL: "objects of three sizes measure the same without the PEP: 95 of 100 such means are within 40 %",
}
NO_DEPENDENCE_PERCENT = {PEP: 10.0, TUNNEL: 20.0}
"""What the paper calls not to depend on the size of objects.

Objects of 5 kB against 100 kB, mean over the pages of a column of table 1: up to 6 % with the PEP and 18 %
without.
"""


def _load_time(seconds: float, source: str, *, pep: str) -> PublishedNumber:
    return PublishedNumber(
        value=seconds,
        unit="s",
        source=source,
        margin_percent=LOAD_MARGIN_PERCENT[pep],
        margin_because=_MARGIN_BECAUSE[pep],
    )


def _read_off(value: float, unit: str, source: str, because: str) -> PublishedNumber:
    return PublishedNumber(
        value=value,
        unit=unit,
        source=source,
        margin_percent=ROUGH_MARGIN_PERCENT,
        margin_because=because,
    )


BDP = _read_off(650.0, "kB", "section 4.1", 'the text says "about"')
H1_RATE = _read_off(230.0, "kB/s", "section 4.1 of Fig. 2", "read off one load's samples of 100 ms")
H2_500_OBJECTS_PEAK = _read_off(6.0, "Mbit/s", "section 4.1 of Fig. 3", H1_RATE.margin_because)
H2_500_OBJECTS_PLT = _load_time(12.0, "section 4.1 of Fig. 3", pep=PEP)
H2_500_OBJECTS_RATE = PublishedNumber(
    value=1.7,
    unit="Mbit/s",
    source="section 4.1 of Fig. 3",
    margin_percent=LOAD_MARGIN_PERCENT[PEP],
    margin_because=_MARGIN_BECAUSE[PEP],
)
H2_FIRST_REQUESTS = _load_time(4.0, "section 4.1 of Fig. 3", pep=PEP)
HANDSHAKE = PublishedNumber(
    value=3.0,
    unit="round trips",
    source="section 4.2",
    margin_percent=ROUGH_MARGIN_PERCENT,
    margin_because="round trips of a return link on demand differ from one to the next",
)

HTTPS_100_OBJECTS = _load_time(35.0, "section 4.3", pep=PEP)
HTTPS_15_OBJECTS = _load_time(12.0, "section 4.3", pep=PEP)
H2_PEP_FASTEST = _load_time(10.0, "section 4.3 of Fig. 4a", pep=PEP)
H2_PEP_SLOWEST = _load_time(12.0, "section 4.3 of Fig. 4a", pep=PEP)

H2_TUNNEL_500K = tuple(
    PublishedNumber(
        value=seconds,
        unit="s",
        source="section 4.4 of Fig. 4b",
        margin_percent=TIME_MARGIN_PERCENT,
        margin_because="an end of a range, in whole seconds: the range is the spread",
    )
    for seconds in (11.0, 15.0)
)
"""The least and the most: HTTP/2 without the PEP, 500 kB."""
HTTPS_TUNNEL_LEAST_S, HTTPS_TUNNEL_MOST_S = 120.0, 300.0
"""Section 4.4: HTTPS without the PEP, "taking up to few minutes": between two and five."""
RTT_SWING_S = 1.0
"""Section 4.4: variations in RTT without the PEP "of the order of seconds"."""
TENS_OF_SECONDS_S = 10.0
"""Section 6: a page of more than a hundred objects "completed tens of seconds earlier"."""
CONNECTIONS_AT_START = (3, 5)
"""Section 4.6: "three to five TCP connections at start-up"."""


@dataclass(frozen=True, kw_only=True)
class Column:
    """A column of table 1: the path, and the server's initial window in segments."""

    pep: str
    window: int

    @property
    def name(self) -> str:
        """For people."""
        return f"{'PEP' if self.pep == PEP else 'no PEP'}, initial window {self.window}"


Sizes: TypeAlias = Mapping[int, float]
"""Seconds by the size of objects in kB."""


def _row(small: float, middle: float, large: float) -> Sizes:
    return {5: small, 20: middle, 100: large}


TABLE_1_PLT_S: Mapping[Column, Mapping[int, Sizes]] = {
    Column(pep=PEP, window=3): {
        500: _row(10.8, 10.8, 10.2),
        1500: _row(10.8, 9.7, 9.9),
        2500: _row(12.1, 12.3, 11.9),
    },
    Column(pep=PEP, window=10): {
        500: _row(9.5, 9.6, 11.3),
        1500: _row(13.1, 12.1, 12.7),
        2500: _row(15.6, 15.7, 15.0),
    },
    Column(pep=TUNNEL, window=3): {
        500: _row(26.7, 23.1, 24.8),
        1500: _row(46.6, 52.5, 34.8),
        2500: _row(68.4, 56.0, 60.4),
    },
    Column(pep=TUNNEL, window=10): {
        500: _row(23.0, 32.7, 23.2),
        1500: _row(40.1, 34.8, 45.5),
        2500: _row(49.9, 51.7, 64.9),
    },
}
"""HTTP/2, by the page's size in kB."""


def table_1(column: Column, total_kb: int, size_kb: int) -> PublishedNumber:
    """A number of table 1."""
    return _load_time(TABLE_1_PLT_S[column][total_kb][size_kb], "Table 1", pep=column.pep)
