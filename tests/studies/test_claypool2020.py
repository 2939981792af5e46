"""The study's scenario, published numbers, claims and tables, on downloads of known outcome."""

import json
import math

import numpy as np
import pytest

from bentpipe import report, studies
from bentpipe.campaign.executor import execute
from bentpipe.campaign.plan import plan
from bentpipe.cli.progress import progress
from bentpipe.engine.simulate import Simulator
from bentpipe.ledger import Ledger
from bentpipe.scenario import Clock, Extent, load
from bentpipe.stats import Phase
from bentpipe.studies import Agreement
from bentpipe.studies.claypool2020 import baseline, published
from bentpipe.studies.claypool2020.claims.orders import ORDERS
from bentpipe.studies.claypool2020.downloads import (
    CONTROLS,
    POWER,
    THROUGHPUT,
    dip_interval_s,
    downloads,
    echoes,
    time_to_reach_s,
    values,
)
from tests.studies.claypool2020_runs import baseline_runs, campaign, download

STUDY = studies.get("claypool2020")
DIFFERS, NOT_TESTABLE = Agreement.DIFFERS, Agreement.NOT_TESTABLE


def claim(runs, claim_id):
    return next(v for v in STUDY.claims(runs) if v.claim_id == claim_id)


def test_each_cycle_measures_every_cell_once_before_any_is_measured_again():
    scenario = load(STUDY.scenario)
    assert (len(scenario.cells), scenario.repetitions) == (5, 80)
    planned = plan(scenario)
    for cycle in range(80):
        runs = planned[5 * cycle : 5 * (cycle + 1)]
        assert {run.repetition for run in runs} == {cycle}
        assert {run.cell.factors.get("cc") for run in runs} == {*CONTROLS, None}


def test_the_downloads_are_those_of_the_study():
    cells = [cell for cell in load(STUDY.scenario).cells if "cc" in cell.factors]
    assert {cell.spec["workload"]["bytes"] for cell in cells} == {1_000_000_000}
    windows = {cell.spec["cc"]: cell.spec["tcp"]["initial_window"] for cell in cells}
    assert windows == {"bbr": 10, "cubic": 10, "hybla": 50, "vivace": 25}
    buffers = {cell.spec["tcp"][f"{kind}_buffer_bytes"] for cell in cells for kind in ("send", "receive")}
    assert buffers == {60_000_000}


def test_the_baseline_is_the_studys_ping_with_about_as_many_echoes():
    (cell,) = [cell for cell in load(STUDY.scenario).cells if "cc" not in cell.factors]
    ping = cell.spec["workload"]
    assert (ping["payload_bytes"], ping["interval_ns"]) == (20, 200_000_000)
    # 604 lost packets are 0.05 % of 1.2 million.
    assert ping["count"] * 80 == pytest.approx(published.BASELINE.lost / 0.0005, rel=0.01)


def test_the_quick_version_is_two_cycles_of_100_megabytes():
    scenario = load(STUDY.scenario, extent=Extent.QUICK)
    sizes = {cell.spec["workload"].get("bytes") for cell in scenario.cells}
    assert (scenario.repetitions, len(scenario.cells), sizes) == (2, 5, {100_000_000, None})


def power(phase, control):
    return published.THROUGHPUT_MBPS[phase][control].value / published.RTT_MS[phase][control].value * 1e3


def test_the_published_power_is_that_of_the_published_means_but_for_one():
    differing = {
        (phase, control): power(phase, control)
        for phase, row in published.THROUGHPUT_MBPS.items()
        for control in row
        # Printed without decimals.
        if abs(published.POWER[phase][control].value - power(phase, control)) > 1
    }
    # Printed as 35.
    assert differing == {(Phase.START_UP, "bbr"): pytest.approx(25.19, abs=0.01)}


def test_every_claim_has_a_name_of_its_own():
    names = [verdict.claim_id for verdict in STUDY.claims([])]
    assert len(set(names)) == len(names)
    assert {order.claim_id for order in ORDERS} <= set(names)


def test_without_runs_no_claim_is_testable_and_nothing_is_drawn():
    assert {verdict.agreement for verdict in STUDY.claims([])} == {NOT_TESTABLE}
    assert STUDY.figures([]) == STUDY.timelines([]) == ()
    assert all(table.rows for table in STUDY.tables([]))


def test_runs_that_did_not_succeed_are_not_used():
    runs = [download(cc, status=status) for cc in CONTROLS for status in ("failed", "invalid")]
    assert not any(downloads(runs).values())


def test_the_time_of_an_object_counts_from_the_start():
    # 20 Mbit/s: 1 MB in 0.4 s, 5 MB in 2 s.
    (table,) = [t for t in STUDY.tables(campaign()) if t.name == "object-times"]
    assert [row["ours_bbr_s"] for row in table.rows[:2]] == pytest.approx([0.4, 2.0])
    assert [row["published_hybla_s"] for row in table.rows[:2]] == [4.0, 4.0]


def test_the_time_between_dips_is_that_from_one_gap_to_the_next():
    run = download("bbr", mbps=140.0)
    times = run.tables["progress"]["time_s"]
    # A gap of 0.8 s at 35, 45 ... 85 s.
    in_gap = (times > 35) & ((times - 35) % 10 < 0.75)
    run.tables["progress"]["received_bytes"] = np.where(in_gap, 0.0, run.tables["progress"]["received_bytes"])
    (found,) = downloads([run])["bbr"]
    assert dip_interval_s(found) == pytest.approx(10.0, abs=0.05)
    assert dip_interval_s(downloads([download("bbr")])["bbr"][0]) is None


