"""`bentpipe export` for other programs, of real runs in virtual time."""

import csv
import gzip
import json

import numpy as np
import pyarrow.csv
import pyarrow.ipc
import pyarrow.parquet
import pytest

from bentpipe.api import frames
from bentpipe.ledger import Ledger

LINK = "flat:down=10Mbit/s,up=2Mbit/s,rtt=600ms"
MARKING = """
repetitions = 1

[run]
link.base = "flat:down=10Mbit/s,up=10Mbit/s,rtt=30ms"
link.forward.queue = { limit = "1 MB", aqm = "dualpi2" }
bulk = { duration = "3 s", flows = ["quic:cubic", "quic:prague"] }
"""
UNDER_LOAD = ("min_s", "p50_s", "p99_s")


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """Folders of results by their workload."""
    from tests.cli.conftest import Shell

    folder = tmp_path_factory.mktemp("formats")
    workloads = {
        "flow": 'bulk = { duration = "10 s" }',
        "flows": 'bulk = { duration = "10 s", flows = ["cubic", "quic:bbr"] }',
        "pings": "ping = { count = 10 }",
        "page": 'page = "single-100k"\nhttp = "h2"',
    }
    for name, workload in workloads.items():
        (folder / f"{name}.toml").write_text(f'repetitions = 1\n[run]\nlink = "{LINK}"\n{workload}\n')
        Shell()("run", folder / f"{name}.toml", "--engine", "simulate", "--out", folder / name)
    return folder


def flent(bentpipe, folder, out):
    (path,) = bentpipe.json("export", folder, "--format", "flent", "--out", out, "--json")
    return json.loads(gzip.decompress(out.joinpath(path).read_bytes()))


def test_a_flow_is_a_download_of_flent_with_the_senders_rtt(bentpipe, folders, tmp_path):
    document = flent(bentpipe, folders / "flow", tmp_path)
    assert (document["version"], document["metadata"]["NAME"]) == (4, "tcp_download")
    assert set(document["results"]) == set(document["raw_values"]) == {
        "TCP download", "TCP download::tcp_rtt", "TCP download::tcp_cwnd",
    }  # fmt: skip
    assert {len(values) for values in document["results"].values()} == {len(document["x_values"])}
    assert np.diff(document["x_values"]) == pytest.approx(document["metadata"]["STEP_SIZE"])
    rates = [each["val"] for each in document["raw_values"]["TCP download"]]
    with Ledger(folders / "flow") as ledger:
        (entry,) = ledger.best()
    # Mbit/s over tenths of a second, which add up to the payload.
    assert sum(rates) * 1e6 / 8 / 10 == pytest.approx(entry.metrics["payload_bytes"])
    told = [value for value in document["results"]["TCP download"] if value is not None]
    assert min(rates) <= min(told) < max(told) <= max(rates)
    rtts = [each["val"] for each in document["raw_values"]["TCP download::tcp_rtt"]]
    assert min(rtts) >= 600


def test_several_flows_are_told_apart_by_their_number_and_transport(bentpipe, folders, tmp_path):
    results = flent(bentpipe, folders / "flows", tmp_path)["results"]
    assert {"TCP download::1", "QUIC download::2", "QUIC download::2::tcp_rtt"} <= set(results)


def test_pings_are_a_series_in_milliseconds(bentpipe, folders, tmp_path):
    document = flent(bentpipe, folders / "pings", tmp_path)
    assert document["metadata"]["NAME"] == "ping"
    values = [each["val"] for each in document["raw_values"]["Ping (ms) UDP"]]
    assert len(values) == 10
    # 600 ms and what 48 B take at both rates.
    assert values == pytest.approx([600.2304] * 10)


def test_the_same_results_are_the_same_file(bentpipe, folders, tmp_path):
    first, second = (
        bentpipe.json("export", folders / "flow", "--format", "flent", "--out", tmp_path / name, "--json")
        for name in ("a", "b")
    )
    assert (tmp_path / "a" / first[0]).read_bytes() == (tmp_path / "b" / second[0]).read_bytes()


