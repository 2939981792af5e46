"""The study's matrix, published numbers, claims and table, on runs whose outcome is known beforehand."""

import math
from dataclasses import replace

import pytest

from bentpipe import studies
from bentpipe.scenario import Extent, load
from bentpipe.studies import Agreement
from bentpipe.studies.alshagri2023 import overhead, published, side_by_side
from tests.support.models import changed
from tests.support.synthetic import failed, page_load, study_cells

STUDY = studies.get("alshagri2023")
FACTORS = ("link", "http", "cc", "page")
SETTING_UP_S = 4.0
QUICK_BUDGET_S = 180.0
WORKERS = 2


def cell_of(factors):
    return tuple(factors[name] for name in FACTORS)


def with_metric(entry, **metrics):
    return replace(entry, record=changed(entry.record, metrics=changed(entry.record.metrics, **metrics)))


def runs_with(metric, value, *, repetitions=3):
    """The whole study, with one metric given by a function of the factors and a spread of 1 %."""
    return [
        with_metric(page_load(**cell, repetition=r), **{metric: value(**cell) * (1 + 0.01 * (r - 1))})
        for cell in study_cells()
        for r in range(repetitions)
    ]


def claim(runs, claim_id):
    return next(v for v in STUDY.claims(runs) if v.claim_id == claim_id)


def constant(by_http):
    return lambda http, **_: by_http[http]


def test_the_scenario_is_table_4_with_shared_cells_once():
    scenario = load(STUDY.scenario)
    # 3 versions x 12 pages x BBR x (2 links and the pipe), and 3 x 4 uniform pages x CUBIC x the same.
    assert len(scenario.cells) == 108 + 36
    assert {cell_of(cell.factors) for cell in scenario.cells} == {cell_of(cell) for cell in study_cells()}
    assert scenario.repetitions == 3


def test_http_1_1_uses_one_connection_in_clear_as_in_the_study():
    loads = [cell.spec["workload"] for cell in load(STUDY.scenario).cells]
    assert {w["connections"] for w in loads} == {1}
    assert {w["http"] for w in loads} == {"h1", "h2", "h3"}


def test_the_quick_version_shows_all_versions_both_controls_and_two_sizes_within_three_minutes():
    scenario = load(STUDY.scenario, extent=Extent.QUICK)
    cells = [cell.factors for cell in scenario.cells]
    satellite = [cell for cell in cells if cell["link"] == "geo-alshagri"]
    assert {cell["http"] for cell in satellite} == {"h1", "h2", "h3"}
    assert {cell["cc"] for cell in satellite} == {"bbr", "cubic"}
    assert {"uniform-100k", "uniform-500k"} <= {cell["page"] for cell in satellite}
    assert scenario.repetitions >= 2
    # Page load times of the synthetic runs are those of a plain model; setting up takes its 4 s besides.
    loads = [page_load(**dict(zip(FACTORS, cell_of(cell), strict=True))) for cell in cells]
    seconds = sum(entry.record.metrics.plt_s + SETTING_UP_S for entry in loads)
    assert seconds * scenario.repetitions / WORKERS < QUICK_BUDGET_S


def test_every_cell_of_the_quick_version_belongs_to_the_full_one():
    full, quick = (load(STUDY.scenario, extent=extent) for extent in (Extent.FULL, Extent.QUICK))
    assert {cell_of(c.factors) for c in quick.cells} < {cell_of(c.factors) for c in full.cells}


def test_table_6_is_the_published_one():
    # Network 2023, 3(3), table 6: corners and one inner value.
    table = published.OVERHEAD_PERCENT
    assert (table["h1"]["100k"], table["h1"]["2m"]) == (11.76, 5.57)
    assert (table["h3"]["100k"], table["h3"]["2m"]) == (18.23, 7.79)
    assert table["h2"]["500k"] == 6.71


def test_every_claim_has_a_name_of_its_own():
    names = [v.claim_id for v in STUDY.claims([])]
    assert len(set(names)) == len(names) == 16


def test_without_runs_no_claim_is_testable_and_each_says_what_is_missing():
    for verdict in STUDY.claims([]):
        assert verdict.agreement is Agreement.NOT_TESTABLE
        assert all(finding.sentence.startswith("not measured: ") for finding in verdict.findings)


def test_failed_and_invalid_runs_make_no_claim_testable():
    runs = [
        failed(page_load(**cell), status=status) for cell in study_cells() for status in ("failed", "invalid")
    ]
    assert {v.agreement for v in STUDY.claims(runs)} == {Agreement.NOT_TESTABLE}


def test_one_run_per_cell_makes_no_claim_testable():
    runs = [page_load(**cell) for cell in study_cells()]
    assert {v.agreement for v in STUDY.claims(runs)} == {Agreement.NOT_TESTABLE}


