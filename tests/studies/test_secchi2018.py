"""The study's matrix, standing of claims, tables and figures."""

import pytest

from bentpipe.scenario import Extent, load
from bentpipe.studies import Agreement
from bentpipe.studies.secchi2018 import published
from bentpipe.studies.secchi2018.cells import (
    DECIDING,
    LINK,
    MANY,
    MULTIPLEXED,
    ONE_AT_A_TIME,
    PATHS,
    PEP,
    PROTOCOLS,
    TUNNEL,
    page,
)
from bentpipe.studies.verdict import Standing
from tests.support.secchi2018 import (
    STUDY,
    campaign,
    cells,
    constant,
    in_table_1,
)

AGREES, DIFFERS, NOT_TESTABLE = Agreement.AGREES, Agreement.DIFFERS, Agreement.NOT_TESTABLE


def test_the_scenario_is_what_the_studys_claims_are_found_by():
    scenario = load(STUDY.scenario)
    assert scenario.repetitions == 10
    # 3 protocols x 9 pages x 2 paths x 2 timeouts; HTTP/2 and an initial window of 3 on 9 pages and 2 paths
    # each; 2 persistent protocols on 3 pages and 2 paths; an ample buffer on 2 paths.
    assert len(scenario.cells) == len(list(cells())) == 108 + 36 + 12 + 2
    assert {cell.factors["link"] for cell in scenario.cells} == {LINK}


def test_claims_find_their_cells_by_factors_that_the_scenario_gives():
    planned = [c.factors for c in load(STUDY.scenario).cells]
    for each in cells():
        assert sum(each.factors.items() <= factors.items() for factors in planned) == 1


def test_hosts_are_those_of_the_study():
    specs = [(cell.factors, cell.spec) for cell in load(STUDY.scenario).cells]
    assert {spec["tcp"]["receive_buffer_bytes"] for _, spec in specs} == {128_000, 4_000_000}
    assert {spec["tcp"]["connect_retry_ns"] for _, spec in specs} == {250_000_000, 1_500_000_000}
    assert {spec["http2"]["connection_window_bytes"] for _, spec in specs} == {10_000_000}
    one_at_a_time = [(f, s["workload"]) for f, s in specs if f["http"] in ONE_AT_A_TIME]
    assert {workload["connections"] for _, workload in one_at_a_time} == {6}
    # Neither is persistent (section 4.3), but for the six connections of Fig. 2.
    for factors, workload in one_at_a_time:
        kept = workload.get("requests_per_connection")
        assert kept == (1 if factors["requests_per_connection"] == "1" else None)
    assert {s["tls"]["version"] for f, s in specs if f["http"] != "h1"} == {"1.2"}


def test_the_link_has_the_rates_of_the_service():
    link = load(STUDY.scenario).cells[0].spec["link"]
    assert link["forward"]["capacity"]["nominal_bps"] == pytest.approx(published.FORWARD_BPS, rel=0.01)
    assert link["return"]["capacity"]["nominal_bps"] == pytest.approx(512e3, rel=0.05)


def test_every_cell_of_the_quick_version_belongs_to_the_full_one():
    full, quick = (load(STUDY.scenario, extent=extent) for extent in (Extent.FULL, Extent.QUICK))
    assert quick.repetitions == 2
    assert {frozenset(c.factors.items()) for c in quick.cells} < {
        frozenset(c.factors.items()) for c in full.cells
    }
    assert {c.factors["http"] for c in quick.cells} == set(PROTOCOLS)


def test_every_claim_has_a_name_of_its_own_and_says_where_the_paper_makes_it():
    found = STUDY.claims([])
    names = [v.claim_id for v in found]
    assert len(set(names)) == len(names) == 81
    assert all("section" in v.source or "Table 1" in v.source for v in found)


def test_claims_that_do_not_count_say_why():
    standing = {v.claim_id: v for v in STUDY.claims([]) if v.standing is not Standing.CLAIM}
    assert {name: v.standing for name, v in standing.items()} == {
        "bdp": Standing.CALIBRATED,
        "h1-rate": Standing.IMPOSSIBLE,
        "h2-tunnel-500k": Standing.IMPOSSIBLE,
        "persistence-helps": Standing.PROPERTY,
        "pep-removes-start-up": Standing.PROPERTY,
    }
    assert all(v.note for v in standing.values())


