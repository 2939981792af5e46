"""The link of claypool2020: what its definition comes to, against the quiet link that the study measured.

Expected figures: Claypool, Chung, Claypool, PAM 2021; docs/models/empirical.md and outages.md derive the
preset from them. What pings see is computed here; tests/simulate/test_baseline.py measures it.
"""

from itertools import pairwise

import pytest

from bentpipe.scenario.links import link

INTERVAL_MS = 200
"""Between the study's pings."""
PING_BITS = (20 + 28) * 8
"""UDP payload, UDP and IPv4 headers."""


@pytest.fixture(scope="module")
def spec():
    return link("geo-viasat2-pipe")


def least_rtt_ms(spec):
    """Return the RTT without variation: propagation and transmission of a ping, there and back."""
    directions = (spec["forward"], spec["return"])
    propagation_ms = sum(direction["delay_ns"] for direction in directions) / 1e6
    sending_ms = sum(PING_BITS / direction["capacity"]["rate_bps"] * 1e3 for direction in directions)
    return propagation_ms + sending_ms


def power_mean(low, high, power):
    """Return the mean of x^power, x uniform between low and high."""
    if low == high:
        return low**power
    return (high ** (power + 1) - low ** (power + 1)) / ((power + 1) * (high - low))


def positive_mean(low, high, power):
    """Return the mean of max(x, 0)^power, x uniform between low and high."""
    if high <= 0:
        return 0
    share = 1 if low >= 0 else high / (high - low)
    return share * power_mean(max(low, 0), high, power)


def moment(jitter, power):
    """Return the mean of the offset's power over pings, those held back behind a slow one included."""
    total = 0
    for below, above in pairwise(jitter["quantiles"]):
        low, high = below["offset_ns"] / 1e6, above["offset_ns"] / 1e6
        mean = power_mean(low, high, power)
        for later_ms in range(INTERVAL_MS, int(max(high, 0)), INTERVAL_MS):
            mean += positive_mean(low - later_ms, high - later_ms, power)
        total += (above["p"] - below["p"]) * mean
    return total


def quantile_ms(jitter, p):
    return next(point["offset_ns"] / 1e6 for point in jitter["quantiles"] if point["p"] == p)


def test_the_variation_has_the_mean_and_the_standard_deviation_of_the_study(spec):
    jitter = spec["return"]["jitter"]
    mean = moment(jitter, 1)
    assert least_rtt_ms(spec) + mean == pytest.approx(597.5, abs=0.15)
    assert (moment(jitter, 2) - mean**2) ** 0.5 == pytest.approx(16.9, abs=0.05)


@pytest.mark.parametrize(("p", "expected_ms"), [(0, 564), (0.5, 597), (0.99, 625), (1, 2174)])
def test_the_variation_has_the_quantiles_of_the_study(spec, p, expected_ms):
    # Printed in whole ms.
    rtt_ms = least_rtt_ms(spec) + quantile_ms(spec["return"]["jitter"], p)
    assert rtt_ms == pytest.approx(expected_ms, abs=0.5)


def test_no_offset_lies_in_the_gap_of_the_study(spec):
    jitter = spec["return"]["jitter"]
    jumps = [
        (below["offset_ns"] / 1e6, above["offset_ns"] / 1e6)
        for below, above in pairwise(jitter["quantiles"])
        if below["p"] == above["p"]
    ]
    assert [[597 + end for end in jump] for jump in jumps] == [[1500, 1700]]


def test_a_value_holds_from_one_ping_of_the_study_to_the_next(spec):
    assert spec["return"]["jitter"]["hold_ns"] == INTERVAL_MS * 1_000_000


def test_the_outages_have_the_loss_and_the_runs_of_the_study(spec):
    loss = spec["return"]["loss"]
    runs = {kind["duration_ns"] / 1e6 / INTERVAL_MS: kind["weight"] for kind in loss["durations"]}
    cards = sum(runs.values())
    assert all(run == int(run) for run in runs)
    assert max(runs) == 11
    assert runs[1] / cards == pytest.approx(0.77, abs=0.015)
    lost = sum(run * weight for run, weight in runs.items())
    pings = cards * loss["period_ns"] / 1e6 / INTERVAL_MS
    assert lost / pings == pytest.approx(0.0005, rel=0.001)
    # 44 events of several pings had 604 - 465 of them.
    several = sum(run * weight for run, weight in runs.items() if run > 1) / (cards - runs[1])
    assert several == pytest.approx((604 - 0.77 * 604) / 44, rel=0.05)
