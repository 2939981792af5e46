"""The page of paths that change in a report."""

import json

import pytest

from bentpipe import report
from tests.support.path import path_series
from tests.support.synthetic import bulk, ping, series_of, write_folder


def with_path(entry):
    return {**series_of(entry), "path": path_series()}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    runs = [bulk(cc=cc, repetition=n) for cc in ("cubic", "bbr") for n in range(3)]
    folder = write_folder(tmp_path_factory.mktemp("paths"), runs, series=with_path)
    report.build(folder)
    return folder


def page(folder):
    return (folder / "report.html").read_text(encoding="utf-8")


def data(folder):
    return json.loads((folder / "report.json").read_text(encoding="utf-8"))


def test_cells_whose_path_changes_have_a_page_with_a_figure_each(folder):
    assert '<section id="paths">' in page(folder)
    assert 'href="#paths"' in page(folder)
    assert [each["figure"] for each in data(folder)["paths"]] == ["path-1", "path-2"]
    for number in (1, 2):
        assert page(folder).count(f'id="figure-path-{number}"') == 1
        assert (folder / f"figures/path-{number}.pdf").is_file()


def test_the_numbers_are_those_of_the_median_runs_series(folder):
    found = data(folder)["paths"][0]
    assert (found["handovers"], found["silences"]["count"], found["outages"]["count"]) == (4, 4, 0)
    assert found["silences"]["total_s"] == pytest.approx(4 * 0.13)
    assert found["forward"]["capacity_bps"]["greatest"] == pytest.approx(63e6)
    assert found["return"]["delay_s"]["least"] == pytest.approx(0.009)
    assert "36.0 to 63.0" in page(folder)


def test_runs_over_time_are_marked(folder):
    for figure in ("over-time-1", "path-1"):
        assert "handover" in (folder / f"figures/{figure}.svg").read_text(encoding="utf-8")
    assert "Dashed lines are handovers" in page(folder)


def test_pings_are_drawn_over_their_path(tmp_path):
    folder = write_folder(tmp_path, [ping()], series=with_path)
    report.build(folder)
    svg = (folder / "figures/path-1.svg").read_text(encoding="utf-8")
    assert "Round trips of pings (a tick below: lost)" in svg


def test_a_report_of_paths_that_stand_still_has_no_such_page(tmp_path):
    folder = write_folder(tmp_path, [bulk()])
    report.build(folder)
    assert 'id="paths"' not in page(folder)
    assert "Dashed lines are handovers" not in page(folder)
    assert data(folder)["paths"] == []


def test_of_many_cells_six_are_drawn_at_most_and_all_are_in_the_table(tmp_path):
    cells = [(cc, transport) for cc in ("cubic", "bbr", "reno", "hybla") for transport in ("tcp", "quic")]
    runs = [bulk(cc=cc, transport=transport) for cc, transport in cells]
    folder = write_folder(tmp_path, runs, series=with_path)
    report.build(folder)
    figures = [each["figure"] for each in data(folder)["paths"]]
    # All have one link.
    assert len(figures) == 8
    assert [name for name in figures if name] == ["path-1"]
