"""The study's claims, on loads of known outcome."""

import pytest

from bentpipe.studies import Agreement
from bentpipe.studies.secchi2018.cells import (
    AMPLE_BUFFER,
    DECIDING,
    EAGER,
    PAGES,
    PATIENT,
    PEP,
    TUNNEL,
    Keeping,
    objects,
    page,
)
from bentpipe.studies.verdict import Standing
from tests.support.models import changed
from tests.support.secchi2018 import (
    STUDY,
    agreement,
    campaign,
    constant,
    in_table_1,
    verdict,
    with_metrics,
)

AGREES, DIFFERS, NOT_TESTABLE = Agreement.AGREES, Agreement.DIFFERS, Agreement.NOT_TESTABLE


def test_table_1_agrees_with_itself_number_by_number_and_as_a_line():
    found = [v for v in STUDY.claims(campaign(in_table_1)) if v.claim_id.startswith("table-1-")]
    assert len(found) == 36 + 4
    assert {v.agreement for v in found} == {AGREES}


@pytest.mark.parametrize(
    ("column", "factor", "expected"),
    [
        ("split-iw3", 1.25, AGREES),
        ("split-iw3", 1.35, DIFFERS),
        ("tunnel-iw10", 1.35, AGREES),
        ("tunnel-iw10", 0.55, DIFFERS),
    ],
)
def test_a_number_of_table_1_agrees_within_the_spread_of_its_replicates(column, factor, expected):
    # 30 % with the PEP, 40 % without.
    runs = campaign(lambda at: factor * in_table_1(at))
    assert agreement(runs, f"table-1-{column}-1500k-20k") is expected


def test_a_finding_says_what_is_published_and_what_is_ours():
    (finding,) = verdict(campaign(constant(10.0)), "table-1-split-iw3-500k-5k").findings
    assert finding.label == "SPDY, 500 kB in objects of 5 kB"
    assert finding.published == "10.8 s"
    assert finding.ours == "10.0 (9.8 to 10.2) s"


def test_spdy_decides_what_the_study_says_of_http_2():
    runs = campaign(lambda at: 60.0 if at.http == "h2" else 12.0)
    assert agreement(runs, "h2-500-objects-time") is AGREES
    assert {v.agreement for v in STUDY.claims([r for r in runs if r.factors["http"] == "h2"])} == {
        NOT_TESTABLE
    }


@pytest.mark.parametrize(("seconds", "expected"), [(35.0, AGREES), (40.0, AGREES), (94.4, DIFFERS)])
def test_https_takes_35_seconds_for_a_hundred_objects_within_30_percent(seconds, expected):
    assert agreement(campaign(constant(seconds)), "https-100-objects") is expected


def test_https_is_judged_on_connections_that_are_not_persistent():
    runs = campaign(lambda at: 90.0 if at.keeping is Keeping.ALL else 35.0)
    assert agreement(runs, "https-100-objects") is AGREES
    assert agreement(runs, "persistence-helps") is DIFFERS


@pytest.mark.parametrize(
    ("claim_id", "growing", "flat"),
    [("h1-grows-with-objects", AGREES, DIFFERS), ("h2-not-with-objects", DIFFERS, AGREES)],
)
def test_growing_with_the_number_of_objects_is_told_apart_from_not(claim_id, growing, flat):
    def by_objects(at):
        return 5.0 + objects(*PAGES[at.page]) / 10

    assert agreement(campaign(by_objects), claim_id) is growing
    assert agreement(campaign(constant(8.0)), claim_id) is flat


def test_what_table_1_has_counts_as_no_dependence_on_the_number_of_objects():
    assert agreement(campaign(in_table_1), "h2-not-with-objects") is AGREES


@pytest.mark.parametrize(("large", "expected"), [(20.0, AGREES), (8.0, DIFFERS)])
def test_http_2_takes_longer_for_larger_pages_without_the_pep_and_hardly_with_it(large, expected):
    runs = campaign(lambda at: large if "2500k" in at.page and at.pep == TUNNEL else 8.0)
    assert agreement(runs, "h2-grows-with-size") is expected
    assert agreement(runs, "h2-hardly-with-size") is expected


@pytest.mark.parametrize(
    ("claim_id", "favoured", "expected"),
    [
        ("h1-faster-than-https", "h1", AGREES),
        ("h1-faster-than-https", "h1s", DIFFERS),
        ("h1-can-outperform-h2", "h1", AGREES),
        ("h1-can-outperform-h2", DECIDING, DIFFERS),
        ("h2-tens-of-seconds-earlier", DECIDING, AGREES),
        ("h2-tens-of-seconds-earlier", "h1", DIFFERS),
        ("h2-faster-than-https-without-pep", DECIDING, AGREES),
        ("h2-faster-than-https-without-pep", "h1s", DIFFERS),
    ],
)
def test_which_protocol_is_the_faster_decides(claim_id, favoured, expected):
    assert agreement(campaign(lambda at: 10.0 if at.http == favoured else 30.0), claim_id) is expected


