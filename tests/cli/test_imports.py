"""A command that makes one run imports nothing that only campaigns, reports and browsers need."""

import subprocess
import sys

import pytest

HEAVY = (
    "bokeh", "dask", "distributed", "matplotlib", "numpy", "pandas", "PIL", "polars", "pyarrow", "scipy",
    "sqlite3", "tornado", "websockets",
)  # fmt: skip
"""What takes tens of milliseconds and more to import."""

PROGRAM = f"""
import sys
from bentpipe.cli import main
main(sys.argv[1:], standalone_mode=False)
print("heavy:", *(name for name in {HEAVY!r} if name in sys.modules))
"""


def imported(*arguments):
    """Return which of `HEAVY` a command has imported when it has printed its answer."""
    command = [sys.executable, "-c", PROGRAM, *arguments, "--engine", "simulate"]
    out = subprocess.run(command, check=True, capture_output=True, text=True, timeout=60).stdout
    answer, _, heavy = out.rpartition("heavy:")
    assert "succeeded" in answer
    return heavy.split()


@pytest.mark.parametrize("link", ["geo-alshagri", "geo-alshagri-flat"])
def test_a_page_load_in_virtual_time_imports_nothing_heavy(link):
    """The former prints what frames and slots did, the latter has neither."""
    assert imported("page", "--link", link, "--http", "h3", "--page", "uniform-100k") == []


def test_a_flow_in_virtual_time_imports_nothing_heavy():
    assert imported("bulk", "--link", "geo-alshagri", "--size", "100 kB") == []


def test_pings_in_virtual_time_import_nothing_heavy():
    assert imported("ping", "--link", "geo-alshagri", "--count", "3") == []
