"""The study's matrix, rig, tables and figures."""

import numpy as np
import pytest

from bentpipe.scenario import Clock, Extent
from bentpipe.scenario import load as load_scenario
from bentpipe.studies.caviglione2014.cells import (
    BY_SCHEME,
    H1,
    HTTP10,
    PUSHES,
    SCHEMES,
    SPDY,
    VARIANTS,
)
from bentpipe.studies.caviglione2014.figures.connections import open_connections
from tests.support.caviglione2014 import STUDY, Cell, campaign, constant, published_s, truth
from tests.support.loads import repeated
from tests.support.models import record_with


def table(runs, name):
    return next(t for t in STUDY.tables(runs) if t.name == name)


def drawing(runs, name):
    return next(d for d in STUDY.figures(runs) if d.name == name)


def planned(extent=Extent.FULL):
    return load_scenario(STUDY.scenario, extent=extent)


def test_claims_and_tables_find_their_cells_by_factors_that_the_scenario_gives():
    factors = [cell.factors for cell in planned().cells]
    wanted = [variant.forward() for variant in VARIANTS]
    wanted += [variant.back(scheme) for variant in BY_SCHEME for scheme in SCHEMES]
    wanted += [SPDY.forward(push=push) for push in PUSHES[1:]]
    for cell in wanted:
        assert sum(cell.items() <= each.items() for each in factors) == 1
    # 6 protocols, 4 protocols x 4 schemes, 4 shares of push.
    assert len(wanted) == len(factors) == 6 + 16 + 4
    assert planned().repetitions == 50


def test_browser_and_server_are_those_of_the_study():
    specs = [cell.spec for cell in planned().cells]
    assert {spec["tcp"]["idle_reset_ns"] for spec in specs} == {5_000_000_000}
    assert {"connect_retry_ns" in spec["tcp"] for spec in specs} == {False}
    assert {spec["tcp"]["initial_window"] for spec in specs} == {10}
    assert {spec["cc"] for spec in specs} == {"cubic"}
    loads = [spec["workload"] for spec in specs]
    assert {load["connections"] for load in loads if load["http"].startswith(("http10", "h1"))} == {6}
    assert {load["requests_per_connection"] for load in loads if load["http"].startswith("h1")} == {100}
    assert {load["pipelining"] for load in loads if load["http"].startswith("h1")} == {32}
    assert {1 + len(load["page"]["objects"]) for load in loads} == {642}
    assert {spec["tls"]["version"] for spec in specs if "tls" in spec} == {"1.2"}


def test_pages_come_over_the_forward_link_with_the_scheme_mixed_and_over_the_return_link_with_each():
    found = {
        (cell.spec.get("server_behind", "gateway"), cell.factors["link.return.dama"])
        for cell in planned().cells
    }
    assert found == {("gateway", "mixed"), *(("terminal", scheme) for scheme in SCHEMES)}


def test_the_schemes_share_out_the_slots_of_the_study():
    mixes = {
        cell.factors["link.return.dama"]: cell.spec["link"]["return"]["capacity"]["mix"]
        for cell in planned().cells
    }
    assert mixes["cra"]["cra"]["slots"] == 228
    mixed = mixes["mixed"]
    assert (mixed["cra"]["slots"], mixed["rbdc"]["max"]["slots"]) == (18, 105)
    assert mixed["volume"] == {"kind": "vbdc", "max_slots": 105}


def test_the_rig_has_apaches_headers_and_firefoxs_first_pipelines():
    cells = load_scenario(STUDY.scenario, clock=Clock.VIRTUAL, variations=STUDY.rig.variations).cells
    by_http = {cell.factors["http"]: cell.spec for cell in cells}
    assert by_http["h1"]["workload"]["optimistic_pipelining"] == 1
    assert {spec["tcp"]["initial_receive_window"] for spec in by_http.values()} == {10}
    headers = {http: spec["workload"]["response_header_bytes"] for http, spec in by_http.items()}
    assert headers == {"http10": 254, "http10s": 254, "h1": 291, "h1s": 291, "spdy": 291, "h2": 291}


def test_slots_of_the_size_of_a_cell_make_a_superframe_of_a_third():
    (ablation,) = (each for each in STUDY.ablations.ablations if each.name == "cell-sized-slots")
    variations = (*STUDY.rig.variations, ablation.variation)
    cell = load_scenario(STUDY.scenario, clock=Clock.VIRTUAL, variations=variations).cells[0]
    layout = cell.spec["link"]["return"]["capacity"]["layout"]
    symbols = layout["request_symbols"] + 228 * layout["burst_symbols"]
    # 228 bursts of 59 B at 1 Mbit/s, and a request.
    assert symbols / layout["symbols_per_s"] == pytest.approx(228 * 59 * 8 / 1e6, rel=0.01)


def test_every_cell_of_the_quick_version_belongs_to_the_full_one():
    names = [
        {frozenset(cell.factors.items()) for cell in planned(extent).cells}
        for extent in (Extent.QUICK, Extent.FULL)
    ]
    assert names[0] < names[1]
    assert planned(Extent.QUICK).repetitions == 2


