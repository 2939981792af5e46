"""Counters by hand: two bins of 100 ms."""

import numpy as np
import pytest

from bentpipe.stats import Counter, Span

TWO_BINS = Counter.of_bins(end_s=[1.1, 1.2], amount=[10.0, 30.0], bin_s=0.1)


@pytest.mark.parametrize(
    ("time_s", "total"),
    [(0.0, 0.0), (1.0, 0.0), (1.05, 5.0), (1.1, 10.0), (1.15, 25.0), (1.2, 40.0), (9.0, 40.0)],
)
def test_what_a_bin_holds_is_counted_evenly_over_it(time_s, total):
    assert TWO_BINS.at(time_s) == pytest.approx(total)


def test_what_fell_into_a_span_is_the_difference_at_its_ends():
    assert TWO_BINS.within(Span(from_s=1.05, to_s=1.15)) == pytest.approx(20.0)


@pytest.mark.parametrize(
    ("amount", "time_s"), [(0.0, 1.0), (5.0, 1.05), (10.0, 1.1), (40.0, 1.2), (40.1, None)]
)
def test_an_amount_is_reached_at_one_instant_or_never(amount, time_s):
    assert TWO_BINS.time_of(amount) == (None if time_s is None else pytest.approx(time_s))


def test_an_amount_is_reached_before_a_pause_not_after_it():
    paused = Counter.of_bins(end_s=[0.1, 0.2, 0.3], amount=[10.0, 0.0, 10.0], bin_s=0.1)
    assert paused.time_of(10.0) == pytest.approx(0.1)


def test_a_counter_of_nothing_stays_at_zero():
    nothing = Counter.of_bins(end_s=[], amount=[], bin_s=0.1)
    assert nothing.within(Span(from_s=0.0, to_s=1.0)) == 0.0
    assert nothing.time_of(1.0) is None


@pytest.mark.parametrize(("to_s", "count"), [(0.9, 0), (1.0, 1), (3.99, 3), (4.0, 4)])
def test_a_span_has_its_whole_seconds_only(to_s, count):
    assert len(np.diff(Span(from_s=0.0, to_s=to_s).whole_seconds())) == count
