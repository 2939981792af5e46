"""Every number of the publication that ours are compared with, and where it stands there."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

TITLE = "Performance analysis of next generation web access via satellite"
CITATION = (
    "Secchi, Mohideen, Fairhurst: Performance analysis of next generation web access via satellite. "
    "International Journal of Satellite Communications and Networking 36(1), 29-43, 2018"
)
DOI: str | None = "10.1002/sat.1201"

FORWARD_BPS = 8e6
"""By service level."""


@dataclass(frozen=True, kw_only=True)
class Published:
    """A published number in its unit."""

    value: float
    unit: str
    source: str


BDP = Published(value=650.0, unit="kB", source="text: the product of rate and delay is about 650 kB")
H1_RATE = Published(value=230.0, unit="kB/s", source="text: HTTP/1.1 with six connections, at most")

H2_500_OBJECTS_PLT = Published(value=12.0, unit="s", source="text: HTTP/2, 500 objects of 5 kB")
H2_500_OBJECTS_RATE = Published(value=1.7, unit="Mbit/s", source="the same, average")
H2_500_OBJECTS_PEAK = Published(value=6.0, unit="Mbit/s", source="the same, peak over 100 ms")

HTTPS_100_OBJECTS = Published(value=35.0, unit="s", source="text: 100 objects of 5 kB over HTTPS")
HTTPS_15_OBJECTS = Published(value=12.0, unit="s", source="text: 15 objects of 100 kB over HTTPS")
HTTPS_TUNNEL_LEAST = Published(
    value=120.0, unit="s", source='text: HTTPS without the PEP "up to minutes" beyond 100 objects'
)

H2_PEP_PLT = tuple(
    Published(value=seconds, unit="s", source="text: HTTP/2, 10 to 12 s whatever the number of objects")
    for seconds in (10.0, 12.0)
)
"""The least and the most."""
H2_TUNNEL_500K_PLT = tuple(
    Published(value=seconds, unit="s", source="text: HTTP/2 without the PEP, 500 kB, 11 to 15 s")
    for seconds in (11.0, 15.0)
)
"""The least and the most."""


@dataclass(frozen=True, kw_only=True)
class Column:
    """A column of table 1: the path, and the server's initial window in segments."""

    pep: str
    window: int


Sizes: TypeAlias = Mapping[int, float]
"""Seconds by the size of objects in kB."""


def _row(small: float, middle: float, large: float) -> Sizes:
    return {5: small, 20: middle, 100: large}


TABLE_1_PLT_S: Mapping[Column, Mapping[int, Sizes]] = {
    Column(pep="split", window=3): {
        500: _row(10.8, 10.8, 10.2),
        1500: _row(10.8, 9.7, 9.9),
        2500: _row(12.1, 12.3, 11.9),
    },
    Column(pep="split", window=10): {
        500: _row(9.5, 9.6, 11.3),
        1500: _row(13.1, 12.1, 12.7),
        2500: _row(15.6, 15.7, 15.0),
    },
    Column(pep="tunnel", window=3): {
        500: _row(26.7, 23.1, 24.8),
        1500: _row(46.6, 52.5, 34.8),
        2500: _row(68.4, 56.0, 60.4),
    },
    Column(pep="tunnel", window=10): {
        500: _row(23.0, 32.7, 23.2),
        1500: _row(40.1, 34.8, 45.5),
        2500: _row(49.9, 51.7, 64.9),
    },
}
"""HTTP/2, by the page's size in kB. Without the PEP, 500 kB take 11 to 15 s by the text, longer by this."""