@pytest.mark.parametrize(
    ("claim_id", "h1", "h2", "h3", "agreement"),
    [
        ("uniform-satellite-h3-h1", 10.0, 6.4, 4.5, Agreement.AGREES),
        ("uniform-satellite-h3-h1", 10.0, 6.4, 6.0, Agreement.DIFFERS),
        ("uniform-satellite-h3-h2", 10.0, 6.4, 4.5, Agreement.AGREES),
        ("uniform-satellite-h3-h2", 10.0, 6.4, 6.3, Agreement.DIFFERS),
        ("average-satellite-h3-h2", 10.0, 6.4, 4.2, Agreement.AGREES),
        ("average-satellite-h3-h2", 10.0, 6.4, 8.0, Agreement.DIFFERS),
        ("single-satellite-h2-worse", 3.0, 3.5, 2.5, Agreement.AGREES),
        ("single-satellite-h2-worse", 3.5, 3.0, 2.5, Agreement.DIFFERS),
        ("single-satellite-h3-best", 3.0, 3.5, 2.5, Agreement.AGREES),
        ("single-satellite-h3-best", 2.4, 3.5, 2.5, Agreement.DIFFERS),
        ("single-lan-h1-best", 1.0, 1.1, 1.2, Agreement.AGREES),
        ("single-lan-h1-best", 1.0, 0.9, 1.2, Agreement.DIFFERS),
        ("uniform-lan-multiplexing", 1.0, 1.0, 0.9, Agreement.AGREES),
        ("uniform-lan-multiplexing", 1.0, 1.0, 1.2, Agreement.DIFFERS),
    ],
)
def test_a_claim_about_protocols_follows_the_page_load_times(claim_id, h1, h2, h3, agreement):
    runs = runs_with("plt_s", constant({"h1": h1, "h2": h2, "h3": h3}))
    assert claim(runs, claim_id).agreement is agreement


@pytest.mark.parametrize(("cubic", "agreement"), [(1.3, Agreement.AGREES), (1.0, Agreement.DIFFERS)])
@pytest.mark.parametrize("claim_id", ["satellite-bbr-beats-cubic", "lan-cubic-h3-suffers"])
def test_a_claim_about_congestion_controls_follows_the_page_load_times(claim_id, cubic, agreement):
    runs = runs_with("plt_s", lambda cc, **_: cubic if cc == "cubic" else 1.0)
    assert claim(runs, claim_id).agreement is agreement


@pytest.mark.parametrize(
    ("claim_id", "lan", "satellite", "agreement"),
    [
        ("cubic-fills-lan", 0.95, 0.3, Agreement.AGREES),
        ("cubic-fills-lan", 0.70, 0.3, Agreement.DIFFERS),
        ("cubic-misses-satellite", 0.95, 0.3, Agreement.AGREES),
        ("cubic-misses-satellite", 0.95, 0.96, Agreement.DIFFERS),
    ],
)
def test_a_claim_about_filling_a_link_follows_the_utilisation(claim_id, lan, satellite, agreement):
    runs = runs_with("utilisation", lambda link, **_: lan if link == "lan" else satellite)
    assert claim(runs, claim_id).agreement is agreement


@pytest.mark.parametrize("metric", ["fcp", "lcp"])
@pytest.mark.parametrize(("triangular", "agreement"), [(0.8, Agreement.AGREES), (1.0, Agreement.DIFFERS)])
def test_a_claim_about_page_structure_follows_the_first_and_the_largest_object(metric, triangular, agreement):
    def seconds(page, **_):
        return triangular if page.startswith("triangular") else 1.0

    assert claim(runs_with(f"{metric}_s", seconds), f"{metric}-triangular-uniform").agreement is agreement


@pytest.mark.parametrize("metric", ["fcp", "lcp"])
@pytest.mark.parametrize(("h3", "agreement"), [(0.8, Agreement.AGREES), (1.2, Agreement.DIFFERS)])
def test_a_claim_about_the_first_and_the_largest_object_follows_the_protocol(metric, h3, agreement):
    runs = runs_with(f"{metric}_s", constant({"h1": 2.0, "h2": 1.0, "h3": h3}))
    assert claim(runs, f"{metric}-h3-h2").agreement is agreement


@pytest.mark.parametrize(("triangular", "agreement"), [(1.02, Agreement.AGREES), (1.3, Agreement.DIFFERS)])
def test_page_load_times_of_both_structures_are_alike_within_ten_percent(triangular, agreement):
    runs = runs_with("plt_s", lambda page, **_: triangular if page.startswith("triangular") else 1.0)
    assert claim(runs, "plt-triangular-uniform").agreement is agreement


