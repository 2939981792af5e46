"""The path of a link over time as files that Bentpipe and other programs read."""

import json

import pytest

from bentpipe import _core
from bentpipe.ledger import Ledger
from bentpipe.model.link import LinkSpec
from tests.campaign.fake_engine import record
from tests.support.models import changed

ROWS = [
    {"at_ns": 0, "rate_bps": 12_032_000, "loss": 0.0, "state": "open"},
    {"at_ns": 50_000_000, "loss": 0.0, "state": "silence"},
]


def over_a_schedule(run_id, spec, attempt):
    """What a run over a link whose forward direction falls silent after 50 ms would measure."""
    del attempt
    link = json.loads(spec.link.to_json())
    link["forward"]["schedule"] = {"kind": "table", "rows": ROWS, "period_ns": None, "offset_ns": 0}
    return record(run_id, changed(spec, link=LinkSpec.model_validate(link)))


def test_a_schedule_is_written_to_the_file_and_read_back(bentpipe, tmp_path):
    path = tmp_path / "mine.csv"
    result = bentpipe("links", "geo-alshagri-flat", "--export", path)
    assert result.stdout == f"{path}\n"
    header, row = path.read_text().splitlines()
    assert header.startswith("time_s,forward_rate_bps,forward_delay_s,")
    assert row == "0,10000000,0.265,0,open,10000000,0.265,0,open"
    read = json.loads(_core.read_recording(path.read_bytes()))
    assert read["format"] == "schedule"
    assert read["forward"]["mean_bps"] == 10_000_000
    assert read["return"]["least_delay_ns"] == 265_000_000


def test_a_satellite_carrier_keeps_its_own_rate(bentpipe, tmp_path):
    bentpipe("links", "geo-alshagri", "--export", tmp_path)
    row = (tmp_path / "schedule.csv").read_text().splitlines()[1]
    assert row == "0,,0.25,0,open,,0.25,0,open"


def test_mahimahi_has_a_file_for_each_direction(bentpipe, tmp_path):
    folder = tmp_path / "traces"
    words = ("links", "geo-hylas2-flat", "--export", folder, "--format", "mahimahi", "--duration", "10 s")
    bentpipe(*words)
    counts = {path.name: len(path.read_text().splitlines()) for path in folder.iterdir()}
    # 8 Mbit/s and 512 kbit/s in packets of 1504 bytes for ten seconds: 6649.0 and 425.5.
    assert counts == {"forward.mahimahi": 6648, "return.mahimahi": 425}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("lan", "--format", "schedule"), "--format: expected --export, with which it goes, found none"),
        (("--export", "x"), "NAME: expected the link to write, before --export, found none"),
        (
            ("lan", "--export", "x", "--duration", "2 weeks"),
            "--duration: expected a duration from 1 ns to 24 h",
        ),
        (
            ("geo-hylas2-flat", "--export", "x", "--format", "mahimahi", "--duration", "1 ms"),
            "--export: expected a rate that sends 1504 bytes within the time, found less",
        ),
    ],
)
def test_a_path_that_cannot_be_written_is_bad_input(bentpipe, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    assert message in bentpipe("links", *arguments, expect=2).stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("report")
def test_each_attempt_has_the_path_that_it_had_until_its_end(bentpipe, engine, scenario_file, tmp_path):
    engine.behave = over_a_schedule
    folder = tmp_path / "results"
    bentpipe("run", scenario_file, "--out", folder)
    with Ledger(folder) as ledger:
        attempts = [f"{entry.run_id}-{entry.attempt}" for entry in ledger.entries()]
    result = bentpipe("export", folder, "--format", "mahimahi")
    assert result.stdout == f"{2 * len(attempts)} files in {folder / 'export'}\n"
    # One packet of 1504 bytes each millisecond until the silence.
    path = folder / "export" / f"{attempts[0]}-forward.mahimahi"
    assert path.read_text().split() == [str(ms) for ms in range(1, 51)]
    bentpipe("export", folder, "--format", "schedule", "--out", tmp_path / "out")
    rows = (tmp_path / "out" / f"{attempts[0]}-schedule.csv").read_text().splitlines()[1:]
    assert [row.split(",")[0:5:4] for row in rows] == [["0", "open"], ["0.05", "silence"]]


@pytest.mark.usefixtures("engine", "report")
def test_links_that_stand_still_have_no_path_to_export(bentpipe, results):
    message = bentpipe("export", results, "--format", "schedule", expect=2).stderr
    assert "has no attempt over a link that changes over time" in message
    assert not (results / "export").exists() or not list((results / "export").iterdir())


@pytest.mark.parametrize(
    ("content", "line", "expected"),
    [
        (b"1\n0\n", 2, "1 or later, as the line before"),
        (b"what?\n", 1, f"a recording in one of the formats {', '.join(_core.RECORDING_FORMATS)}"),
    ],
)
def test_a_recording_that_cannot_be_read_says_where(content, line, expected):
    with pytest.raises(_core.RecordingError) as caught:
        _core.read_recording(content)
    error = caught.value
    assert (error.file, error.line, error.expected) == ("content", line, expected)


def test_the_path_over_time_is_a_table_of_columns():
    text = b"time_s,forward_rate_bps,forward_state\n0,1000000,open\n0.1,1000000,silence\n"
    schedule = json.loads(_core.read_recording(text))["forward"]["schedule"]
    direction = {
        "capacity": {"kind": "constant", "rate_bps": 2_000_000},
        "delay_ns": 1_000_000,
        "jitter": {"kind": "none"},
        "queue": {"kind": "packets", "limit_packets": 10},
        "loss": {"kind": "none"},
    }
    link = {
        "name": "custom",
        "mtu_bytes": 1500,
        "forward": {**direction, "schedule": schedule},
        "return": direction,
    }
    series = _core.schedule_series(json.dumps(link), 1, 200_000_000)
    assert series["forward_capacity_bps"] == [1e6, 0.0]
    assert series["forward_silence_s"] == [0.0, 0.1]
    assert _core.schedule_series(json.dumps({**link, "forward": direction}), 1, 200_000_000) == {}
