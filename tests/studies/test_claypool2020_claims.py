"""Each kind of claim of the study on downloads that bear it out and on others that do not."""

import math

import numpy as np
import pytest

from bentpipe import studies
from bentpipe.stats import Interval, Phase
from bentpipe.studies import Agreement
from bentpipe.studies.claypool2020 import published
from bentpipe.studies.claypool2020.claims.arithmetic import (
    full_window_segments,
    needed_after_30_s,
    slow_start_segments,
)
from bentpipe.studies.claypool2020.claims.orders import ORDERS
from bentpipe.studies.claypool2020.claims.spreads import SPREADS, deviation_ratio, effect, effect_of
from bentpipe.studies.claypool2020.downloads import CONTROLS
from bentpipe.studies.rules import above, alike, below, fewer, more
from bentpipe.studies.verdict import Standing
from tests.studies.claypool2020_runs import baseline_runs, campaign, download

STUDY = studies.get("claypool2020")
AGREES, DIFFERS, NOT_TESTABLE = Agreement.AGREES, Agreement.DIFFERS, Agreement.NOT_TESTABLE

SETTINGS = {"round trip": (("rtt_ms",), 800.0), "packets retransmitted": (("resent_percent",), 0.5)}
"""What makes a quantity of a download, and what it is at rank 1; all others follow the rate."""
RATE = (("mbps", "start_mbps"), 50.0)


def claim(runs, claim_id):
    return next(v for v in STUDY.claims(runs) if v.claim_id == claim_id)


def values(table, phase):
    return {cc: number.value for cc, number in table[phase].items()}


def ranks(order):
    """A rank for each congestion control such that every pair is as claimed."""
    rank = dict.fromkeys(CONTROLS, 1.0)
    for _ in CONTROLS:
        for a, b in order.pairs:
            if order.rule in (above, more) and rank[a] <= rank[b]:
                rank[a] = 1.3 * rank[b]
            if order.rule in (below, fewer) and rank[a] >= rank[b]:
                rank[b] = 1.3 * rank[a]
    return rank


def ranked(order, rank):
    names, scale = SETTINGS.get(order.quantity.name, RATE)
    return campaign(**{name: {cc: scale * each for cc, each in rank.items()} for name in names})


@pytest.mark.parametrize("order", ORDERS, ids=lambda order: order.claim_id)
def test_an_order_agrees_where_it_is_so(order):
    assert claim(ranked(order, ranks(order)), order.claim_id).agreement is AGREES


@pytest.mark.parametrize("order", ORDERS, ids=lambda order: order.claim_id)
def test_an_order_differs_where_it_is_the_other_way_round(order):
    rank = {cc: 1 / each for cc, each in ranks(order).items()}
    if order.rule is alike:
        rank[order.pairs[0][0]] = 1.5
    assert claim(ranked(order, rank), order.claim_id).agreement is DIFFERS


@pytest.mark.parametrize(
    ("factor", "agreement"), [(1.0, AGREES), (1.09, AGREES), (1.3, DIFFERS), (0.8, DIFFERS)]
)
@pytest.mark.parametrize("control", CONTROLS)
def test_a_mean_of_the_start_up_agrees_within_ten_percent(control, factor, agreement):
    means = {cc: factor * mean for cc, mean in values(published.THROUGHPUT_MBPS, Phase.START_UP).items()}
    name = "pcc" if control == "vivace" else control
    assert claim(campaign(start_mbps=means), f"start-up-throughput-{name}").agreement is agreement


def test_a_number_shows_both_with_unit_and_spread():
    (finding,) = claim(
        campaign(rtt_ms=values(published.RTT_MS, Phase.OVERALL)), "overall-round-trip-bbr"
    ).findings
    assert finding.published == "827 ms (sd 85.4)"
    assert finding.ours.startswith("827 (")


@pytest.mark.parametrize(
    ("control", "by_30_s_mb", "half_s", "mbps"),
    # Mbit/s x 30 s / 8; 8 n / mean (1 + (sd / mean)^2) of 1000 MB less that of 500 MB; the rest of 500 MB.
    [("bbr", 87, 48.1, 183), ("cubic", 62, 55.8, 136), ("hybla", 153, 40.8, 257), ("vivace", 76, 51.8, 156)],
)
def test_half_of_the_gigabyte_after_the_first_30_s_would_need_more_than_the_link(
    control, by_30_s_mb, half_s, mbps
):
    needed = needed_after_30_s(control)
    assert needed.by_30_s_mb == pytest.approx(by_30_s_mb, abs=0.5)
    assert needed.half_s == pytest.approx(half_s, abs=0.1)
    assert needed.mbps == pytest.approx(mbps, abs=1)


