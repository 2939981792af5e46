"""The study's scenario, published numbers, claims and tables, on downloads of known outcome."""

import json
import math
from dataclasses import dataclass, field

import numpy as np
import pytest

from bentpipe import report, studies
from bentpipe.campaign import execute, plan
from bentpipe.cli.progress import progress
from bentpipe.engine.simulate import Simulator
from bentpipe.ledger import Ledger
from bentpipe.scenario import Clock, Extent, load
from bentpipe.stats import Interval, Phase
from bentpipe.studies import Agreement
from bentpipe.studies.claypool2020 import baseline, published
from bentpipe.studies.claypool2020.downloads import (
    CONTROLS,
    POWER,
    dip_interval_s,
    downloads,
    echoes,
    time_to_reach_s,
    values,
)
from bentpipe.studies.claypool2020.orders import ORDERS
from tests.support.models import record_with

STUDY = studies.get("claypool2020")
MTU_BYTES = 1500
AGREES, DIFFERS, NOT_TESTABLE = Agreement.AGREES, Agreement.DIFFERS, Agreement.NOT_TESTABLE


@dataclass
class Run:
    """A run with its series at hand."""

    factors: dict
    record: dict
    tables: dict = field(default_factory=dict)

    def series(self, name):
        return self.tables.get(name, {})


def download(
    cc, *, mbps=100.0, start_mbps=20.0, rtt_ms=800.0, resent_percent=0.0, status="succeeded", seconds=90
):
    """A download with one rate in the first 30 s and another one afterwards."""
    times = np.arange(1, seconds * 10 + 1) * 0.1
    rates_bps = np.where(times < 30.05, start_mbps, mbps) * 1e6
    packets = rates_bps * 0.1 / 8 / MTU_BYTES
    spec = {"workload": {"kind": "bulk"}, "link": {"mtu_bytes": MTU_BYTES}}
    return Run(
        factors={"link": "geo-viasat2", "cc": cc, "bulk.direction": "down"},
        record=record_with(status=status, spec=spec, metrics={"completion_s": float(seconds)}),
        tables={
            "progress": {"time_s": times, "received_bytes": rates_bps * 0.1 / 8},
            "link": {"time_s": times, "forward_sent_bytes": packets * MTU_BYTES},
            "sender": {
                "time_s": times,
                "srtt_s": np.full(len(times), rtt_ms / 1e3),
                "retransmitted_packets": np.cumsum(packets) * resent_percent / 100,
            },
        },
    )


def quiet(rtts_s):
    """A run of the baseline."""
    record = record_with(status="succeeded", spec={"workload": {"kind": "ping"}})
    return Run(factors={"link": "geo-viasat2"}, record=record, tables={"ping": {"rtt_s": np.asarray(rtts_s)}})


def campaign(**quantities):
    """Three downloads of each congestion control, 1 % apart; a quantity is a number for each control."""
    return [
        download(cc, **{name: row[cc] * (1 + 0.01 * (n - 1)) for name, row in quantities.items()})
        for cc in CONTROLS
        for n in range(3)
    ]


def published_means(table, phase):
    return {cc: cell.mean for cc, cell in table[phase].items()}


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


