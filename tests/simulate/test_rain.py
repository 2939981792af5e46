"""Rain over a site in virtual time: what falls there is what the frames meet, and the MODCOD follows it."""

from pathlib import Path

import numpy as np
import pytest

from bentpipe.campaign.plan import plan
from bentpipe.engine.simulate import Simulator
from bentpipe.scenario import Extent, load

pytest.importorskip("itur")

EXAMPLE = Path(__file__).parents[2] / "scenarios" / "rain.toml"


@pytest.fixture(scope="module")
def record():
    (run,) = plan(load(EXAMPLE, extent=Extent.QUICK))
    found = Simulator().run(run_id=run.run_id, spec=run.spec, artifacts=None)
    assert (found.status, found.reasons) == ("succeeded", [])
    return found


def expected_es_n0_db(record, time_s):
    """Two legs one after the other: their noise adds up (docs/models/es_n0.md)."""
    legs = record.spec.link.forward.capacity.es_n0
    points = legs.down.attenuation.points
    fallen_db = np.interp(time_s, [point.at_ns / 1e9 for point in points], [point.db for point in points])
    noise = 10 ** (-legs.up.clear_sky_db / 10) + 10 ** ((fallen_db - legs.down.clear_sky_db) / 10)
    return -10 * np.log10(noise)


def test_es_n0_is_that_of_the_rain_of_the_site(record):
    acm = record.series["acm"]
    found_db, expected_db = np.array(acm["es_n0_db"]), expected_es_n0_db(record, acm["time_s"])
    assert np.ptp(expected_db) > 3
    assert np.abs(found_db - expected_db).max() < 0.01


def test_the_modcod_goes_down_with_it_and_stays_below_what_was_reported(record):
    acm = {name: np.array(values, dtype=float) for name, values in record.series["acm"].items()}
    heaviest, lightest = acm["es_n0_db"].argmin(), acm["es_n0_db"].argmax()
    assert acm["threshold_db"][heaviest] < acm["threshold_db"][lightest]
    # Below MODCOD 1 (QPSK 1/4) there is none that a deeper fade could have.
    chosen = ~np.isnan(acm["reported_es_n0_db"]) & (acm["modcod"] > 1)
    assert np.all(acm["threshold_db"][chosen] <= acm["reported_es_n0_db"][chosen])
