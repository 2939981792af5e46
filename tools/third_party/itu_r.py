"""Rain: the recommendations that it takes something of, against ITU-R's validation examples."""

from collections.abc import Callable, Iterator
from importlib.metadata import version
from typing import Any

from bentpipe.errors import AbilityError
from bentpipe.scenario.link.rain import REMEDY, Ray, Site, exceedance_curve, rain_probability
from tools.third_party import itu_r_examples as examples
from tools.third_party.check import Case, Check, Result

_TOLERANCE = 1e-6
"""Relative: the sheets have eight to ten digits."""
_RATE_TOLERANCE = 1e-3
"""Relative, where a rain rate of the map is used: for some sites the sheets of P.618 and P.838 have
another one than the sheet of P.837, by up to 4e-4."""
_ABSOLUTE = 1e-7
_ALTITUDE_KM = 1e-5
"""Absolute: itur's map differs from the sheet by up to 6 mm, which changes no attenuation."""

_UNUSED = {
    "P.676": "rain takes no attenuation by gases (docs/models/rain.md, Limits)",
    "P.840": "rain takes no attenuation by clouds (docs/models/rain.md, Limits)",
    "P.1623": "fades are taken from the series in time, not from the statistics of their number and duration",
    "P.1853-1": "ITU-R has no validation examples; tests/scenario/link/test_rain.py has its closed form",
}


def run() -> Result:
    """Compare what Bentpipe takes of each recommendation, and its own attenuation by rain."""
    cases = list(_cases())
    versions = {"ITU-R validation examples": "CG-3M3J-13-ValEx-Rev5_1", "itur": version("itur")}
    return Result(versions=versions, cases=cases)


def _cases() -> Iterator[Case]:
    for ray in examples.RAYS:
        yield from _attenuation(ray)
        yield from _specific_attenuation(ray)
    yield from _places("P.837-7: probability of rain, as rain has it", examples.RAIN_PERCENT, _rain_percent)
    yield from _places("P.837-7: rain rate", examples.RAIN_MM_H, _rain_mm_h)
    yield from _places("P.839-4: rain height", examples.RAIN_HEIGHT_KM, _rain_height_km)
    yield from _places("P.1511-2: altitude", examples.ALTITUDE_KM, _altitude_km, absolute=_ALTITUDE_KM)
    for recommendation, reason in _UNUSED.items():
        yield Case.skipped(recommendation, "all", reason)


def _attenuation(example: examples.Ray) -> Iterator[Case]:
    site = Site(
        latitude_deg=example.latitude_deg,
        longitude_deg=example.longitude_deg,
        altitude_m=example.altitude_km * 1e3,
    )
    for frequency_ghz, attenuations_db in example.attenuation_db.items():
        ray = Ray(
            site=site,
            frequency_hz=frequency_ghz * 1e9,
            elevation_deg=example.elevation_deg,
            tilt_deg=example.tilt_deg,
        )
        ours = dict(exceedance_curve(ray))
        for percent, expected_db in zip(examples.EXCEEDED_PERCENT, attenuations_db, strict=True):
            name = f"{site}, {frequency_ghz:g} GHz, {percent:g} %"
            theirs_db = (
                _models()
                .itu618.rain_attenuation(
                    example.latitude_deg,
                    example.longitude_deg,
                    frequency_ghz,
                    example.elevation_deg,
                    hs=example.altitude_km,
                    p=percent,
                    R001=example.rain_mm_h,
                    tau=example.tilt_deg,
                )
                .value
            )
            yield _near(
                "P.618-13: attenuation, with the rain rate of the sheet", name, expected_db, theirs_db
            )
            group = "P.618-13: attenuation, as rain has it"
            found_db = ours.get(percent / 100)
            if found_db is None:
                yield Case.skipped(group, name, "rain fits its process to the curve down to 0.01 %")
            else:
                yield _near(group, name, expected_db, found_db, tolerance=_RATE_TOLERANCE)


def _specific_attenuation(example: examples.Ray) -> Iterator[Case]:
    for frequency_ghz, (k, alpha, gamma_db_km) in example.k_alpha_gamma.items():
        ray = (frequency_ghz, example.elevation_deg, example.tilt_deg)
        name = "{:g} GHz, elevation {:g} deg, tilt {:g} deg".format(*ray)
        found_k, found_alpha = _models().itu838.rain_specific_attenuation_coefficients(*ray)
        yield _near("P.838-3: k", name, k, found_k)
        yield _near("P.838-3: alpha", name, alpha, found_alpha)
        found = _models().itu838.rain_specific_attenuation(example.sheet_838_mm_h, *ray).value
        yield _near("P.838-3: specific attenuation", name, gamma_db_km, found, tolerance=_RATE_TOLERANCE)


def _places(
    group: str,
    places: examples.Places,
    found: Callable[[float, float], float],
    *,
    absolute: float = _ABSOLUTE,
) -> Iterator[Case]:
    for (latitude_deg, longitude_deg), expected in places.items():
        place = Site(latitude_deg=latitude_deg, longitude_deg=longitude_deg)
        yield _near(group, str(place), expected, found(latitude_deg, longitude_deg), absolute=absolute)


def _rain_percent(latitude_deg: float, longitude_deg: float) -> float:
    return 100 * rain_probability(Site(latitude_deg=latitude_deg, longitude_deg=longitude_deg))


def _rain_mm_h(latitude_deg: float, longitude_deg: float) -> float:
    return float(_models().itu837.rainfall_rate(latitude_deg, longitude_deg, 0.01).value)


def _rain_height_km(latitude_deg: float, longitude_deg: float) -> float:
    return float(_models().itu839.rain_height(latitude_deg, longitude_deg).value)


def _altitude_km(latitude_deg: float, longitude_deg: float) -> float:
    return float(_models().itu1511.topographic_altitude(latitude_deg, longitude_deg).value)


def _models() -> Any:
    """Return the models of itur, which take seconds to import."""
    try:
        import itur.models.itu618
        import itur.models.itu837
        import itur.models.itu838
        import itur.models.itu839
        import itur.models.itu1511
    except ImportError as error:
        raise AbilityError(f"not installed: itur ({error})", f"install it with: {REMEDY}") from error
    return itur.models


def _near(
    group: str,
    name: str,
    expected: float,
    found: float,
    *,
    tolerance: float = _TOLERANCE,
    absolute: float = _ABSOLUTE,
) -> Case:
    is_near = abs(found - expected) <= max(tolerance * abs(expected), absolute)
    return Case.judged(group, name, None if is_near else f"expected {expected:.9g}, found {found:.9g}")


CHECK = Check(
    name="itu-r",
    title="ITU-R: rain",
    about="""\
[Rain](models/rain.md), with and without the package itur, against the validation examples of ITU-R Study
Group 3: within 1e-6, 0.1 % where the map's rain rate is used (the sheets differ on it), a centimetre of
altitude.""",
    run=run,
)
