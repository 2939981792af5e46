"""Presets of paths that change, against recordings of Starlink's pings and against orbits.

The recordings: Victoria to Seattle, December 2024, three of 60 000 pings, one each 13 ms; each number here is
of all three, smallest to largest (docs/models/schedule.md has them all).
"""

from itertools import pairwise

import numpy as np
import pytest

from bentpipe.engine.simulate import Simulator
from tools.specs import spec_of

INTERVAL_S = 0.013
PINGS = 60_000
PERIOD_S = 15.0
EDGE_S = 12.0
"""Of each quarter minute of UTC; runs here start at a full minute."""
START = "2026-01-01T00:00:00Z"
SEED = 1
BIN_S = 0.25
"""In which the recordings' round trips were averaged to find the phase of the largest step."""


def measured(run, *, link="leo-starlink", **settings):
    epochs = {"start": START, **settings}
    spec = spec_of({"link": {"base": link, "epochs": epochs}, **run}, seed=SEED)
    record = Simulator().run(run_id="0123456789abcdef", spec=spec, artifacts=None)
    assert record.status == "succeeded", record.reasons
    return record


def pings(link="leo-starlink", *, count=PINGS, **settings):
    """Round trips in ms, NaN where one was lost."""
    run = {"ping": {"count": count, "interval": "13 ms", "size": "20 B"}}
    record = measured(run, link=link, **settings)
    return np.array(record.series["ping"]["rtt_s"], dtype=float) * 1e3


@pytest.fixture(scope="module")
def rtts_ms():
    return pings()


@pytest.fixture(scope="module")
def sent_s(rtts_ms):
    return np.arange(len(rtts_ms)) * INTERVAL_S


def steps_by_phase(sent_s, rtts_ms):
    """Mean step of the round trip between quarter seconds, by the instant between them modulo 15 s."""
    bins = (sent_s / BIN_S).astype(int)
    counts = np.bincount(bins, weights=~np.isnan(rtts_ms))
    means = np.bincount(bins, weights=np.nan_to_num(rtts_ms)) / np.maximum(counts, 1)
    steps = np.abs(np.diff(means))
    phases = (np.arange(1, len(means)) * BIN_S) % PERIOD_S
    return {phase: steps[phases == phase].mean() for phase in np.unique(phases)}


@pytest.mark.parametrize(
    ("percentile", "least_ms", "most_ms"), [(5, 17.0, 17.3), (50, 24.6, 26.4), (95, 44.7, 78.1)]
)
def test_percentiles_of_the_round_trip_are_those_of_the_recordings(rtts_ms, percentile, least_ms, most_ms):
    found = np.nanpercentile(rtts_ms, percentile)
    assert least_ms * 0.85 <= found <= most_ms * 1.15
    # The middle one of the three, too.
    middle = {5: 17.0, 50: 25.6, 95: 58.3}[percentile]
    assert found == pytest.approx(middle, rel=0.15)


def test_successive_round_trips_differ_as_recorded(rtts_ms):
    differences = np.abs(np.diff(rtts_ms))
    assert np.nanmean(differences) == pytest.approx(5.5, rel=0.2)
    assert np.nanmedian(differences) == pytest.approx(4.5, rel=0.2)


def test_the_largest_step_is_at_twelve_seconds_and_twice_the_mean_over_all_phases(sent_s, rtts_ms):
    steps = steps_by_phase(sent_s, rtts_ms)
    largest = max(steps, key=steps.get)
    assert largest == pytest.approx(EDGE_S, abs=BIN_S)
    assert steps[largest] >= 2 * np.mean(list(steps.values()))


def test_replies_pause_at_every_edge_for_as_long_as_recorded(sent_s, rtts_ms):
    came_s = np.sort((sent_s + rtts_ms / 1e3)[~np.isnan(rtts_ms)])
    edges_s = np.arange(EDGE_S, sent_s[-1] - 1, PERIOD_S)
    assert len(edges_s) > 50
    gaps_ms = []
    for edge_s in edges_s:
        near = came_s[(came_s > edge_s - 0.3) & (came_s < edge_s + 0.6)]
        gaps_ms.append(np.diff(near).max() * 1e3)
    # The shortest silence is 50 ms; a delay that falls at that very edge hides one in a hundred.
    assert np.percentile(gaps_ms, 5) > 45
    # 84, 95 and 80 ms; at the 90th percentile 136, 165 and 117.
    assert 80 * 0.85 <= np.median(gaps_ms) <= 95 * 1.15
    assert 117 * 0.85 <= np.percentile(gaps_ms, 90) <= 165 * 1.15


