"""The study's matrix, published numbers, claims, tables and figures, on loads of known outcome."""

import pytest

from bentpipe import studies
from bentpipe.scenario import Extent
from bentpipe.scenario import load as load_scenario
from bentpipe.studies import Agreement
from bentpipe.studies.caviglione2014 import published
from bentpipe.studies.caviglione2014.cells import (
    BY_NAME,
    FULL_HANDSHAKES,
    PUSHES,
    SCHEMES,
    VARIANTS,
)
from tests.support.loads import repeated

STUDY = studies.get("caviglione2014")
AGREES, DIFFERS, NOT_TESTABLE = Agreement.AGREES, Agreement.DIFFERS, Agreement.NOT_TESTABLE
MIDDLE = {"cra": 0.0, "mixed": 0.3, "rbdc": 0.6, "vbdc": 1.0}
"""How far between the times with CRA and with VBDC the invented ones are."""


def campaign(seconds, *, variants=VARIANTS, schemes=SCHEMES, **changes):
    """Three loads of every variant with every scheme; all quantities are functions of both."""
    return [
        run
        for variant in variants
        for scheme in schemes
        for run in repeated(
            variant.cell(scheme),
            plt_s=seconds(variant, scheme),
            **{key: value(variant, scheme) for key, value in changes.items()},
        )
    ]


def constant(number):
    return lambda *_: number


def by_variant(numbers):
    return lambda variant, _: numbers[variant.name]


def published_s(variant, scheme):
    """The published times; those of TLS with VBDC in proportion, HTTP/2's those of SPDY."""
    http = "spdy" if variant.http == "h2" else variant.http
    constant_s = published.LOADS[http].plt_s
    slow = published.VBDC_PLT_S.get(http) or published.VBDC_PLT_S[http.removesuffix("s")] * 1.1
    return constant_s + MIDDLE[scheme] * (slow - constant_s)


def published_kb(variant, _):
    return published.LOADS["spdy" if variant.http == "h2" else variant.http].data_kb


def published_wire_kb(variant, _):
    """The study prints data alone; invented on top is what a connection for each object may take."""
    more = {"http10": 250.0, "http10s": 250.0, "h1": 50.0, "h1s": 50.0}
    return published_kb(variant, None) + more.get(variant.http, 30.0)


def published_rate(variant, _):
    told = {"http10": 9.0, "http10s": 9.0, "h1": 205.0, "h1s": 195.0}
    return told.get(variant.http, 250.0) * 8e3


def rtts(_, scheme):
    return {"cra": 0.7, "mixed": 0.9, "rbdc": 1.3, "vbdc": 1.6}[scheme]


def truth():
    return campaign(
        published_s,
        content_kb=published_kb,
        wire_kb=published_wire_kb,
        peak_bps=published_rate,
        rtt_s=rtts,
        connections=constant(6),
    )


def claim(runs, claim_id):
    return next(v for v in STUDY.claims(runs) if v.claim_id == claim_id)


def table(runs, name):
    return next(t for t in STUDY.tables(runs) if t.name == name)


def test_the_scenario_has_every_variant_with_every_scheme_and_the_extras():
    scenario = load_scenario(STUDY.scenario)
    # 8 variants x 4 schemes, 4 shares of push x 2 schemes, and full handshakes.
    assert len(scenario.cells) == 32 + 8 + 1
    assert scenario.repetitions == 50


def test_claims_and_tables_find_their_cells_by_factors_that_the_scenario_gives():
    planned = [cell.factors for cell in load_scenario(STUDY.scenario).cells]
    wanted = [variant.cell(scheme) for variant in VARIANTS for scheme in SCHEMES]
    wanted += [BY_NAME["spdy"].cell(scheme, push=push) for scheme in ("cra", "vbdc") for push in PUSHES[1:]]
    wanted.append(FULL_HANDSHAKES.cell("cra"))
    for cell in wanted:
        assert sum(cell.items() <= factors.items() for factors in planned) == 1
    assert len(wanted) == len(planned)


