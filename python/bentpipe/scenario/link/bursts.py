"""What one burst of a return link carries, as a link's specification says."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bentpipe import _core

MPEG_PACKET_BYTES = 188
"""ISO/IEC 13818-1."""


@dataclass(frozen=True, kw_only=True)
class Burst:
    """What a burst is called, what it carries, and the Es/N0 at which one in 100 000 is lost."""

    name: str
    payload_bytes: int
    threshold_db: float


def burst(return_link: Mapping[str, Any]) -> Burst:
    """The burst of a return link's specification (kind rcs2)."""
    spec = return_link["burst"]
    if spec["kind"] == "mpeg":
        count = spec["packets"]
        return Burst(
            name=f"{count} MPEG packet{'s' * (count > 1)}",
            payload_bytes=count * MPEG_PACKET_BYTES,
            threshold_db=spec["threshold_db"],
        )
    row = next(row for row in _core.waveforms() if row["id"] == spec["id"])
    return Burst(
        name=f"waveform {row['id']}, {row['modulation']} {row['code_rate']}",
        payload_bytes=row["payload_bytes"],
        threshold_db=row["threshold_db"],
    )