@pytest.mark.parametrize(("kind", "name"), [("flent", "page"), ("crux", "page")])
def test_results_that_a_format_has_no_words_for_are_refused(bentpipe, folders, tmp_path, kind, name):
    said = bentpipe("export", folders / name, "--format", kind, "--out", tmp_path / "out", expect=2)
    assert f"{folders / name} has no " in said.stderr


def test_openmetrics_is_one_text_of_all_runs(bentpipe, folders, tmp_path):
    bentpipe("export", folders / "page", "--format", "openmetrics", "--out", tmp_path)
    text = (tmp_path / "runs.openmetrics").read_text()
    with Ledger(folders / "page") as ledger:
        (entry,) = ledger.best()
    (line,) = (line for line in text.splitlines() if line.startswith("bentpipe_plt_seconds{"))
    assert f'run_id="{entry.run_id}"' in line and 'http="h2"' in line
    assert float(line.rpartition(" ")[2]) == entry.metrics["plt_s"]


@pytest.fixture(scope="module")
def marking(tmp_path_factory):
    """Results of flows before a queue that marks, whose records have round trips under load."""
    from tests.cli.conftest import Shell

    folder = tmp_path_factory.mktemp("marking")
    (folder / "marking.toml").write_text(MARKING)
    Shell()("run", folder / "marking.toml", "--engine", "simulate", "--out", folder / "results")
    return folder / "results"


def under_load(rows):
    return [tuple(float(row[f"rtt_{name}"]) for name in UNDER_LOAD) for row in rows]


@pytest.mark.parametrize("kind", ["csv", "parquet", "arrow"])
def test_round_trips_under_load_are_columns_of_the_flows(bentpipe, marking, tmp_path, kind):
    bentpipe("export", marking, "--format", kind, "--out", tmp_path / "out")
    read = {
        "csv": pyarrow.csv.read_csv,
        "parquet": pyarrow.parquet.read_table,
        "arrow": lambda path: pyarrow.ipc.open_file(path).read_all(),
    }
    table = read[kind](tmp_path / "out" / f"flows.{kind}")
    assert "rtt_under_load" not in table.column_names
    with Ledger(marking) as ledger:
        (entry,) = ledger.best()
        recorded = [flow.rtt_under_load for flow in entry.record.flows]
        frame = frames.flows([entry])
    assert under_load(table.to_pylist()) == [(rtt.min_s, rtt.p50_s, rtt.p99_s) for rtt in recorded]
    # The report and Python have the same columns.
    with (marking / "flows.csv").open(newline="") as file:
        assert under_load(csv.DictReader(file)) == under_load(table.to_pylist())
    assert under_load(frame.to_dicts()) == under_load(table.to_pylist())
    assert set(frame.columns) == set(table.column_names)


def test_flows_before_no_such_queue_have_no_round_trips_under_load(bentpipe, folders, tmp_path):
    bentpipe("export", folders / "flows", "--format", "parquet", "--out", tmp_path / "out")
    rows = pyarrow.parquet.read_table(tmp_path / "out" / "flows.parquet").to_pylist()
    assert [row[f"rtt_{name}"] for row in rows for name in UNDER_LOAD] == [None] * 6


def test_arrow_files_have_the_tables_and_the_series_with_units(bentpipe, folders, tmp_path):
    written = bentpipe.json("export", folders / "flow", "--format", "arrow", "--out", tmp_path, "--json")
    names = {path.removeprefix(f"{tmp_path}/").partition("/")[0] for path in written}
    assert names == {"runs.arrow", "objects.arrow", "flows.arrow", "series"}
    (path,) = (tmp_path / "series" / "sender").iterdir()
    table = pyarrow.ipc.open_file(str(path)).read_all()
    assert table.schema.metadata[b"bentpipe:table"] == b"sender"
    assert table.schema.field("srtt_s").metadata[b"unit"] == b"s"
    with Ledger(folders / "flow") as ledger:
        (entry,) = ledger.best()
        series = ledger.series(entry.run_id, "sender")
    assert table.column("srtt_s").to_numpy() == pytest.approx(series["srtt_s"], nan_ok=True)
