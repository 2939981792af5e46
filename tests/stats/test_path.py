"""A path over one run: expected values are those that each test makes its series of."""

import numpy as np
import pytest

from bentpipe.stats import (
    Interruption,
    handover_times_s,
    open_capacity_bps,
    path_summary,
    stretches,
)
from tests.support.path import path_series


def test_a_silence_over_two_rows_is_one_with_its_own_start_and_end():
    (found,) = stretches(path_series(length_s=10.0, first_edge_s=6.25, silence_s=0.13))
    assert found.kind is Interruption.SILENCE
    assert (found.from_s, found.to_s) == pytest.approx((6.25, 6.38))
    assert found.duration_s == pytest.approx(0.13)


def test_a_silence_within_a_row_stands_in_its_middle():
    (found,) = stretches(path_series(length_s=10.0, first_edge_s=6.21, silence_s=0.06))
    assert (found.from_s, found.to_s) == pytest.approx((6.22, 6.28))


def test_silences_are_counted_with_their_total_median_and_longest_duration():
    path = path_series(length_s=60.0, silence_s=0.13)
    found = path_summary(path)
    # Edges at 6.25, 21.25, 36.25 and 51.25 s.
    assert (found.silences.count, found.outages.count, found.handovers) == (4, 0, 4)
    assert found.silences.total_s == pytest.approx(0.52)
    assert (found.silences.median_s, found.silences.longest_s) == pytest.approx((0.13, 0.13))
    assert found.length_s == pytest.approx(60.0)


def test_an_outage_is_none_of_the_silences():
    found = path_summary(path_series(state="outage", silence_s=0.52))
    assert (found.silences.count, found.outages.count) == (0, 4)
    assert found.outages.total_s == pytest.approx(4 * 0.52)


def test_an_interruption_of_one_direction_is_one_of_the_path():
    path = path_series()
    path["forward_silence_s"] = 0 * path["forward_silence_s"]
    assert path_summary(path).silences.count == 4


def test_rates_are_those_of_seconds_outside_of_silences():
    # One epoch of 36, one of 63 Mbit/s; the edge is on a second, so that no second has both.
    path = path_series(length_s=20.0, first_edge_s=10.0, rates_bps=(36e6, 63e6), silence_s=0.45)
    found = path_summary(path).forward.capacity_bps
    assert (found.least, found.greatest) == pytest.approx((36e6, 63e6))
    assert found.mean == pytest.approx((10 * 36e6 + 9.55 * 63e6) / 19.55)
    assert path_summary(path).return_.capacity_bps.greatest == pytest.approx(63e6 / 5)


def test_a_path_that_is_silent_throughout_has_no_rate():
    path = path_series(length_s=0.5, first_edge_s=0.0, silence_s=0.5)
    assert path_summary(path).forward.capacity_bps is None
    assert np.isnan(open_capacity_bps(path, "forward")).all()


def test_delays_range_over_the_rows():
    found = path_summary(path_series()).forward.delay_s
    assert (found.least, found.greatest) == pytest.approx((0.009, 0.017))


def test_a_direction_without_a_schedule_and_an_unknown_elevation_are_none():
    path = path_series()
    for name in ("capacity_bps", "delay_s", "silence_s", "outage_s"):
        path[f"return_{name}"] = np.full(len(path["time_s"]), np.nan)
    found = path_summary(path)
    assert found.return_ is None
    assert found.elevation_deg is None
    assert found.silences.count == 4
    assert path_summary(path_series(elevation_deg=40.0)).elevation_deg.mean == 40.0


def test_missing_values_may_be_none_as_json_has_them():
    path = {name: values.tolist() for name, values in path_series().items()}
    path["elevation_deg"] = [None] * len(path["time_s"])
    assert path_summary(path).handovers == 4


def test_the_capacity_of_a_row_in_part_silent_is_that_of_the_rest():
    path = path_series(length_s=10.0, first_edge_s=6.25, silence_s=0.13, rates_bps=(40e6, 40e6))
    assert open_capacity_bps(path, "forward") == pytest.approx(40e6)


def test_handovers_stand_in_the_middle_of_their_rows():
    assert handover_times_s(path_series(length_s=30.0)) == pytest.approx([6.25, 21.25])


def test_a_path_without_rows_has_no_summary():
    assert path_summary({name: values[:0] for name, values in path_series().items()}) is None