def test_a_silence_that_loses_takes_pings_at_edges_and_one_that_holds_takes_none():
    def lost_near_edges(state):
        rtts_ms = pings(count=20_000, silence={"state": state})
        phases_s = (np.arange(20_000) * INTERVAL_S) % PERIOD_S
        return np.isnan(rtts_ms)[(phases_s > EDGE_S - 0.05) & (phases_s < EDGE_S + 0.05)].mean()

    # 100 ms of which 60 ms or more are silent.
    assert lost_near_edges("lose") > 0.4
    assert lost_near_edges("hold") < 0.05


def test_an_inactive_dish_loses_half_a_second_at_each_edge():
    lost = np.isnan(pings("leo-starlink-inactive", count=20_000))
    phases_s = (np.arange(20_000) * INTERVAL_S) % PERIOD_S
    # From 0.18 s before the edge to 0.317 s after it at least.
    inside = (phases_s > EDGE_S - 0.17) & (phases_s < EDGE_S + 0.30)
    assert lost[inside].all()
    assert lost[~((phases_s > EDGE_S - 0.2) & (phases_s < EDGE_S + 0.4))].mean() < 0.01


def test_the_capacity_differs_more_between_epochs_than_within_them():
    record = measured({"bulk": {"duration": "240 s"}, "cc": "bbr"})
    path = record.series["path"]
    rates = np.array(path["forward_capacity_bps"])
    edges = np.flatnonzero(np.array(path["handovers"]) > 0)
    slots = [rates[begin + 3 : end - 3] for begin, end in pairwise(edges)]
    assert len(slots) >= 14
    between = np.std([slot.mean() for slot in slots])
    within = np.mean([np.std(slot) for slot in slots])
    assert between >= 2 * within
    # And the flow is told by what there was, not by the mean: it cannot have had more.
    assert 0.7 < record.metrics.utilisation <= 1.0


@pytest.mark.parametrize(
    ("link", "least_ms", "most_ms"),
    [
        # Slant ranges at 8062 km: 107.6 ms overhead to 140.6 at 25 degrees; 4 ms of the ground segment.
        ("meo-o3b", 111.6, 145),
        # At 1200 km 16.0 to 29.4 ms; 32 ms of the ground segment; five standard deviations of 1.5 ms.
        ("leo-oneweb", 48 - 7.5, 62 + 7.5),
        # Two legs of 550 to 1200 km, 6300 km along the earth and as much as a third more above it and
        # with the stretch, at c, there and back; 6.2 ms of the ground segment, up to 75 ms of variation.
        ("leo-starlink-isl", 6.2 + 2 * (1100 + 6300) / 299.8, 6.2 + 2 * (2400 + 9100) / 299.8 + 75),
    ],
)
def test_quiet_round_trips_are_within_what_the_orbit_allows(link, least_ms, most_ms):
    settings = {} if link == "meo-o3b" else {"silence": {"state": "none"}}
    rtts_ms = pings(link, count=10_000, **settings)
    assert least_ms <= np.nanmin(rtts_ms)
    assert np.nanmax(rtts_ms) <= most_ms


def test_a_vehicle_loses_under_bridge_and_trees_by_the_clock():
    spec = spec_of({"link": "geo-vehicle", "ping": {"count": 900, "interval": "100 ms"}}, seed=SEED)
    record = Simulator().run(run_id="0123456789abcdef", spec=spec, artifacts=None)
    lost = np.isnan(np.array(record.series["ping"]["rtt_s"], dtype=float))
    sent_s = np.arange(900) * 0.1
    # Lost on the way up at once, or on the way down 299 ms after it was sent.
    assert lost[(sent_s > 19.8) & (sent_s < 21.1)].all()
    assert not lost[(sent_s > 1) & (sent_s < 19)].any()
    assert not lost[(sent_s > 46) & (sent_s < 64)].any()
    assert 0.2 < lost[(sent_s > 65) & (sent_s < 74.5)].mean() < 0.55


def test_bbr_carries_more_than_cubic_where_silences_lose():
    def goodput_bps(cc):
        return measured(
            {"bulk": {"duration": "240 s"}, "cc": cc}, silence={"state": "lose"}
        ).metrics.goodput_bps

    assert goodput_bps("bbr") > goodput_bps("cubic")
