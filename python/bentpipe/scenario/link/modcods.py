"""What a DVB-S2 carrier can send: the MODCODs of the standard with frames as a link's specification says."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from bentpipe import _core
from bentpipe.scenario.link.description import Modcod

__all__ = ["Modcod", "modcods"]


def modcods(carrier: Mapping[str, Any]) -> Mapping[int, Modcod]:
    """The MODCODs of a carrier's specification (kind dvbs2) by their numbers."""
    return _table(carrier["fecframe"], carrier["pilots"])


@cache
def _table(fecframe: str, pilots: str) -> Mapping[int, Modcod]:
    rows = _core.modcods(fecframe=fecframe, pilots=pilots)
    return {row["number"]: Modcod(**row) for row in rows}