def test_the_published_power_is_that_of_the_published_means_but_for_one():
    differing = {
        (phase, control): cell.mean / (published.RTT_MS[phase][control].mean / 1e3)
        for phase, row in published.THROUGHPUT_MBPS.items()
        for control, cell in row.items()
        # Printed without decimals.
        if abs(published.POWER[phase][control] - cell.mean / published.RTT_MS[phase][control].mean * 1e3) > 1
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


@pytest.mark.parametrize(
    ("factor", "agreement"), [(1.0, AGREES), (1.09, AGREES), (1.15, DIFFERS), (0.85, DIFFERS)]
)
def test_a_published_mean_agrees_within_ten_percent(factor, agreement):
    means = {
        cc: factor * mean for cc, mean in published_means(published.THROUGHPUT_MBPS, Phase.START_UP).items()
    }
    found = claim(campaign(start_mbps=means), "start-up-throughput")
    assert found.agreement is agreement


def test_a_finding_says_what_is_published_and_what_is_ours():
    means = published_means(published.RTT_MS, Phase.OVERALL)
    found = claim(campaign(rtt_ms=means), "overall-round-trip")
    assert found.findings[0].label == "BBR: published 827 ms, ours 827"


@pytest.mark.parametrize("order", ORDERS, ids=lambda order: order.claim_id)
def test_every_claimed_order_agrees_with_the_published_means_where_they_are_the_truth(order):
    throughput, rtt = (
        published_means(table, order.phase) for table in (published.THROUGHPUT_MBPS, published.RTT_MS)
    )
    # Of retransmissions the study prints an order and three limits.
    resent = {"bbr": 2.0, "cubic": 1.5, "hybla": 0.2, "vivace": 0.5}
    runs = campaign(mbps=throughput, start_mbps=throughput, rtt_ms=rtt, resent_percent=resent)
    assert claim(runs, order.claim_id).agreement is AGREES


@pytest.mark.parametrize("order", ORDERS, ids=lambda order: order.claim_id)
def test_no_claimed_order_agrees_where_the_order_is_reversed(order):
    ranks = dict.fromkeys(CONTROLS, 1.0)
    first = {pair[0] for pair in order.pairs}
    is_more = order.rule(50.0, _narrow(50.0))[0] is AGREES
    for control in first:
        ranks[control] = 0.5 if is_more else 2.0
    names = {"throughput": ("mbps", "start_mbps"), "round trip": ("rtt_ms",), "power": ("mbps", "start_mbps"),
             "packets retransmitted": ("resent_percent",)}[order.quantity.name]  # fmt: skip
    scale = 800.0 if names == ("rtt_ms",) else 1.0 if names == ("resent_percent",) else 100.0
    runs = campaign(**{name: {cc: rank * scale for cc, rank in ranks.items()} for name in names})
    assert claim(runs, order.claim_id).agreement is DIFFERS


def _narrow(percent):
    return Interval(low=percent - 1, high=percent + 1)


def test_the_time_of_an_object_counts_from_the_start():
    # 20 Mbit/s: 1 MB in 0.4 s, 5 MB in 2 s.
    (table,) = [t for t in STUDY.tables(campaign()) if t.name == "object-times"]
    assert [row["ours_bbr_s"] for row in table.rows[:2]] == pytest.approx([0.4, 2.0])
    assert [row["published_hybla_s"] for row in table.rows[:2]] == [4.0, 4.0]


def test_object_times_follow_the_rate_of_the_start():
    # 5 MB in 4, 7, 10 and 13 s.
    rates = {cc: 40 / seconds for cc, seconds in published.OBJECT_TIMES_S[5].items()}
    runs = campaign(start_mbps=rates)
    assert claim(runs, "object-5-mb").agreement is AGREES
    assert claim(runs, "object-5-mb-order").agreement is AGREES
    assert claim(campaign(start_mbps=dict.fromkeys(rates, 10.0)), "object-5-mb-order").agreement is DIFFERS


@pytest.mark.parametrize(("percent", "agreement"), [(0.2, AGREES), (1.2, DIFFERS)])
def test_hybla_shall_nearly_always_send_less_than_one_percent_again(percent, agreement):
    runs = campaign(resent_percent=dict.fromkeys(CONTROLS, percent))
    assert claim(runs, "resent-hybla-below-1").agreement is agreement


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
    (found,) = downloads([download("cubic", start_mbps=20.0, mbps=100.0)])["cubic"]
    assert time_to_reach_s(found, 99e6) == pytest.approx(31.0)
    assert time_to_reach_s(found, 101e6) is None


def test_a_download_of_less_than_30_seconds_leaves_the_start_up_untested():
    runs = [download(cc, seconds=20) for cc in CONTROLS for _ in range(2)]
    assert claim(runs, "start-up-throughput").agreement is NOT_TESTABLE
    assert claim(runs, "overall-throughput").agreement is DIFFERS
    assert next(drawing.name for drawing in STUDY.figures(runs)) == "throughput"


def test_the_table_of_tests_has_the_studys_numbers_and_ours_with_their_direction():
    runs = campaign(start_mbps=published_means(published.THROUGHPUT_MBPS, Phase.START_UP))
    (table,) = [t for t in STUDY.tables(runs) if t.name == "tests"]
    hybla = next(row for row in table.rows if (row["phase"], row["control"]) == ("start-up", "Hybla"))
    assert (hybla["published_t"], hybla["published_p"], hybla["published_d"]) == (74.2, "< 0.0001", 12.0)
    assert hybla["ours_t"] > 0
    assert hybla["ours_significant"] == "yes"


def baseline_runs():
    """Round trips of the published mean and deviation, normally distributed; three lost in a row."""
    rng = np.random.default_rng(597)
    runs = []
    for _ in range(4):
        rtts = rng.normal(0.5975, 0.0167, 5000)
        rtts[:3] = np.nan
        runs.append(quiet(rtts))
    return runs


def test_the_baseline_is_judged_by_all_its_echoes_together():
    found = {f.label.partition(":")[0]: f for f in claim(baseline_runs(), "baseline-round-trip").findings}
    assert found["mean"].agreement is AGREES
    assert found["standard deviation"].agreement is AGREES
    # A normal distribution of this deviation has a thicker tail up to 99 % than the study's.
    assert found["99 % up to"].measurement.percent == pytest.approx(
        100 * (597.5 + 2.326 * 16.7) / 625 - 100, abs=0.3
    )
    assert found["minimum"].agreement is DIFFERS
    losses = {f.label.partition(":")[0]: f for f in claim(baseline_runs(), "baseline-loss").findings}
    # 12 of 20 000 lost in four events of three.
    assert losses["lost packets"].measurement.percent == pytest.approx(100 * (0.06 / 0.05 - 1))
    assert losses["losses of a single packet, of all events"].agreement is DIFFERS


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
    expected = {"throughput", "round-trips", "retransmissions", "object-times", "downloads-over-time"}
    assert expected <= {figure["name"] for figure in found["figures"]}
    assert {f"over-time-{control}" for control in CONTROLS} <= {figure["name"] for figure in found["figures"]}
    assert found["echoes"][0]["sent"] == 100
    means = next(table for table in found["study"]["tables"] if table["name"] == "means")
    overall = [row for row in means["rows"] if row["phase"] == "overall"]
    assert all(math.isfinite(row["ours_throughput_mbps"]) and row["n"] == 2 for row in overall)