def test_a_rate_is_reached_at_the_end_of_the_first_second_that_has_it():
    # 50 MB at 20 Mbit/s are there after 20 s.
    (found,) = downloads([download("cubic", start_mbps=20.0, mbps=100.0)])["cubic"]
    assert time_to_reach_s(found, 99e6) == pytest.approx(21.0)
    assert time_to_reach_s(found, 101e6) is None


def test_the_start_up_is_the_first_50_megabytes_and_the_caption_s_the_first_30_s():
    (found,) = downloads([download("bbr", start_mbps=20.0, mbps=100.0)])["bbr"]
    assert values([found], Phase.START_UP, THROUGHPUT) == pytest.approx([20.0])
    # 50 MB in 20 s and 10 s at 100 Mbit/s.
    assert values([found], Phase.FIRST_30_S, THROUGHPUT) == pytest.approx([(20 * 20 + 10 * 100) / 30])


def test_a_download_of_50_megabytes_leaves_the_start_up_untested():
    # 20 Mbit/s for 19 s are 47.5 MB.
    runs = [download(cc, seconds=19) for cc in CONTROLS for _ in range(2)]
    assert claim(runs, "start-up-throughput-bbr").agreement is NOT_TESTABLE
    assert claim(runs, "overall-throughput-bbr").agreement is DIFFERS
    assert "throughput" in {drawing.name for drawing in STUDY.figures(runs)}


def test_every_figure_is_drawn_with_what_is_published_beside_it():
    drawn = {each.name: each.figure for each in STUDY.figures([*campaign(seconds=200), *baseline_runs()])}
    assert list(drawn) == ["quiet-link-over-time", "quiet-link-tail", "downloads-over-time", "throughput",
                           "round-trips", "retransmissions", "object-times", "power"]  # fmt: skip
    for name, figure in drawn.items():
        (legend,) = figure.legends
        assert "published" in {text.get_text() for text in legend.get_texts()}, name


def test_object_times_have_the_published_points():
    (figure,) = [each.figure for each in STUDY.figures(campaign(seconds=200)) if each.name == "object-times"]
    points = {
        (float(line.get_xdata()[0]), round(float(line.get_ydata()[0]), 1))
        for line in figure.axes[0].lines
        if line.get_marker() == "D"
    }
    # Section IV.E; at 30 MB twice and three times Hybla's 8 s; 50 MB by Table VIII.
    assert {
        (1.0, 4.0),
        (5.0, 10.0),
        (5.0, 13.0),
        (30.0, 8.0),
        (30.0, 16.0),
        (30.0, 24.0),
        (50.0, 24.1),
    } <= points


def test_the_table_of_tests_has_the_studys_numbers_and_ours_with_their_direction():
    runs = campaign(
        start_mbps={cc: number.value for cc, number in published.THROUGHPUT_MBPS[Phase.START_UP].items()}
    )
    (table,) = [t for t in STUDY.tables(runs) if t.name == "tests"]
    hybla = next(row for row in table.rows if (row["phase"], row["control"]) == ("start-up", "Hybla"))
    assert (hybla["published_t"], hybla["published_p"], hybla["published_d"]) == (74.2, "< 0.0001", 12.0)
    assert hybla["ours_t"] > 0
    assert hybla["ours_significant"] == "yes"


def test_the_table_of_the_baseline_counts_losses():
    table = baseline.table(echoes(baseline_runs()))
    assert table.conclusion.startswith("Ours: 12 of 20000 echoes lost in 4 events.")
    rows = {row["quantity"]: row for row in table.rows}
    assert rows["longest run of losses in packets"]["ours"] == 3.0
    assert rows["mean in ms"]["margin_percent"] == 2.0


def test_power_of_a_download_is_its_throughput_over_its_round_trip():
    found = downloads([download("bbr", mbps=100.0, start_mbps=100.0, rtt_ms=800.0)])["bbr"]
    assert values(found, Phase.OVERALL, POWER) == pytest.approx([125.0])


def test_a_reduced_study_runs_in_the_simulator_and_its_report_shows_all_of_it(tmp_path):
    scenario = load(
        STUDY.scenario,
        extent=Extent.QUICK,
        clock=Clock.VIRTUAL,
        overrides=["bulk.size=20 MB", "ping.count=50"],
    )
    with Ledger.claim(tmp_path, scenario.document()) as ledger, progress() as shown:
        outcome = execute(plan(scenario), engine=Simulator(), ledger=ledger, jobs=1, progress=shown)
    assert outcome.succeeded == outcome.planned == 10
    found = json.loads(report.build(tmp_path).with_suffix(".json").read_text())
    expected = {"throughput", "round-trips", "retransmissions", "object-times", "downloads-over-time",
                "power", "quiet-link-over-time", "quiet-link-tail"}  # fmt: skip
    assert expected <= {figure["name"] for figure in found["figures"]}
    assert {f"over-time-{control}" for control in CONTROLS} <= {figure["name"] for figure in found["figures"]}
    assert found["pings"][0]["sent"] == 100
    means = next(table for table in found["study"]["tables"] if table["name"] == "means")
    overall = [row for row in means["rows"] if row["phase"] == "overall"]
    assert all(math.isfinite(row["ours_throughput_mbps"]) and row["n"] == 2 for row in overall)
