"""What commands say of paths that change. Words follow from the links written here."""

import pytest

from bentpipe.cli.path import duration_range, summary_lines
from bentpipe.scenario import defaults
from bentpipe.stats import path_summary
from tests.support.path import path_series

EPOCHS = """
[epochs]
period = "15 s"
phase = "12 s"
start = "2026-01-01T00:00:00Z"
start_within = "15 s"
steps = [[0, "0 ms"], [1, "5 ms"]]

[epochs.silence]
state = "lose"
median = "80 ms"
p90 = "135 ms"
least = "50 ms"
most = "300 ms"
lead = ["10 ms", "20 ms"]

[forward]
rate = "48 Mbit/s"
delay = "8 ms"
queue = "500 packets"
rate_variation = { between = 0.2, within = 0.07, step = "1 s", correlation = 0.45 }

[return]
rate = "10 Mbit/s"
delay = "8 ms"
queue = "500 packets"
"""
ROWS = """
[forward]
rate = "4 Mbit/s"
delay = "20 ms"
queue = "50 packets"

[forward.schedule]
every = "9 s"
offset = "2 s"
rows = [{ at = "0 s" }, { at = "4 s", rate = "2 Mbit/s", delay = "30 ms" }, { at = "8 s", state = "outage" }]

[return]
rate = "1 Mbit/s"
delay = "20 ms"
queue = "50 packets"
"""


@pytest.fixture(autouse=True)
def _links(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "epochs.toml").write_text(EPOCHS, encoding="utf-8")
    (tmp_path / "rows.toml").write_text(ROWS, encoding="utf-8")


def test_a_link_with_epochs_says_what_happens_at_their_edges(bentpipe):
    words = bentpipe("links", "epochs.toml").stdout
    for expected in (
        "  path    epochs of 15 s, from 12 s into every 15 s of UTC",
        "silences that lose: median 80 ms, 90th percentile 135 ms, 50 to 300 ms; ",
        "they begin 10 to 20 ms before the edge",
        "rate varies by 20 % between epochs, by 7 % within (every 1 s, correlation 0.45)",
        "an epoch adds 0 to 5 ms of delay",
        "starts at 2026-01-01 00:00:00 UTC, or up to 15 s later, by the seed",
    ):
        assert expected in words


def test_a_link_with_rows_says_how_far_they_go_and_what_they_take(bentpipe):
    words = bentpipe("links", "rows.toml").stdout
    assert (
        "  path    3 rows over 9 s, again and again, from 2 s on; 2 Mbit/s to 4 Mbit/s; one way 20 to 30 ms"
        in words
    )
    assert "losing all once, for 1 s in all" in words
    assert words.count("  path ") == 1


def test_the_help_of_an_export_tells_its_defaults(bentpipe):
    words = " ".join(bentpipe("links", "--help").stdout.split())
    assert f"[default: {defaults.EXPORTED_PATH}]" in words
    assert f"[default: {defaults.SEED}]" in words


def test_a_start_anywhere_in_a_day_is_told_in_hours(bentpipe):
    assert "or up to 24 h later, by the seed" in bentpipe("links", "leo-starlink").stdout


def test_a_recording_of_chances_says_their_size_and_mean_rate(bentpipe, tmp_path):
    # 3 chances in 4 ms: 3 x 1504 B x 8 / 4 ms.
    (tmp_path / "chances").write_text("1\n2\n4\n")
    words = bentpipe("links", "trace:chances,up=1Mbit/s,rtt=40ms").stdout
    assert "opportunities of 1504 B over 4 ms, again and again; mean 9.024 Mbit/s" in words
    # 1 s at 4 and 3 s at 2 Mbit/s.
    table = "time_s,forward_rate_bps\n0,4000000\n1,2000000\n"
    (tmp_path / "rows.csv").write_text(f"# period_s = 4\n{table}")
    words = bentpipe("links", "trace:rows.csv,up=1Mbit/s,rtt=40ms").stdout
    assert "2 Mbit/s to 4 Mbit/s; mean 2.5 Mbit/s" in words


def test_a_run_over_such_a_link_has_lines_of_its_path(bentpipe):
    words = bentpipe("bulk", "--engine", "simulate", "--link", "epochs.toml", "--duration", "16 s").stdout
    assert "  path: 1 outage of " in words
    assert ", 1 handover\n        forward " in words
    flat = "flat:down=4Mbit/s,up=1Mbit/s,rtt=40ms"
    assert "path:" not in bentpipe("bulk", "--engine", "simulate", "--link", flat, "--size", "1 MB").stdout


def test_several_silences_are_told_with_their_total_and_longest():
    lines = list(summary_lines(path_summary(path_series(elevation_deg=40.0))))
    assert lines[0] == "4 silences (0.52 s in all, longest 0.13 s), 4 handovers"
    assert lines[1].startswith("forward 36 to 63 Mbit/s (mean ")
    assert lines[1].endswith("), one way 9 to 17 ms")
    assert lines[3] == "40 degrees of elevation"


def test_a_path_without_interruptions_says_so():
    lines = list(summary_lines(path_summary(path_series(length_s=5.0))))
    assert lines == [
        "no silence, outage or handover",
        "forward 36 Mbit/s, one way 9 ms",
        "return 7.2 Mbit/s, one way 9 ms",
    ]


def test_a_range_of_durations_is_one_where_both_are_equal():
    assert duration_range(16_000_000, 26_000_000) == "16 to 26 ms"
    assert duration_range(597_000_000, 597_000_000) == "597 ms"