def test_three_rows_of_the_table_cannot_be_the_first_30_s_and_the_fourth_does_not_count():
    standings = {
        each.claim_id: each.standing
        for each in STUDY.claims(())
        if each.claim_id.startswith("first-30-s-throughput")
    }
    assert standings == {
        "first-30-s-throughput-bbr": Standing.IMPOSSIBLE,
        "first-30-s-throughput-cubic": Standing.PROPERTY,
        "first-30-s-throughput-hybla": Standing.IMPOSSIBLE,
        "first-30-s-throughput-pcc": Standing.IMPOSSIBLE,
    }
    # 144 Mbit/s carry 1448 of 1500 B; PCC would need 156, and 140 with the intervals of both means.
    assert needed_after_30_s("vivace").least_mbps > 144 * 1448 / 1500 > needed_after_30_s("cubic").least_mbps


def test_slow_start_cannot_last_15_s():
    # 10 segments x 2^(15 / 0.757 - 2), x 1.5^... ; 144 Mbit/s x 0.757 s in segments of 1500 B on the wire.
    assert slow_start_segments(15, growth=2) == pytest.approx(10 * 2 ** (15 / 0.757 - 2))
    assert full_window_segments() == pytest.approx(144e6 * 0.757 / 8 / 1500)
    assert slow_start_segments(15, growth=1.5) > full_window_segments()
    assert claim([], "cubic-leaves-slow-start-at-15-s").standing is Standing.IMPOSSIBLE


def test_the_power_of_bbrs_start_is_a_misprint():
    # 23.1 Mbit/s over 0.917 s.
    assert claim([], "start-up-power-bbr").standing is Standing.IMPOSSIBLE
    assert pytest.approx(25.2, abs=0.05) == 23.1 / 0.917
    assert published.POWER[Phase.START_UP]["bbr"].value == 35


def test_what_the_link_was_made_from_does_not_count():
    calibrated = {v.claim_id for v in STUDY.claims(()) if v.standing is Standing.CALIBRATED}
    assert calibrated == {"baseline-round-trip", "baseline-loss"}


def test_power_is_the_quotient_of_the_means():
    # 100 Mbit/s over 0.8 s are 125; published are 115.
    same = dict.fromkeys(CONTROLS, 100.0)
    found = claim(campaign(mbps=same, start_mbps=same), "overall-power-bbr")
    assert found.findings[0].measurement.percent == pytest.approx(100 * (125 / 115 - 1), abs=0.1)
    assert found.agreement is AGREES


def test_object_times_follow_the_rate_of_the_start():
    # 5 MB in 4, 7, 10 and 13 s.
    rates = {cc: 40 / number.value for cc, number in published.OBJECT_TIMES_S[5].items()}
    runs = campaign(start_mbps=rates, seconds=200)
    assert {claim(runs, f"object-5-mb-{name}").agreement for name in ("bbr", "cubic", "hybla", "pcc")} == {
        AGREES
    }
    for claim_id in ("object-5-mb-order", "object-pcc-ahead-of-bbr", "object-multiples-cubic",
                     "object-hybla-twice-as-fast", "object-bbr-half-again-as-fast"):  # fmt: skip
        assert claim(runs, claim_id).agreement is AGREES, claim_id
    assert claim(runs, "object-bbr-ahead-of-pcc").agreement is DIFFERS
    assert claim(campaign(start_mbps=dict.fromkeys(rates, 10.0)), "object-5-mb-order").agreement is DIFFERS


@pytest.mark.parametrize(("percent", "agreement"), [(0.2, AGREES), (1.2, DIFFERS)])
def test_hybla_shall_nearly_always_send_less_than_one_percent_again(percent, agreement):
    runs = campaign(resent_percent=dict.fromkeys(CONTROLS, percent))
    assert claim(runs, "resent-hybla-below-1").agreement is agreement


@pytest.mark.parametrize(("count", "agreement"), [(16, AGREES), (80, DIFFERS)])
def test_one_fifth_of_bbrs_steady_states_shall_have_nothing_sent_again(count, agreement):
    runs = [download("bbr", resent_percent=0.0 if n < count else 1.0) for n in range(80)]
    assert claim(runs, "steady-none-resent-bbr").agreement is agreement


@pytest.mark.parametrize(("rtt_ms", "agreement"), [(2500.0, DIFFERS), (800.0, DIFFERS)])
def test_about_one_round_trip_in_twenty_shall_be_two_seconds(rtt_ms, agreement):
    assert (
        claim([download("bbr", rtt_ms=rtt_ms) for _ in range(3)], "steady-above-2-s").agreement is agreement
    )
    mixed = [download("bbr", rtt_ms=2500.0 if n < 5 else 800.0) for n in range(100)]
    assert claim(mixed, "steady-above-2-s").findings[0].ours.startswith("5.00")


def test_hyblas_round_trips_shall_lie_200_ms_above_the_next():
    rtts = {"bbr": 780.0, "cubic": 821.0, "hybla": 1021.0, "vivace": 685.0}
    assert claim(campaign(rtt_ms=rtts), "steady-hybla-200-ms-above").agreement is AGREES
    assert claim(campaign(rtt_ms=rtts | {"hybla": 1221.0}), "steady-hybla-200-ms-above").agreement is DIFFERS


