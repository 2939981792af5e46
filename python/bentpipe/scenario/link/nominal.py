"""The rate by which a direction's utilisation is reckoned."""

from collections.abc import Mapping
from typing import Any


def nominal_bps(capacity: Mapping[str, Any]) -> int:
    """Bits of full IP packets per second: of a carrier what its specification says."""
    key = "rate_bps" if capacity["kind"] == "constant" else "nominal_bps"
    return int(capacity[key])