def test_browser_and_server_are_those_of_the_study():
    specs = [cell.spec for cell in load_scenario(STUDY.scenario).cells]
    assert {spec["tcp"]["idle_reset_ns"] for spec in specs} == {5_000_000_000}
    assert {"connect_retry_ns" in spec["tcp"] for spec in specs} == {False}
    assert {spec["tcp"]["initial_window"] for spec in specs} == {10}
    assert {spec["cc"] for spec in specs} == {"cubic"}
    loads = [spec["workload"] for spec in specs]
    assert {load["connections"] for load in loads if load["http"].startswith(("http10", "h1"))} == {6}
    assert {load["requests_per_connection"] for load in loads if load["http"].startswith("h1")} == {100}
    assert {load.get("pipelining", 1) for load in loads if load["http"].startswith("h1")} == {1, 32}
    assert {1 + len(load["page"]["objects"]) for load in loads} == {642}
    assert {spec["tls"]["version"] for spec in specs if "tls" in spec} == {"1.2"}


def test_the_schemes_share_out_the_slots_of_the_study():
    mixes = {
        cell.factors["link.return.dama"]: cell.spec["link"]["return"]["capacity"]["mix"]
        for cell in load_scenario(STUDY.scenario).cells
    }
    assert mixes["cra"]["cra"]["slots"] == 228
    mixed = mixes["mixed"]
    assert (mixed["cra"]["slots"], mixed["rbdc"]["max"]["slots"]) == (18, 105)
    assert mixed["volume"] == {"kind": "vbdc", "max_slots": 105}


def test_every_cell_of_the_quick_version_belongs_to_the_full_one():
    full, quick = (load_scenario(STUDY.scenario, extent=extent) for extent in (Extent.FULL, Extent.QUICK))
    names = [{frozenset(cell.factors.items()) for cell in extent.cells} for extent in (quick, full)]
    assert names[0] < names[1]
    assert quick.repetitions == 2


def test_the_quick_version_takes_some_five_minutes_if_times_are_the_studys():
    setting_up_s, workers = 4.0, 2
    seconds = 0.0
    cells = load_scenario(STUDY.scenario, extent=Extent.QUICK).cells
    for cell in cells:
        (variant,) = [
            each for each in VARIANTS
            if each.cell(cell.factors["link.return.dama"]).items() <= cell.factors.items()
        ]  # fmt: skip
        # One request at a time takes 107 turns of a round trip.
        plt_s = (
            60.0
            if variant.name == "h1"
            else min(60.0, published_s(variant, cell.factors["link.return.dama"]))
        )
        seconds += (131.0 if variant.name == "http10" else plt_s) + setting_up_s
    assert 2 * seconds / workers < 420


def test_the_published_numbers_are_those_of_the_paper():
    loads = published.LOADS
    assert [loads[http].data_kb for http in ("http10", "http10s", "h1", "h1s", "spdy")] == [
        508,
        871,
        508,
        659,
        416,
    ]
    assert [loads[http].plt_s for http in ("http10", "http10s", "h1", "h1s", "spdy")] == [131, 198, 10, 12, 9]
    assert (published.SPDY_VBDC_RTT_S, published.SPDY_VBDC_ABOVE_CRA_S) == (1.6, 10.0)


def test_every_claim_has_a_name_of_its_own():
    names = [v.claim_id for v in STUDY.claims([])]
    assert len(set(names)) == len(names) == 33


def test_without_runs_no_claim_is_testable_and_nothing_is_drawn():
    assert {v.agreement for v in STUDY.claims([])} == {NOT_TESTABLE}
    assert STUDY.figures([]) == STUDY.timelines([]) == ()
    assert all(t.conclusion.startswith("Not testable") for t in STUDY.tables([]))


def test_runs_that_did_not_succeed_make_no_claim_testable():
    runs = campaign(published_s, status=constant("failed"))
    assert {v.agreement for v in STUDY.claims(runs)} == {NOT_TESTABLE}


def test_every_claim_agrees_where_the_published_numbers_are_the_truth():
    assert {v.claim_id for v in STUDY.claims(truth()) if v.agreement is not AGREES} == set()


