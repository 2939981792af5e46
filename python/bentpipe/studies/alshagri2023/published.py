"""Every number of the publication that ours are compared with, and where it stands there."""

from collections.abc import Mapping
from dataclasses import dataclass

TITLE = "Evaluation of Modern Internet Transport Protocols over GEO Satellite Links"
CITATION = (
    "Alshagri, Mutairi: Evaluation of Modern Internet Transport Protocols over GEO Satellite Links. "
    "Network 2023, 3(3), 451-468"
)
DOI: str | None = "10.3390/network3030019"


@dataclass(frozen=True, kw_only=True)
class Published:
    """A published number in percent; a difference is negative when the first is below the second."""

    percent: float
    source: str


PLT_H3_AGAINST_H1 = Published(percent=-55.0, source="text on scenario 1: about 55 % below HTTP/1.1")
PLT_H3_AGAINST_H2 = Published(percent=-30.0, source="text on scenario 1: about 30 % below HTTP/2")
PLT_H3_AGAINST_H2_ON_AVERAGE = Published(percent=-35.0, source="text: on average 35 % better than HTTP/2")

OVERHEAD_SOURCE = "table 6"
OVERHEAD_PERCENT: Mapping[str, Mapping[str, float]] = {
    "h1": {"100k": 11.76, "500k": 6.60, "1m": 5.92, "2m": 5.57},
    "h2": {"100k": 11.27, "500k": 6.71, "1m": 6.07, "2m": 5.71},
    "h3": {"100k": 18.23, "500k": 9.76, "1m": 8.42, "2m": 7.79},
}
"""Bytes on the wire above the page's, in percent: protocol, then page size."""