@pytest.mark.parametrize(("rtt_ms", "agreement"), [(10_500.0, AGREES), (1000.0, DIFFERS)])
def test_a_round_trip_above_ten_seconds_need_be_seen_once(rtt_ms, agreement):
    runs = [download("cubic"), download("cubic", rtt_ms=rtt_ms)]
    assert claim(runs, "overall-cubic-above-10-s").agreement is agreement


def test_a_spread_is_a_ratio_of_deviations_with_fishers_interval():
    rng = np.random.default_rng(1)
    shape = rng.normal(size=40)
    found = deviation_ratio((2 * shape).tolist(), shape.tolist())
    assert found.percent == pytest.approx(100.0)
    # F with 39 and 39 degrees of freedom is 1.891 at 97.5 %: 2 / sqrt(1.891) and 2 sqrt(1.891).
    assert (found.ci.low, found.ci.high) == pytest.approx((45.4, 175.0), abs=0.5)
    assert deviation_ratio([1.0, 2.0], [3.0, 3.0]).percent is None
    assert deviation_ratio([0.1 + 0.2, 0.3], [3.0, 3.0]).percent == 0.0


def test_a_statement_about_spreads_is_judged_by_them():
    wide, narrow = (0.6, 0.8, 1.0, 1.2, 1.4), (0.98, 0.99, 1.0, 1.01, 1.02)
    runs = [
        download(cc, rtt_ms=800 * factor)
        for cc in CONTROLS
        for factor in (narrow if cc == "vivace" else wide)
        for _ in range(3)
    ]
    assert claim(runs, "steady-spread-rtt-pcc").agreement is AGREES
    assert claim(runs, "overall-spread-rtt-bbr").agreement is DIFFERS
    assert len({spread.claim_id for spread in SPREADS}) == len(SPREADS) == 11


@pytest.mark.parametrize(
    ("published_d", "d", "agreement"),
    [
        (2.03, 5.0, AGREES),  # both very large
        (2.03, -5.0, DIFFERS),  # the other way round
        (0.58, 0.7, AGREES),  # both large
        (0.58, 3.0, DIFFERS),
        (0.08, -0.1, AGREES),  # small either way
        (-0.7, -0.6, AGREES),
        (-0.7, 0.6, DIFFERS),
    ],
)
def test_an_effect_agrees_by_class_and_direction(published_d, d, agreement):
    measured = effect_of(d, 80, 80)
    assert effect(published_d)(measured.percent, measured.ci)[0] is agreement


def test_the_interval_of_an_effect_is_that_of_hedges_and_olkin():
    # sqrt(160 / 6400 + 0.7^2 / 320) = 0.163, x 1.96.
    found = effect_of(0.7, 80, 80)
    reach = 196 * math.sqrt(160 / 6400 + 0.49 / 320)
    assert found.ci == Interval(
        low=pytest.approx(70 - reach, abs=0.01), high=pytest.approx(70 + reach, abs=0.01)
    )


def test_the_typical_download_is_judged_on_all():
    rates = dict.fromkeys(CONTROLS, 140.0) | {"cubic": 105.0}
    rtts = {"bbr": 760.0, "cubic": 1050.0, "hybla": 950.0, "vivace": 610.0}
    runs = campaign(mbps=rates, rtt_ms=rtts)
    for claim_id in ("bbr-steady-rate", "hybla-steady-rate", "pcc-steady-rate", "cubic-steady-rate",
                     "bbr-steady-rtt", "cubic-steady-rtt", "pcc-steady-rtt",
                     "cubic-slow-at-15-s"):  # fmt: skip
        assert claim(runs, claim_id).agreement is AGREES, claim_id
    # Up from 20 Mbit/s after 50 MB, 20 s: not 45.
    assert claim(runs, "cubic-slow-to-100-mbps").agreement is DIFFERS
    assert claim(runs, "cubic-spikes-round-trip").agreement is DIFFERS
    spiky = [download("cubic", rtt_ms=3500.0, resent_percent=30.0) for _ in range(3)]
    assert claim(spiky, "cubic-spikes-round-trip").agreement is AGREES
    assert claim(spiky, "cubic-spikes-resent").agreement is AGREES


def test_the_baseline_is_judged_by_all_its_pings_together():
    found = {f.label: f for f in claim(baseline_runs(), "baseline-round-trip").findings}
    assert found["mean"].agreement is AGREES
    assert found["standard deviation"].agreement is AGREES
    # A normal distribution of this deviation has a thicker tail up to 99 % than the study's.
    assert found["99 % up to"].measurement.percent == pytest.approx(
        100 * (597.5 + 2.326 * 16.7) / 625 - 100, abs=0.3
    )
    assert found["minimum"].agreement is DIFFERS
    losses = {f.label: f for f in claim(baseline_runs(), "baseline-loss").findings}
    # 12 of 20 000 lost in four events of three.
    assert losses["lost packets"].measurement.percent == pytest.approx(100 * (0.06 / 0.05 - 1))
    assert losses["losses of a single packet, of all events"].agreement is DIFFERS
