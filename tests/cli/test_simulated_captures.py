import pytest

pytestmark = pytest.mark.usefixtures("report")


def test_export_collects_what_simulated_runs_captured(bentpipe, scenario_file, tmp_path):
    folder = tmp_path / "results"
    captures = ("--set", "capture.pcapng=true", "--set", "capture.qlog=true")
    bentpipe("run", scenario_file, "--engine", "simulate", "--out", folder, *captures)
    # Two repetitions over HTTP/1.1 and over HTTP/3, whose two ends each keep a log.
    for kind, expected in (("pcapng", 4), ("qlog", 4), ("har", 4)):
        written = bentpipe.json("export", folder, "--format", kind, "--json")
        assert len(written) == expected, kind


def test_a_simulated_run_keeps_nothing_that_was_not_asked_for(bentpipe, scenario_file, tmp_path):
    folder = tmp_path / "results"
    bentpipe("run", scenario_file, "--engine", "simulate", "--out", folder)
    assert list((folder / "artifacts").glob("*/*")) == []
    assert "has no pcapng files" in bentpipe("export", folder, "--format", "pcapng", expect=2).stderr