@pytest.mark.parametrize(("large", "small", "expected"), [(12.0, 35.0, AGREES), (12.0, 12.0, DIFFERS)])
def test_a_hundred_small_objects_take_longer_than_fifteen_large_ones(large, small, expected):
    runs = campaign(lambda at: small if at.page == page(500, 5) else large)
    assert agreement(runs, "objects-matter-more-than-size") is expected


@pytest.mark.parametrize(("seconds", "expected"), [(180.0, AGREES), (60.0, DIFFERS), (456.0, DIFFERS)])
def test_few_minutes_are_two_to_five(seconds, expected):
    assert agreement(campaign(constant(seconds)), "https-tunnel-minutes") is expected


@pytest.mark.parametrize(("fastest", "slowest"), [(AGREES, AGREES), (DIFFERS, AGREES), (AGREES, DIFFERS)])
def test_the_fastest_and_the_slowest_page_stand_beside_the_ends_of_a_range(fastest, slowest):
    ends = {AGREES: (10.0, 12.0), DIFFERS: (5.0, 20.0)}
    low, high = ends[fastest][0], ends[slowest][1]
    runs = campaign(lambda at: low if at.page == page(500, 100) else high)
    assert agreement(runs, "h2-pep-fastest-10-s") is fastest
    assert agreement(runs, "h2-pep-slowest-12-s") is slowest


@pytest.mark.parametrize(("peak_kb", "expected"), [(230.0, AGREES), (280.0, AGREES), (150.0, DIFFERS)])
def test_230_kilobytes_a_second_are_the_peak_of_a_tenth_of_a_second(peak_kb, expected):
    runs = campaign(constant(50.0), peak_bps=lambda at: peak_kb * 8e3 * (1.0 if at.http == "h1s" else 3.0))
    assert agreement(runs, "h1-peak-rate") is expected


def test_as_an_average_230_kilobytes_a_second_are_judged_but_do_not_count():
    found = verdict(campaign(constant(2500 / 230)), "h1-rate")
    assert (found.agreement, found.standing) == (AGREES, Standing.IMPOSSIBLE)


def test_the_peak_the_average_and_the_time_of_500_objects_are_one_claim_each():
    runs = campaign(constant(12.0), peak_bps=constant(6e6))
    assert agreement(runs, "h2-500-objects-peak") is AGREES
    (finding,) = verdict(runs, "h2-500-objects-rate").findings
    # 2500 kB in 12 s.
    assert finding.ours.startswith("1.67")


@pytest.mark.parametrize(("tls_s", "expected"), [(1.3, AGREES), (0.65, DIFFERS)])
def test_a_handshake_of_tls_takes_twice_that_of_tcp(tls_s, expected):
    # 0.65 s for TCP, as invented loads have it.
    runs = with_metrics(campaign(constant(8.0)), connect_s=0.65, tls_s=tls_s)
    assert agreement(runs, "handshake-three-round-trips") is expected


@pytest.mark.parametrize(("longest_s", "expected"), [(2.6, AGREES), (0.9, DIFFERS)])
def test_round_trips_vary_by_seconds_when_the_longest_is_one_above_the_shortest(longest_s, expected):
    runs = campaign(constant(8.0))
    for n, run in enumerate(runs):
        with_metrics([run], rtt_min_s=0.6, rtt_max_s=longest_s + 0.01 * (n % 3))
    assert agreement(runs, "round-trip-swings-by-seconds") is expected


def test_loads_that_differ_by_more_than_100_percent_are_found():
    runs = campaign(constant(8.0))
    assert agreement(runs, "varies-by-more-than-100-percent") is DIFFERS
    for run in runs[::3]:
        with_metrics([run], plt_s=30.0)
    assert agreement(runs, "varies-by-more-than-100-percent") is AGREES


def test_load_times_that_vary_more_without_the_pep_are_found():
    runs = campaign(constant(8.0))
    assert agreement(runs, "more-variable-without-pep") is DIFFERS
    for n, run in enumerate(runs):
        if run.factors["pep"] == TUNNEL and n % 3 == 0:
            with_metrics([run], plt_s=12.0 + n / 1000)
    assert agreement(runs, "more-variable-without-pep") is AGREES


@pytest.mark.parametrize(("with_ten", "expected"), [(10.2, AGREES), (14.0, DIFFERS)])
def test_the_initial_window_is_without_effect_behind_the_pep(with_ten, expected):
    runs = campaign(lambda at: with_ten if at.window == 10 else 10.0)
    assert agreement(runs, "initial-window-without-effect-behind-pep") is expected


