"""Es/N0 of a direction, from what is written to the run specification: two legs with their attenuation."""

from typing import Any

from bentpipe.scenario import defaults
from bentpipe.scenario.link.attenuation import attenuation_spec
from bentpipe.scenario.written.link_schema import DirectionTable
from bentpipe.scenario.written.location import Location
from bentpipe.scenario.written.quantity import decibels
from bentpipe.scenario.written.satellite_schema import AttenuationTable, ClearSkyTable
from bentpipe.scenario.written.table import or_default


def es_n0_spec(table: DirectionTable, where: Location) -> dict[str, Any]:
    """Return Es/N0 of both legs of a direction over time.

    Raises
    ------
    InputError
        For what is no ratio or no attenuation.
    """
    clear_sky = or_default(table.clear_sky, ClearSkyTable())
    attenuation = or_default(table.attenuation, AttenuationTable())
    legs = {
        "up": (clear_sky.up, attenuation.up),
        "down": (clear_sky.down, attenuation.down),
    }
    return {
        leg: {
            "clear_sky_db": decibels(or_default(clear, defaults.CLEAR_SKY), where.at(f"clear_sky.{leg}")),
            "attenuation": attenuation_spec(fade, where.at(f"attenuation.{leg}")),
        }
        for leg, (clear, fade) in legs.items()
    }
