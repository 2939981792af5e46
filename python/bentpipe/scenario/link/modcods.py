"""What a DVB-S2 carrier can send: the MODCODs of the standard with frames as a link's specification says."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from bentpipe import _core


@dataclass(frozen=True, kw_only=True)
class Modcod:
    """A modulation with a code rate (ETSI EN 302 307-1, tables 12 and 13).

    `bits` are those of a frame's data field, `spectral_efficiency` the same per symbol of the frame.
    """

    number: int
    name: str
    threshold_db: float
    spectral_efficiency: float
    bits: int

    @property
    def symbols(self) -> float:
        """Length of a frame."""
        return self.bits / self.spectral_efficiency

    @property
    def modulation(self) -> str:
        """The first half of the name."""
        return self.name.partition(" ")[0]


def modcods(carrier: Mapping[str, Any]) -> Mapping[int, Modcod]:
    """The MODCODs of a carrier's specification (kind dvbs2) by their numbers."""
    return _table(carrier["fecframe"], carrier["pilots"])


@cache
def _table(fecframe: str, pilots: str) -> Mapping[int, Modcod]:
    rows = _core.modcods(fecframe=fecframe, pilots=pilots)
    return {row["number"]: Modcod(**row) for row in rows}
