"""Rain over a ground station, from what is written to points of an attenuation."""

from typing import Literal

from bentpipe.scenario import defaults
from bentpipe.scenario.link.rain import (
    LEAST_ELEVATION_DEG,
    LEAST_FREQUENCY_HZ,
    MOST_FREQUENCY_HZ,
    MOST_HOURS,
    Site,
    rain_points,
)
from bentpipe.scenario.written.location import Location, quoted
from bentpipe.scenario.written.quantity import SECOND_NS, count, degrees, duration_ns, hertz
from bentpipe.scenario.written.satellite_schema import RainTable
from bentpipe.scenario.written.table import keys, or_default

REQUIRED = ("latitude", "longitude", "frequency", "elevation", "duration")
LARGEST_SEED = 2**53 - 1


def rain_points_of(table: RainTable, where: Location) -> list[tuple[int, float]]:
    """Return the attenuation by rain as nanoseconds and decibels.

    Raises
    ------
    InputError
        When the way of the signal is not given, or is none of which the recommendations speak.
    AbilityError
        Without the package itur, and where there is no such rain.
    """
    for key in REQUIRED:
        if key not in table.written():
            raise where.at(key).error(expected=keys(RainTable)[key].description or "", found="nothing")
    latitude_deg = degrees(table.latitude or "", where.at("latitude"), least=-90, most=90)
    longitude_deg = degrees(table.longitude or "", where.at("longitude"), least=-180, most=360)
    frequency_hz = float(hertz(table.frequency or "", where.at("frequency")))
    if not LEAST_FREQUENCY_HZ <= frequency_hz <= MOST_FREQUENCY_HZ:
        raise where.at("frequency").error(expected="from 4 GHz to 55 GHz", found=quoted(table.frequency))
    least_deg = int(LEAST_ELEVATION_DEG)
    elevation_deg = degrees(table.elevation or "", where.at("elevation"), least=least_deg, most=90)
    hours = count(or_default(table.hours, defaults.RAIN_HOURS), where.at("hours"), least=1, most=MOST_HOURS)
    span_ns = duration_ns(table.duration or "", where.at("duration"), least_ns=SECOND_NS)
    start_s = _start_s(or_default(table.start, defaults.RAIN_START), where.at("start"))
    after_ns = 0 if start_s == "worst" else start_s * SECOND_NS
    if after_ns + span_ns + SECOND_NS > hours * 3600 * SECOND_NS:
        expected = f"an excerpt that ends within the {hours} hours"
        raise where.at("duration").error(expected=expected, found=quoted(table.duration))
    return rain_points(
        site=Site(latitude_deg=latitude_deg, longitude_deg=longitude_deg),
        frequency_hz=frequency_hz,
        elevation_deg=elevation_deg,
        duration_s=span_ns / SECOND_NS,
        seed=count(or_default(table.seed, defaults.RAIN_SEED), where.at("seed"), least=0, most=LARGEST_SEED),
        hours=hours,
        start_s=start_s,
        tilt_deg=degrees(or_default(table.tilt, defaults.RAIN_TILT), where.at("tilt"), least=0, most=90),
    )


def _start_s(text: str, where: Location) -> int | Literal["worst"]:
    if text == "worst":
        return "worst"
    start_ns = duration_ns(text, where)
    if start_ns % SECOND_NS:
        raise where.error(expected='"worst", or whole seconds such as "2 h"', found=quoted(text))
    return start_ns // SECOND_NS