@pytest.mark.parametrize(
    ("claim_id", "ample", "expected"),
    [
        ("buffer-limits-without-pep", 5.0, AGREES),
        ("buffer-limits-without-pep", 10.0, DIFFERS),
        ("buffer-does-not-limit-with-pep", 10.0, AGREES),
        ("buffer-does-not-limit-with-pep", 5.0, DIFFERS),
    ],
)
def test_whether_the_buffer_limits_is_seen_with_an_ample_one(claim_id, ample, expected):
    runs = campaign(lambda at: ample if at.buffer == AMPLE_BUFFER else 10.0)
    assert agreement(runs, claim_id) is expected


@pytest.mark.parametrize(("patient", "expected"), [(6.0, AGREES), (8.0, DIFFERS)])
@pytest.mark.parametrize(
    ("claim_id", "but"),
    [
        ("retry-1500-faster", lambda at: at.pep == PEP),
        ("retry-1500-https-pep", lambda at: (at.http, at.pep, at.page) == ("h1s", PEP, page(1500, 20))),
        ("retry-1500-tunnel-all-cases", lambda at: (at.http, at.pep) == ("h1", TUNNEL)),
    ],
)
def test_load_times_shall_fall_with_the_longer_timeout_in_every_case(claim_id, but, patient, expected):
    def seconds(at):
        if at.retry == EAGER:
            return 8.0
        return patient if but(at) else 6.0

    assert agreement(campaign(seconds), claim_id) is expected


@pytest.mark.parametrize(("many", "expected"), [(6.0, AGREES), (7.9, DIFFERS)])
def test_http_1_1_gains_more_from_the_longer_timeout_with_many_objects(many, expected):
    def seconds(at):
        if at.retry == EAGER:
            return 8.0
        return many if at.page.endswith("-5k") else 7.8

    assert agreement(campaign(seconds), "retry-1500-h1-many-objects") is expected


@pytest.mark.parametrize(("tunnel", "expected"), [(8.2, AGREES), (16.0, DIFFERS)])
def test_the_tunnel_shall_be_as_fast_as_the_pep_with_the_longer_timeout(tunnel, expected):
    runs = campaign(lambda at: tunnel if (at.pep, at.retry) == (TUNNEL, PATIENT) else 8.0)
    assert agreement(runs, "retry-1500-tunnel-as-pep") is expected


@pytest.mark.parametrize(
    ("eager", "patient", "expected"), [(1, 0, AGREES), (0, 0, DIFFERS), (1, 1, DIFFERS), (0, 1, DIFFERS)]
)
def test_the_short_timeout_shall_open_duplicates_and_the_long_one_none(eager, patient, expected):
    runs = campaign(
        constant(8.0),
        connections=constant(3),
        duplicates=lambda at: eager if at.retry == EAGER else patient,
    )
    assert agreement(runs, "retry-duplicates") is expected


@pytest.mark.parametrize(("duplicates", "expected"), [(1, DIFFERS), (2, AGREES), (4, AGREES), (5, DIFFERS)])
def test_three_to_five_connections_are_two_to_four_duplicates(duplicates, expected):
    runs = campaign(constant(8.0), connections=constant(6), duplicates=constant(duplicates))
    assert agreement(runs, "three-to-five-connections") is expected


@pytest.mark.parametrize(("connections", "expected"), [(1, DIFFERS), (3, AGREES)])
def test_a_session_that_is_reset_twice_has_two_connections_more(connections, expected):
    runs = campaign(constant(8.0), connections=constant(connections))
    assert agreement(runs, "session-reset-more-than-once") is expected


def test_falling_back_is_a_connection_of_http_1_1_beside_spdy():
    runs = campaign(constant(8.0))
    assert agreement(runs, "falls-back-to-http-1.1") is DIFFERS
    for run in runs[::2]:
        (first,) = run.record.client_connections
        run.record = changed(run.record, client_connections=[changed(first, protocol="http/1.1")])
    assert agreement(runs, "falls-back-to-http-1.1") is AGREES


@pytest.mark.parametrize(("with_pep", "expected"), [(6.5, AGREES), (16.0, DIFFERS)])
def test_most_of_the_start_up_penalty_is_more_than_half_of_it(with_pep, expected):
    # 500 kB take 0.5 s at 8 Mbit/s, 2500 kB 2.5 s: without the PEP the penalties are 17.5 to 19.5 s.
    found = verdict(campaign(lambda at: with_pep if at.pep == PEP else 20.0), "pep-removes-start-up")
    assert found.agreement is expected
    if expected is AGREES:
        percent = sum((6.5 - ideal) / (20 - ideal) - 1 for ideal in (0.5, 1.5, 2.5)) / 3
        assert found.findings[0].measurement.percent == pytest.approx(100 * percent, abs=0.1)


def test_the_product_of_rate_and_delay_is_that_of_a_handshake():
    # 8 Mbit/s are 1000 kB/s.
    (finding,) = verdict(campaign(constant(8.0), connect_s=constant(0.6)), "bdp").findings
    assert finding.ours.startswith("600")
    assert finding.agreement is AGREES
