"""Rain attenuation: statistics against the recommendations, the process in time, excerpts.

Published values: ITU-R Study Group 3, validation examples CG-3M3J-13-ValEx-Rev5_1, P.618-13 (rain)
and P.837-7 (probability of rain); London, elevation 31.08 deg, horizontal polarisation. Statistical bounds
are explained where they stand; the seeds are fixed.
"""

import math
import subprocess
import sys
from importlib.util import find_spec
from statistics import NormalDist

import numpy as np
import pytest

from bentpipe.errors import AbilityError
from bentpipe.scenario.link import rain
from bentpipe.scenario.link.rain import (
    Ray,
    Site,
    exceedance_curve,
    rain_points,
    rain_probability,
    rain_process,
)
from bentpipe.scenario.link.rain_process import BETA_PER_S, RainProcess, correlated_gaussian

LONDON = Site(latitude_deg=51.5, longitude_deg=-0.14, altitude_m=31.382984)
ELEVATION_DEG = 31.07699124
CIRCULAR_DEG = 45
"""Tilt that stands for circular polarisation (ITU-R P.838-3)."""
SAHARA = Site(latitude_deg=23, longitude_deg=30, altitude_m=200)
YEAR_S = 365 * 24 * 3600
# About what 20 GHz has in London: it rains in 5 % of the time, and 0.1 % of the time takes 4 dB.
PROCESS = RainProcess(mean_ln=-4.2, sd_ln=1.8, rain_probability=0.05)

needs_itur = pytest.mark.skipif(find_spec("itur") is None, reason="the package itur is not installed")


def london(frequency_hz=20e9, **more):
    ray = {"elevation_deg": ELEVATION_DEG, "tilt_deg": CIRCULAR_DEG, **more}
    return Ray(site=LONDON, frequency_hz=frequency_hz, **ray)


def points(**changed):
    asked = {
        "site": LONDON,
        "frequency_hz": 20e9,
        "elevation_deg": ELEVATION_DEG,
        "tilt_deg": CIRCULAR_DEG,
        "duration_s": 300,
        "seed": 1,
        "hours": 100,
        "start_s": "worst",
    }
    return rain_points(**asked | changed)


def depths(excerpt):
    return [db for _, db in excerpt]


@needs_itur
@pytest.mark.parametrize(
    ("frequency_hz", "p", "published_db"),
    [
        (14.25e9, 0.01, 0.495317069),
        (14.25e9, 0.001, 2.185847422),
        (14.25e9, 0.0001, 6.798072267),
        (29e9, 0.01, 2.207786043),
        (29e9, 0.001, 8.570058374),
        (29e9, 0.0001, 23.44444523),
    ],
)
def test_attenuation_is_that_of_the_published_validation_examples(frequency_hz, p, published_db):
    curve = dict(exceedance_curve(london(frequency_hz, tilt_deg=0)))
    assert curve[p] == pytest.approx(published_db, rel=1e-6)


@needs_itur
def test_the_probability_of_rain_is_that_of_the_published_validation_examples():
    assert rain_probability(LONDON) == pytest.approx(0.0536150960, rel=1e-6)


@needs_itur
def test_without_an_altitude_that_of_the_map_is_taken():
    mapped = Ray(
        site=Site(latitude_deg=51.5, longitude_deg=-0.14),
        frequency_hz=20e9,
        elevation_deg=ELEVATION_DEG,
        tilt_deg=CIRCULAR_DEG,
    )
    for (_, mapped_db), (_, given_db) in zip(
        exceedance_curve(mapped), exceedance_curve(london()), strict=True
    ):
        assert mapped_db == pytest.approx(given_db, rel=1e-4)


@needs_itur
@pytest.mark.parametrize(("frequency_hz", "most_db"), [(12e9, 0.2), (20e9, 0.5), (30e9, 1.0)])
def test_at_a_temperate_site_the_process_keeps_near_the_curve_that_it_was_fitted_to(frequency_hz, most_db):
    ray = london(frequency_hz)
    process = rain_process(ray)
    for p, db in exceedance_curve(ray):
        assert process.exceeded_db(p) == pytest.approx(db, abs=most_db)


def test_a_lognormal_curve_is_fitted_exactly():
    quantiles = {p: -NormalDist().inv_cdf(p) for p in (0.0001, 0.001, 0.01)}
    curve = [(p, math.exp(-3 + 1.5 * quantile)) for p, quantile in quantiles.items()]
    process = RainProcess.fitted(curve, rain_probability=0.04)
    assert (process.mean_ln, process.sd_ln) == pytest.approx((-3, 1.5))