def test_without_runs_no_claim_is_testable_and_nothing_is_drawn():
    assert {v.agreement for v in STUDY.claims([])} == {NOT_TESTABLE}
    assert STUDY.figures([]) == STUDY.timelines([]) == ()
    assert all("Not testable" in t.conclusion or t.name == "load-times" for t in STUDY.tables([]))


def test_runs_that_did_not_succeed_make_no_claim_testable():
    runs = campaign(constant(10.0), status=constant("invalid"))
    assert {v.agreement for v in STUDY.claims(runs)} == {NOT_TESTABLE}


def test_table_1_has_the_studys_times_with_ours_and_how_far_they_are():
    (table,) = [t for t in STUDY.tables(campaign(constant(10.8))) if t.name == "table-1"]
    first = table.rows[0]
    assert (first["path"], first["window"], first["published_s"]) == ("PEP", 3, 10.8)
    assert (first["spdy_s"], first["h2_s"], first["n"]) == (pytest.approx(10.8), None, 3)
    assert "SPDY by" in table.conclusion
    assert len(table.rows) == 36


def test_the_table_of_lines_has_intercept_and_slope_of_both_paths():
    (table,) = [t for t in STUDY.tables(campaign(in_table_1)) if t.name == "lines"]
    assert [row["unit"] for row in table.rows] == ["s", "s/MB"] * 2
    assert [row["published"] for row in table.rows] == [9.3, 1.7, 17.4, 16.5]
    assert table.conclusion == "4 of 4 lie within the margin of the study's own line."


def test_the_table_of_connections_counts_duplicates():
    runs = campaign(constant(8.0), connections=constant(7), duplicates=lambda at: int(at.pep == TUNNEL))
    (table,) = [t for t in STUDY.tables(runs) if t.name == "connections"]
    by_path = {row["path"]: row for row in table.rows}
    tunnel, pep = by_path[PATHS[TUNNEL]], by_path[PATHS[PEP]]
    assert (tunnel["duplicates"], tunnel["loads_percent"], tunnel["connections"]) == (1.0, 100.0, 7.0)
    assert pep["duplicates"] == 0.0


def test_figures_are_those_of_the_study():
    drawings = {drawing.name: drawing for drawing in STUDY.figures(campaign(constant(8.0)))}
    assert list(drawings) == [
        "topology",
        "fig-2-https",
        "fig-2-https-not-persistent",
        "fig-3-spdy",
        "fig-4a",
        "fig-4b",
        "fig-5a",
        "fig-5b",
        "table-1",
    ]
    assert "n = 3 runs per point" in drawings["fig-4a"].caption


def test_published_points_stand_in_the_axes_of_ours():
    drawings = {drawing.name: drawing.figure for drawing in STUDY.figures(campaign(constant(8.0)))}
    (axis,) = drawings["fig-4a"].axes
    marked = {tuple(line.get_xydata()[0]) for line in axis.lines if len(line.get_xydata()) == 1}
    assert {(100, 35.0), (15, 12.0), (500, 15.6)} <= marked
    assert any("published" in text.get_text() for text in drawings["fig-2-https"].axes[0].texts)


def test_a_part_of_the_study_has_the_figures_of_that_part():
    runs = [run for run in campaign(constant(8.0)) if run.factors["page"] == page(500, 20)]
    assert "fig-2-https" not in [drawing.name for drawing in STUDY.figures(runs)]
    assert STUDY.timelines(runs) == ()


def test_runs_over_time_are_those_of_500_objects_over_connections_that_last():
    found = STUDY.timelines(campaign(constant(8.0)))
    assert [t.name for t in found] == [
        f"over-time-{http}-{pep}" for http in ("h1", DECIDING) for pep in PATHS
    ]
    assert {t.factors["page"] for t in found} == {page(*MANY)}


def test_http_2_stands_beside_spdy_in_the_table_of_load_times():
    (table,) = [t for t in STUDY.tables(campaign(constant(8.0))) if t.name == "load-times"]
    assert all({f"{http}_s" for http in MULTIPLEXED} <= set(row) for row in table.rows)
