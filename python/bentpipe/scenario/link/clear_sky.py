"""Es/N0 of a link's direction in clear sky, and what DVB-S2 makes of it."""

import math
from collections.abc import Mapping
from typing import Any

from bentpipe.scenario.link.modcods import Modcod, modcods


def clear_sky_db(es_n0: Mapping[str, Any]) -> float:
    """Es/N0 of both legs: 1/(C/N) = 1/(C/N)_up + 1/(C/N)_down, as ratios."""
    noise = sum(10 ** (-es_n0[leg]["clear_sky_db"] / 10) for leg in ("up", "down"))
    return -10 * math.log10(noise)


def modcod_at(carrier: Mapping[str, Any], es_n0_db: float) -> Modcod:
    """The MODCOD of unclassed packets when the gateway knows this Es/N0.

    With ACM the most efficient whose threshold and margin are met, and the most robust when none is.
    """
    known, modulation = modcods(carrier), carrier["modulation"]
    if modulation["kind"] != "adaptive":
        name = modulation["modcod"] if modulation["kind"] == "constant" else modulation["modcods"][-1]
        return next(modcod for modcod in known.values() if modcod.name == name)
    reach = es_n0_db - modulation["margin_db"]
    met = [modcod for modcod in known.values() if modcod.threshold_db <= reach]
    if not met:
        return min(known.values(), key=lambda modcod: modcod.threshold_db)
    return max(met, key=lambda modcod: modcod.spectral_efficiency)