def test_a_century_exceeds_each_attenuation_as_often_as_the_process_says():
    # Every ten minutes: the samples are those of the same process. Among eight seeds the ratios had a
    # standard deviation of 3.5 % at p = 0.01 % and at most 1.8 % at the others; tolerances are five of them.
    century = PROCESS.synthesised(samples=100 * YEAR_S // 600, step_s=600, seed=1)
    for p, tolerance in ((0.0001, 0.175), (0.001, 0.09), (0.01, 0.09), (0.03, 0.09)):
        assert np.quantile(century, 1 - p) == pytest.approx(PROCESS.exceeded_db(p), rel=tolerance), p
    assert np.count_nonzero(century) / century.size == pytest.approx(PROCESS.rain_probability, rel=0.09)


def test_the_gaussian_has_a_variance_of_one_and_forgets_exponentially():
    # 20 000 times 1 / beta: a standard error of sqrt(2 / 20 000) = 0.01 of the mean, and about as much of the
    # products. Tolerances are five of them.
    step_s = 100
    x = correlated_gaussian(samples=1_000_000, step_s=step_s, seed=2)
    assert x.mean() == pytest.approx(0, abs=0.05)
    for lag in (0, 1, 10, 50, 100):
        found = float(np.mean(x[: x.size - lag] * x[lag:]))
        assert found == pytest.approx(math.exp(-BETA_PER_S * lag * step_s), abs=0.05), lag


def test_the_gaussian_needs_no_time_to_settle():
    first = [correlated_gaussian(samples=1, step_s=1, seed=seed)[0] for seed in range(2_000)]
    assert np.std(first) == pytest.approx(1, abs=0.08)


@needs_itur
def test_equal_seeds_are_equal_rain_and_others_are_other_rain():
    assert points() == points()
    rain._points.cache_clear()
    again = points()
    assert again == points()
    assert points(seed=2) != again


@needs_itur
def test_an_excerpt_has_a_point_a_second_from_zero_to_its_duration():
    excerpt = points(duration_s=299.5)
    assert [at_ns for at_ns, _ in excerpt] == [second * 1_000_000_000 for second in range(301)]


@needs_itur
def test_the_worst_excerpt_has_the_deepest_fade_of_the_hours_in_its_middle():
    everything = depths(points(start_s=0, duration_s=100 * 3600 - 1))
    worst = depths(points())
    assert max(worst) == max(everything) == worst[150]
    start_s = everything.index(max(everything)) - 150
    assert worst == everything[start_s : start_s + 301]


@needs_itur
def test_a_worst_excerpt_ends_with_the_hours_at_the_latest():
    whole = points(duration_s=100 * 3600 - 1)
    assert whole == points(duration_s=100 * 3600 - 1, start_s=0)


@needs_itur
def test_two_carriers_over_one_site_fade_at_the_same_time():
    down, up = depths(points()), depths(points(frequency_hz=30e9))
    assert max(down) > 1
    assert down.index(max(down)) == up.index(max(up))
    assert all(higher >= lower for lower, higher in zip(down, up, strict=True))


@needs_itur
def test_where_it_hardly_ever_rains_there_are_no_statistics():
    with pytest.raises(AbilityError, match="statistics of rain at 23 deg N, 30 deg E"):
        points(site=SAHARA)


@needs_itur
def test_hours_without_rain_have_no_worst_fade():
    dry = next(
        seed
        for seed in range(100)
        if not any(depths(points(seed=seed, hours=0.1, start_s=0, duration_s=359)))
    )
    with pytest.raises(AbilityError, match="take more hours or another seed"):
        points(seed=dry, hours=0.1)


def test_without_itur_it_is_said_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "itur", None)
    for module in [name for name in sys.modules if name.startswith("itur.")]:
        monkeypatch.delitem(sys.modules, module)
    rain.rain_process.cache_clear()
    with pytest.raises(AbilityError, match="pip install 'itur"):
        points(seed=77)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"frequency_hz": 2e9}, "frequency_hz: expected 4e"),
        ({"elevation_deg": 3}, "elevation_deg: expected 5 to 90, found 3"),
        ({"site": Site(latitude_deg=91, longitude_deg=0)}, "latitude_deg"),
        ({"hours": 0}, "hours: expected above 0"),
        ({"hours": 1, "duration_s": 3600}, "duration_s: expected less than 1 hours, found 3600"),
    ],
)
def test_what_the_recommendations_or_the_hours_do_not_cover_is_refused(changed, message):
    with pytest.raises(ValueError, match=message):
        points(**changed)


@needs_itur
def test_an_excerpt_that_begins_too_late_is_refused():
    with pytest.raises(ValueError, match="start_s: expected 0 to 3299, found 3300"):
        points(hours=1, start_s=3300)


def test_what_does_not_ask_for_rain_does_not_wait_for_its_imports():
    code = "import bentpipe.scenario.link.rain, sys; assert not {'numpy', 'itur'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