def test_the_quick_version_takes_some_five_minutes_if_times_are_the_studys():
    setting_up_s, workers = 4.0, 2
    seconds = 0.0
    for cell in planned(Extent.QUICK).cells:
        is_forward = cell.factors["server_behind"] == "gateway"
        at = Cell(cell.factors["http"], None if is_forward else cell.factors["link.return.dama"])
        # Pipelined HTTP/1.1 does not take the 150 s that it has with VBDC in the study.
        seconds += published_s(at) if at.http == "http10" else min(30.0, published_s(at))
        seconds += setting_up_s
    assert 2 * seconds / workers < 420


def test_without_runs_nothing_is_drawn_and_tables_say_so():
    assert STUDY.figures([]) == STUDY.timelines([]) == ()
    assert all(t.conclusion.startswith("Not testable") for t in STUDY.tables([]))


def test_the_table_of_protocols_has_the_studys_numbers_beside_ours():
    rows = {row["protocol"]: row for row in table(truth(), "protocols").rows}
    spdy = rows["SPDY"]
    assert (spdy["published_data_kb"], spdy["ours_data_kb"]) == (416, pytest.approx(416.0))
    assert (spdy["published_plt_s"], spdy["ours_plt_s"]) == (9, pytest.approx(9.0))
    assert rows["HTTP/1.0"]["mean_kbps"] == pytest.approx(9.0, rel=0.01)
    assert rows["HTTP/2"]["published_plt_s"] is rows["HTTP/1.1 over TLS"]["published_plt_s"] is None
    assert rows["HTTP/1.1"]["connections"] == 12.0


def test_the_table_of_schemes_names_the_slowest_of_each():
    found = table(truth(), "schemes")
    assert "SPDY VBDC" in found.conclusion
    rows = {(row["protocol"], row["scheme"]): row for row in found.rows}
    slow = rows["SPDY", "VBDC"]
    assert (slow["published_plt_s"], slow["ours_plt_s"]) == (21, pytest.approx(21.0))
    assert (slow["published_round_trip_s"], slow["ours_round_trip_s"]) == (1.6, pytest.approx(1.6))
    # Not printed: 21 s less 10 s.
    assert rows["SPDY", "CRA"]["published_plt_s"] == 11
    assert rows["HTTP/1.0", "CRA"]["published_plt_s"] is None


def test_push_is_beside_the_load_without():
    runs = [
        run
        for share, plt_s in zip(PUSHES, (9.0, 8.8, 8.6, 8.4, 8.2), strict=True)
        for run in repeated(SPDY.forward(push=share), plt_s=plt_s)
    ]
    found = table(runs, "push")
    assert found.conclusion == "The fastest: 100 %."
    assert [row["n"] for row in found.rows] == [3] * 5


def test_there_is_a_figure_for_each_of_the_studys():
    names = [each.name for each in STUDY.figures(truth())]
    assert names == [
        "fig-2-data",
        "fig-3-connections",
        "fig-4-http10",
        "fig-5-h1",
        "fig-6-spdy",
        "fig-7-schemes",
    ]
    assert [each.name for each in STUDY.timelines(truth())] == ["over-time-h1", "over-time-spdy"]


def test_a_part_of_the_study_has_the_figures_of_that_part():
    runs = [run for run in campaign(constant(21.0)) if SPDY.back("vbdc").items() <= run.factors.items()]
    assert [each.name for each in STUDY.figures(runs)] == ["fig-7-schemes"]


def test_the_figure_of_data_has_the_published_numbers_in_its_axes():
    (axis,) = drawing(truth(), "fig-2-data").figure.axes
    points = {tuple(map(float, line.get_xydata()[0])) for line in axis.lines if len(line.get_xydata()) == 1}
    assert points == {(508.0, 0.0), (871.0, 1.0), (508.0, 2.0), (659.0, 3.0), (416.0, 4.0)}


def test_a_connection_is_open_from_its_first_packet_until_it_closes_or_the_load_ends():
    second = 1_000_000_000
    record = record_with(
        client_connections=[
            {"started_ns": 0, "closed_ns": 4 * second},
            {"started_ns": 2 * second, "closed_ns": None},
        ],
        objects=[{"request_s": 1.0, "last_byte_s": 6.0}],
    )
    instants, numbers = open_connections(record)
    assert np.array_equal(instants, [-1.0, 1.0, 3.0, 5.0])
    assert np.array_equal(numbers, [1, 2, 1, 0])


def test_the_figures_of_throughput_have_the_published_levels():
    for name, level in (("fig-4-http10", 9.0), ("fig-5-h1", 200.0), ("fig-6-spdy", 250.0)):
        first, second = drawing(truth(), name).figure.axes
        assert any(set(map(float, line.get_ydata())) == {level} for line in first.lines)
        assert not second.texts


def test_the_figure_of_schemes_has_the_published_points_at_vbdc_and_at_cra():
    (axis,) = drawing(truth(), "fig-7-schemes").figure.axes
    assert [text.get_text() for text in axis.get_yticklabels()] == list(SCHEMES.values())
    marks = {
        (float(line[0][0]), list(SCHEMES)[round(float(line[:, 1].mean()))])
        for collection in axis.collections
        for line in collection.get_segments()
        if len(set(map(float, line[:, 0]))) == 1
    }
    assert {(300.0, "vbdc"), (150.0, "vbdc"), (21.0, "vbdc"), (11.0, "cra")} <= marks
    assert HTTP10.label in drawing(truth(), "fig-7-schemes").figure.legends[0].get_texts()[0].get_text()
    assert H1.label == "HTTP/1.1"
