"""Factorial designs and their effects, against responses of which the effects are known."""

import itertools

import pytest

from bentpipe.stats.factorial import design, effects


@pytest.mark.parametrize(("factors", "resolution", "points"), [(2, 4, 4), (3, 4, 8), (5, 3, 8), (5, 4, 16)])
def test_a_design_is_the_smallest_fraction_of_its_resolution(factors, resolution, points):
    """Box, Hunter, Hunter 2005, table 6.22: 2^(5-2) of resolution III, 2^(5-1) taken here for IV."""
    found = design("abcdefg"[:factors], resolution=resolution)
    assert len(set(found)) == len(found) == points


def test_the_base_is_a_point_of_every_design():
    assert all(design("abcdefgh"[:n], resolution=3)[0] == frozenset() for n in range(2, 9))


def test_a_whole_design_tells_every_effect_apart():
    factors = ("a", "b", "c")
    points = design(factors, resolution=4)
    known = {("a",): 0.5, ("b",): -0.2, ("a", "b"): 0.1}
    responses = [
        1.0
        + sum(
            0.5 * effect * (1 if sum(name not in point for name in term) % 2 == 0 else -1)
            for term, effect in known.items()
        )
        for point in points
    ]
    found = effects(points, factors, responses=responses, variances=[0.0] * len(points))
    assert {each.terms[0]: pytest.approx(each.value) for each in found} == {
        **dict.fromkeys([(name,) for name in factors], 0.0),
        **dict.fromkeys(itertools.combinations(factors, 2), 0.0),
        **known,
    }


def test_pairs_that_a_fraction_cannot_tell_apart_stand_together():
    """Resolution IV of five factors in 16 points: pairs are clear of factors, not of each other."""
    factors = tuple("abcde")
    points = design(factors, resolution=4)
    found = effects(points, factors, responses=[0.0] * 16, variances=[1.0] * 16)
    assert all(len(each.terms) == 1 for each in found if len(each.terms[0]) == 1)
    assert sum(len(each.terms) for each in found) == 5 + 10


def test_the_interval_follows_from_the_variances_of_the_means():
    """An effect is 2/N times a signed sum of N responses: its variance is 4/N^2 times the sum of theirs."""
    points = design(("a", "b"), resolution=4)
    (first, *_) = effects(points, ("a", "b"), responses=[0.0] * 4, variances=[0.01] * 4)
    assert (first.ci.high - first.ci.low) / 2 == pytest.approx(1.96 * 2 / 4 * 0.2, rel=1e-3)