@pytest.mark.parametrize(("factor", "agreement"), [(1.0, AGREES), (1.09, AGREES), (0.89, DIFFERS)])
def test_data_agree_within_ten_percent(factor, agreement):
    runs = campaign(published_s, content_kb=lambda *at: factor * published_kb(*at), wire_kb=constant(2000.0))
    assert claim(runs, "data-spdy").agreement is agreement


def test_a_finding_says_what_is_published_and_what_is_ours():
    (finding,) = claim(campaign(constant(100.0)), "load-time-http10").findings
    assert finding.label == "CRA: published 131 s, ours 100.0"
    assert finding.agreement is DIFFERS


def test_both_kinds_of_http_1_1_are_judged_on_their_own():
    runs = campaign(lambda variant, _: 10.0 if variant.is_pipelined else 60.0)
    assert claim(runs, "load-time-h1-pipelined").agreement is AGREES
    assert claim(runs, "load-time-h1").agreement is DIFFERS


@pytest.mark.parametrize(
    ("http10", "h1", "spdy", "agreement"),
    [(131, 10, 9, AGREES), (15, 10, 9, DIFFERS), (131, 8, 9, DIFFERS)],
)
def test_http_1_0_shall_be_far_above_http_1_1_and_that_above_spdy(http10, h1, spdy, agreement):
    numbers = {**dict.fromkeys(BY_NAME, float(h1)), "http10": float(http10), "spdy": float(spdy)}
    assert claim(campaign(by_variant(numbers)), "order-load-time").agreement is agreement


@pytest.mark.parametrize(("tls", "agreement"), [(700.0, AGREES), (500.0, DIFFERS)])
def test_tls_shall_cost_bytes_with_every_scheme(tls, agreement):
    def wire_kb(variant, scheme):
        # One scheme decides.
        return (tls if scheme == "mixed" else 700.0) if variant.http in ("http10s", "h1s") else 600.0

    runs = campaign(constant(10.0), wire_kb=wire_kb, content_kb=constant(400.0))
    assert len(claim(runs, "tls-more-bytes").findings) == 3 * len(SCHEMES)
    assert claim(runs, "tls-more-bytes").agreement is agreement


@pytest.mark.parametrize(("rbdc", "agreement"), [(20.0, AGREES), (25.0, DIFFERS)])
def test_vbdc_shall_be_the_slowest_scheme_of_spdy(rbdc, agreement):
    seconds = {"cra": 11.0, "mixed": 14.0, "rbdc": rbdc, "vbdc": 22.0}
    assert claim(campaign(lambda _, scheme: seconds[scheme]), "vbdc-spdy-worst").agreement is agreement


@pytest.mark.parametrize(("mixed", "agreement"), [(0.9, AGREES), (1.5, DIFFERS)])
def test_round_trips_shall_be_the_longest_on_demand(mixed, agreement):
    seconds = {"cra": 0.7, "mixed": mixed, "rbdc": 1.3, "vbdc": 1.6}
    runs = campaign(constant(10.0), rtt_s=lambda _, scheme: seconds[scheme])
    assert claim(runs, "round-trips-on-demand").agreement is agreement
    assert claim(runs, "vbdc-spdy-round-trip").agreement is AGREES


@pytest.mark.parametrize(("spdy_lost", "agreement"), [(12.0, AGREES), (80.0, DIFFERS)])
def test_spdy_shall_lose_less_time_to_vbdc_than_either_kind_of_http(spdy_lost, agreement):
    def seconds(variant, scheme):
        lost = spdy_lost if variant.name == "spdy" else 60.0
        return 10.0 + (lost if scheme == "vbdc" else 0.0)

    assert claim(campaign(seconds), "vbdc-spdy-suffers-least").agreement is agreement


def test_what_vbdc_costs_spdy_is_counted_from_the_mean_with_cra():
    runs = campaign(lambda _, scheme: 21.0 if scheme == "vbdc" else 11.0)
    (finding,) = claim(runs, "vbdc-spdy-above-cra").findings
    assert finding.label == "VBDC above CRA: published 10 s, ours 10.0"


