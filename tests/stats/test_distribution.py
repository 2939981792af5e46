"""Distributions of samples that can be counted."""

import math

import numpy as np
import pytest

from bentpipe.stats import cumulative, exceedance
from bentpipe.stats.distribution import MOST_POINTS


def test_the_cumulative_share_counts_what_is_not_above():
    found = cumulative([3.0, 1.0, 2.0, 2.0])
    assert found.value.tolist() == [1.0, 2.0, 2.0, 3.0]
    assert found.share.tolist() == [0.25, 0.5, 0.75, 1.0]


def test_the_share_above_leaves_out_the_largest():
    found = exceedance([3.0, 1.0, 2.0, 4.0])
    assert found.value.tolist() == [1.0, 2.0, 3.0]
    assert found.share.tolist() == [0.75, 0.5, 0.25]


def test_what_is_missing_does_not_count():
    assert cumulative([1.0, math.nan, 2.0]).n == 2
    assert exceedance([1.0, math.nan, 2.0]).share.tolist() == [0.5]


@pytest.mark.parametrize("values", [[], [math.nan]])
def test_of_nothing_there_is_no_point(values):
    assert len(cumulative(values).value) == len(exceedance(values).value) == 0


def test_of_many_values_some_hundred_are_kept_at_their_true_shares():
    found = cumulative(np.arange(1, 100_001))
    assert len(found.value) <= MOST_POINTS
    assert found.share == pytest.approx(found.value / 100_000)
    assert (found.share[0], found.share[-1]) == (1e-5, 1.0)


def test_of_many_values_the_tail_is_kept_to_the_last_but_one():
    found = exceedance(np.arange(1, 100_001))
    assert len(found.value) <= MOST_POINTS
    assert found.share == pytest.approx(1 - found.value / 100_000)
    # The ten largest are all there, for a logarithmic axis gives them a fifth of its length.
    assert found.value[-9:].tolist() == list(range(99_991, 100_000))
