"""Rain over a ground station: an attenuation series from the statistics of the site.

Model page: docs/models/rain.md.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal

from bentpipe.errors import AbilityError

# numpy and itur take seconds to import; only who asks for rain waits for them.
if TYPE_CHECKING:
    from bentpipe.scenario.link.rain_process import RainProcess

REMEDY = "pip install 'itur>=0.4'"
"""How to get the package that knows the statistics."""

LEAST_FREQUENCY_HZ = 4_000_000_000
MOST_FREQUENCY_HZ = 55_000_000_000
LEAST_ELEVATION_DEG = 5.0
"""The recommendation is valid from here to 55 GHz and the zenith (ITU-R P.1853-1)."""
STEP_S = 1
"""Between samples (ITU-R P.1853-1)."""
MOST_HOURS = 2_160
"""A quarter of a year takes seconds to synthesise, and half a gigabyte."""
PROBABILITIES = (0.0001, 0.0002, 0.0003, 0.0005, 0.001, 0.002, 0.003, 0.005, 0.01, 0.02, 0.03, 0.05)
"""Where the curve of attenuation is taken: as P.1853-1 suggests, up to the 5 % for which P.618 is valid."""
FEWEST_PAIRS = 2
"""A line needs them."""
DECIMALS = 3
"""Points are rounded to thousandths of a decibel."""


@dataclass(frozen=True, kw_only=True)
class Site:
    """Where a ground station stands.

    Parameters
    ----------
    latitude_deg : float
        North is positive.
    longitude_deg : float
        East is positive.
    altitude_m : float, optional
        Above mean sea level; that of the map of ITU-R P.1511 where it is not given.
    """

    latitude_deg: float
    longitude_deg: float
    altitude_m: float | None = None

    def __str__(self) -> str:
        return f"{self.latitude_deg:g} deg N, {self.longitude_deg:g} deg E"


@dataclass(frozen=True, kw_only=True)
class Ray:
    """The way of a signal through the rain over a site.

    Parameters
    ----------
    site : Site
    frequency_hz : float
        From 4 to 55 GHz.
    elevation_deg : float
        Of the satellite above the horizon, from 5 to 90.
    tilt_deg : float
        Of the polarisation against the horizontal: 0 horizontal, 90 vertical, 45 circular.

    Raises
    ------
    ValueError
        For what the recommendations do not cover.
    """

    site: Site
    frequency_hz: float
    elevation_deg: float
    tilt_deg: float

    def __post_init__(self) -> None:
        for name, value, least, most in (
            ("latitude_deg", self.site.latitude_deg, -90, 90),
            ("longitude_deg", self.site.longitude_deg, -180, 360),
            ("frequency_hz", self.frequency_hz, LEAST_FREQUENCY_HZ, MOST_FREQUENCY_HZ),
            ("elevation_deg", self.elevation_deg, LEAST_ELEVATION_DEG, 90),
            ("tilt_deg", self.tilt_deg, 0, 90),
        ):
            if not least <= value <= most:
                raise ValueError(f"{name}: expected {least:g} to {most:g}, found {value:g}")


def rain_points(
    *,
    site: Site,
    frequency_hz: float,
    elevation_deg: float,
    tilt_deg: float,
    duration_s: float,
    seed: int,
    hours: float,
    start_s: int | Literal["worst"],
) -> list[tuple[int, float]]:
    """Return an excerpt of synthetic rain attenuation, a point every second.

    The same seed and hours are the same rain: on a carrier of another frequency, such as that of the other
    direction, it comes and goes at the same time.

    Parameters
    ----------
    site, frequency_hz, elevation_deg, tilt_deg
        The way of the signal, see `Ray`.
    duration_s : float
        Of the excerpt.
    seed : int
        Of the rain.
    hours : float
        How much weather is synthesised to take the excerpt from, up to a quarter of a year.
    start_s : int or "worst"
        Seconds into it at which the excerpt starts; `worst` has the deepest fade of the hours in its middle,
        or as near to it as their start and end allow.

    Returns
    -------
    list of (int, float)
        Nanoseconds since the start of the excerpt, and dB; from 0 to the duration.

    Raises
    ------
    AbilityError
        Without the package itur; where it does not rain enough to tell how much; and if the worst was asked
        for and there is no rain in so many hours.
    ValueError
        For what the recommendations do not cover, and an excerpt that does not lie within the hours.
    """
    ray = Ray(site=site, frequency_hz=frequency_hz, elevation_deg=elevation_deg, tilt_deg=tilt_deg)
    total = int(hours * 3600 / STEP_S)
    samples = math.ceil(duration_s / STEP_S) + 1
    if not 0 < hours <= MOST_HOURS:
        raise ValueError(f"hours: expected above 0 and up to {MOST_HOURS}, found {hours:g}")
    if not 0 < samples <= total:
        raise ValueError(f"duration_s: expected less than {hours:g} hours, found {duration_s:g}")
    return list(_points(ray, samples=samples, seed=seed, total=total, start=start_s))


def exceedance_curve(ray: Ray) -> list[tuple[float, float]]:
    """Return pairs of a probability and the attenuation by rain in dB that an average year exceeds with it.

    It is that of ITU-R P.618.

    Raises
    ------
    AbilityError
        Without the package itur.
    """
    itur = _itur()
    site, altitude_m = ray.site, ray.site.altitude_m

    def exceeded_db(p: float) -> float:
        attenuation = itur.models.itu618.rain_attenuation(
            site.latitude_deg,
            site.longitude_deg,
            ray.frequency_hz / 1e9,
            ray.elevation_deg,
            hs=None if altitude_m is None else altitude_m / 1e3,
            p=p * 100,
            tau=ray.tilt_deg,
        )
        return float(attenuation.value)

    return [(p, exceeded_db(p)) for p in PROBABILITIES]


def rain_probability(site: Site) -> float:
    """Return the share of an average year in which it rains (ITU-R P.837).

    Raises
    ------
    AbilityError
        Without the package itur.
    """
    percent = _itur().models.itu837.rainfall_probability(site.latitude_deg, site.longitude_deg)
    return float(percent.value) / 100


@lru_cache(maxsize=64)
def rain_process(ray: Ray) -> "RainProcess":
    """Return the process whose attenuation has the statistics of the ray.

    Raises
    ------
    AbilityError
        Without the package itur, and where it does not rain enough to tell how much.
    """
    from bentpipe.scenario.link.rain_process import RainProcess

    probability = rain_probability(ray.site)
    # The whole curve speaks of rain, and less often than it rains (P.1853-1 section 2, step A).
    pairs = [(p, db) for p, db in exceedance_curve(ray) if p < probability]
    if len(pairs) < FEWEST_PAIRS:
        missing = f"statistics of rain at {ray.site}, where it rains {probability:.2g} of the time"
        raise AbilityError(missing, "choose a site with more rain, or write the attenuation as points")
    return RainProcess.fitted(pairs, rain_probability=probability)


@lru_cache(maxsize=64)
def _points(
    ray: Ray, *, samples: int, seed: int, total: int, start: int | Literal["worst"]
) -> Sequence[tuple[int, float]]:
    """Return the excerpt; the cells of a matrix mostly have the same."""
    series = rain_process(ray).synthesised(samples=total, step_s=STEP_S, seed=seed)
    if start == "worst":
        if not series.any():
            missing = f"rain at {ray.site} in {total * STEP_S / 3600:g} hours of seed {seed}"
            raise AbilityError(missing, "take more hours or another seed")
        first = min(max(int(series.argmax()) - samples // 2, 0), total - samples)
    elif 0 <= start // STEP_S <= total - samples:
        first = start // STEP_S
    else:
        raise ValueError(f"start_s: expected 0 to {(total - samples) * STEP_S}, found {start}")
    excerpt = series[first : first + samples].round(DECIMALS).tolist()
    return tuple((number * STEP_S * 1_000_000_000, db) for number, db in enumerate(excerpt))


def _itur() -> Any:
    try:
        import numpy as np

        # itur switches numpy's warnings of divisions by zero off for the whole process.
        with np.errstate():
            import itur.models.itu618
            import itur.models.itu837
    except ImportError as error:
        missing = f"rain needs the Python package itur ({error})"
        raise AbilityError(missing, f"install it with: {REMEDY}") from error
    return itur
