"""The examples in scenarios/: each loads, and the shortest is measured where the machine can emulate."""

import re
import time
from pathlib import Path

import pytest

from bentpipe.engine import emulate
from bentpipe.ledger import Ledger
from bentpipe.scenario import Extent, load

FOLDER = Path(__file__).parents[2] / "scenarios"
EXAMPLES = sorted(FOLDER.glob("*.toml"))
SHORTEST = FOLDER / "ping-baseline.toml"
LIMIT_S = 30


def name_of(path):
    return path.stem


def test_there_are_examples_of_each_workload():
    kinds = {cell.spec["workload"]["kind"] for path in EXAMPLES for cell in load(path).cells}
    assert kinds == {"page-load", "bulk", "flows", "ping"}


@pytest.mark.parametrize("path", EXAMPLES, ids=name_of)
def test_an_example_loads_and_its_results_get_a_folder_of_its_name(path):
    assert load(path).name == path.stem


@pytest.mark.parametrize("path", EXAMPLES, ids=name_of)
def test_the_quick_version_of_an_example_has_as_many_runs_as_its_comment_says(path):
    quick = load(path, extent=Extent.QUICK)
    stated = re.search(r"^# --quick: (\w+) runs?\b", path.read_text(), re.MULTILINE)
    assert int(stated[1].replace("one", "1")) == len(quick.cells) * quick.repetitions


@pytest.mark.root
@pytest.mark.skipif(bool(emulate.missing()), reason="this machine cannot emulate")
def test_the_shortest_example_is_measured_and_reported(bentpipe, tmp_path):
    started_s = time.monotonic()
    bentpipe("run", SHORTEST, "--quick", "--jobs", 1, "--out", tmp_path)
    assert time.monotonic() - started_s < LIMIT_S
    with Ledger(tmp_path) as ledger:
        (entry,) = ledger.best()
        rtt_min_s = entry.record.metrics.rtt_min_s
    # The preset's propagation, 48 B of IP at 10 Mbit/s in each direction, and at most 1 ms for the host.
    least_s = 1.08e-3 + 2 * 48 * 8 / 10e6
    assert least_s <= rtt_min_s < least_s + 1e-3
    assert (tmp_path / "report.html").is_file()