def test_the_throughput_is_that_of_the_busiest_second():
    # The link delivers in the last second alone.
    runs = campaign(constant(10.0), peak_bps=constant(2e6))
    (finding,) = claim(runs, "throughput-spdy").findings
    assert finding.label == "CRA: published 250 kB/s, ours 250"


def test_the_table_of_protocols_has_the_studys_numbers_beside_ours():
    rows = {row["protocol"]: row for row in table(truth(), "protocols").rows}
    spdy = rows["SPDY"]
    assert (spdy["published_data_kb"], spdy["ours_data_kb"]) == (416, pytest.approx(416.0))
    assert spdy["ours_mean_kbps"] == pytest.approx(416 / 9)
    assert rows["HTTP/2"]["published_plt_s"] is None
    assert rows["HTTP/1.0 over TLS, full handshakes"]["n"] == 0
    assert rows["HTTP/1.1, pipelined"]["connections"] == 6.0


def test_the_table_of_schemes_names_the_slowest_of_each():
    found = table(truth(), "schemes")
    assert "SPDY VBDC" in found.conclusion
    row = next(row for row in found.rows if (row["protocol"], row["scheme"]) == ("SPDY", "VBDC"))
    assert (row["published_plt_s"], row["ours_plt_s"]) == (21, pytest.approx(21.0))
    assert (row["published_rtt_s"], row["ours_rtt_s"]) == (1.6, pytest.approx(1.6))


def test_the_kind_of_http_1_1_that_a_number_is_nearer_to_is_found():
    def seconds(variant, scheme):
        # With VBDC one at a time takes what the study has, with CRA pipelined does.
        slow = {"vbdc": 160.0, "cra": 60.0}.get(scheme, 100.0)
        return slow if not variant.is_pipelined else 11.0

    runs = campaign(seconds, content_kb=constant(500.0), peak_bps=constant(1e6))
    rows = {(r["protocol"], r["quantity"], r["scheme"]): r for r in table(runs, "kinds-of-http-1-1").rows}
    assert rows["HTTP/1.1", "load time in s", "CRA"]["nearer"] == "pipelined"
    assert rows["HTTP/1.1", "load time in s", "VBDC"]["nearer"] == "one at a time"


def test_push_is_beside_the_load_without():
    spdy = BY_NAME["spdy"]
    runs = [
        run
        for share, plt_s in zip(PUSHES, (9.0, 8.8, 8.6, 8.4, 8.2), strict=True)
        for run in repeated(spdy.cell("cra", push=share), plt_s=plt_s)
    ]
    found = table(runs, "push")
    assert found.conclusion == "The fastest: 100 % with CRA."
    assert [row["n"] for row in found.rows] == [3] * 5 + [0] * 5


def test_figures_show_bytes_schemes_throughput_and_connections():
    drawings = {drawing.name: drawing for drawing in STUDY.figures(truth())}
    activities = [f"activity-{name}" for name in ("http10", "h1", "h1-pipelined", "spdy", "h2")]
    assert list(drawings) == ["bytes", "plt-by-scheme", "throughput-over-time", *activities]
    assert len(drawings["throughput-over-time"].figure.axes) == len(VARIANTS)


def test_the_figure_of_schemes_has_ours_and_the_published_beside_each_other():
    (drawing,) = [d for d in STUDY.figures(truth()) if d.name == "plt-by-scheme"]
    (axis,) = drawing.figure.axes
    assert axis.get_xscale() == "log"
    assert [text.get_text() for text in axis.get_yticklabels()] == list(SCHEMES.values())
    (legend,) = drawing.figure.legends
    words = [text.get_text() for text in legend.get_texts()]
    assert words == [*(variant.label for variant in VARIANTS), "published"]


def test_a_part_of_the_study_has_the_figures_of_that_part():
    runs = campaign(constant(21.0), variants=[BY_NAME["spdy"]], schemes=["vbdc"])
    assert [drawing.name for drawing in STUDY.figures(runs)] == ["plt-by-scheme"]
    assert [timeline.name for timeline in STUDY.timelines(runs)] == ["over-time-spdy-vbdc"]