@pytest.mark.parametrize(
    ("pipe_h3", "conclusion"),
    [
        (4.5, "All 3 claims that were measured on both links come out alike on both."),
        (7.0, "the model of the link decides on uniform-satellite-h3-h1"),
    ],
)
def test_each_claim_about_the_satellite_link_stands_beside_the_same_on_a_constant_rate_pipe(
    pipe_h3, conclusion
):
    by_http = {"h1": 10.0, "h2": 6.4, "h3": 4.5}

    def seconds(http, link, **_):
        return pipe_h3 if (http, link) == ("h3", "geo-alshagri-flat") else by_http[http]

    runs = [run for run in runs_with("plt_s", seconds)
            if run.factors["page"].startswith("uniform") and run.factors["cc"] == "bbr"]  # fmt: skip
    table = side_by_side.table(runs)
    assert conclusion in table.conclusion
    row = next(row for row in table.rows if "55 % below" in row["claim"])
    # (4.5 - 10)/10, and on the pipe by its own page load time.
    assert row["satellite_percent"] == pytest.approx(-55.0)
    assert row["pipe_percent"] == pytest.approx(100 * (pipe_h3 - 10) / 10)


def test_claims_about_the_lan_do_not_stand_beside_themselves():
    claims = {row["claim"] for row in side_by_side.table([]).rows}
    assert claims
    assert not any("LAN" in claim for claim in claims)


def test_a_claim_on_some_of_its_pages_says_so():
    runs = [run for run in runs_with("plt_s", constant({"h1": 10, "h2": 6.4, "h3": 4.5}))
            if run.factors["page"] in ("uniform-100k", "uniform-500k")]  # fmt: skip
    (finding,) = claim(runs, "uniform-satellite-h3-h1").findings
    assert finding.agreement is Agreement.AGREES
    assert finding.sentence.endswith("only 2 of 4 pages measured")


def test_our_number_is_the_mean_over_pages_of_the_relative_difference():
    runs = runs_with("plt_s", constant({"h1": 10.0, "h2": 6.4, "h3": 4.5}))
    (finding,) = claim(runs, "uniform-satellite-h3-h1").findings
    assert finding.measurement.percent == pytest.approx(-55.0)
    assert finding.measurement.ci.low < -55.0 < finding.measurement.ci.high


def overhead_runs(*, both, forward):
    """Runs of which the overhead is the study's plus so many points."""

    def run(http, size):
        entry = page_load(http=http, page=f"uniform-{size}")
        theirs = published.OVERHEAD_PERCENT[http][size]
        return with_metric(entry, overhead_percent=theirs + both, overhead_forward_percent=theirs + forward)

    return [run(http, size) for http in published.OVERHEAD_PERCENT for size in ("100k", "500k", "1m", "2m")]


@pytest.mark.parametrize(
    ("both", "forward", "nearest"),
    [(0.5, -2.0, "in both directions"), (2.0, -0.5, "in the forward direction only")],
)
def test_the_way_of_counting_that_is_nearest_to_table_6_is_found(both, forward, nearest):
    table = overhead.table(overhead_runs(both=both, forward=forward))
    assert (
        f"both directions {abs(both):.2f} points, forward only {abs(forward):.2f} points" in table.conclusion
    )
    assert table.conclusion.endswith(f"nearest to ours counted {nearest}.")


def test_table_6_shows_the_study_alone_where_nothing_was_measured():
    table = overhead.table([])
    assert len(table.rows) == 12
    assert all(row["both_percent"] is None and row["n"] == 0 for row in table.rows)
    assert table.conclusion.startswith("Not testable")


def test_the_root_mean_square_is_that_of_3_4_and_0():
    assert overhead.root_mean_square([3.0, -4.0, 0.0]) == pytest.approx(5 / math.sqrt(3))


def test_figures_show_what_was_measured_and_nothing_without_runs():
    assert STUDY.figures([]) == ()
    some = STUDY.figures([page_load(page="uniform-100k", http=http) for http in ("h1", "h2", "h3")])
    assert [drawing.name for drawing in some] == ["plt-uniform", "overhead"]


@pytest.mark.parametrize(
    ("other", "name"),
    [({"cc": "cubic"}, "plt-congestion-control"), ({"page": "triangular-1m"}, "page-structure")],
)
def test_a_comparison_is_drawn_only_with_both_of_its_sides(other, name):
    one = page_load(page="uniform-1m", cc="bbr")
    assert name not in [drawing.name for drawing in STUDY.figures([one])]
    both = [one, page_load(**{"page": "uniform-1m", "cc": "bbr", **other})]
    assert name in [drawing.name for drawing in STUDY.figures(both)]


def test_runs_over_time_are_those_of_the_largest_uniform_page_measured():
    runs = [page_load(page=f"uniform-{size}", http="h2") for size in ("100k", "500k")]
    (timeline,) = STUDY.timelines(runs)
    assert timeline.factors["page"] == "uniform-500k"


def test_an_unknown_study_is_a_key_error():
    assert "alshagri2023" in studies.names()
    with pytest.raises(KeyError):
        studies.get("nobody1999")
