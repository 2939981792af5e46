"""Tables that say what they are: units, a schema's version, and that of Bentpipe."""

import pyarrow
import pyarrow.ipc
import pyarrow.parquet
import pytest

from bentpipe import __version__
from bentpipe.export.tables import SCHEMA_VERSION, write_table
from bentpipe.stats.metrics import METRICS
from bentpipe.stats.units import unit_of

TABLE = pyarrow.table(
    {
        "run_id": ["a"],
        "attempt": [1],
        "plt_s": [2.5],
        "paint_fcp_s": [1.5],
        "http": ["h2"],
        "goodput_bps": [1e6],
    }
)


@pytest.mark.parametrize("kind", ["parquet", "arrow"])
def test_a_file_has_its_values_with_units_and_a_version(tmp_path, kind):
    path = tmp_path / f"runs.{kind}"
    write_table(path, TABLE, "runs")
    read = (
        pyarrow.parquet.read_table
        if kind == "parquet"
        else lambda path: pyarrow.ipc.open_file(path).read_all()
    )
    found = read(str(path))
    assert found.to_pylist() == TABLE.to_pylist()
    own = {key: value for key, value in found.schema.metadata.items() if key.startswith(b"bentpipe:")}
    assert own == {
        b"bentpipe:table": b"runs",
        b"bentpipe:schema_version": str(SCHEMA_VERSION).encode(),
        b"bentpipe:version": __version__.encode(),
    }
    metadata = {
        field.name: {key: value for key, value in (field.metadata or {}).items() if key in (b"unit", b"crux")}
        for field in found.schema
    }
    assert metadata == {
        "run_id": {},
        "attempt": {},
        "plt_s": {b"unit": b"s"},
        "paint_fcp_s": {b"unit": b"s", b"crux": b"first_contentful_paint"},
        "http": {},
        "goodput_bps": {b"unit": b"bit/s"},
    }


@pytest.mark.parametrize(
    ("name", "unit"),
    [
        ("forward_queue_bytes", "B"),
        ("queue_mean_bytes_down", "B"),
        ("overhead_percent", "%"),
        ("retransmitted_packets", "1"),
        ("utilisation", "1"),
        ("elevation_deg", "deg"),
        ("client_port", None),
    ],
)
def test_a_name_has_its_unit_in_it(name, unit):
    assert unit_of(name) == unit


def test_every_metric_has_one():
    assert {unit_of(metric) for metric in METRICS} == {"s", "bit/s", "B", "%", "1"}
