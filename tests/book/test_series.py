"""The page of series has the columns that simulated runs have."""

import re

import pytest

from bentpipe.engine.simulate import Simulator
from tools.book.series import SERIES
from tools.specs import spec_of

FLAT = "flat:down=5Mbit/s,up=1Mbit/s,rtt=50ms"
PING = {"ping": {"count": 3}}
CLASSES = {
    "base": "geo-snep",
    "forward": {"classes": [{"name": "voice", "dscp": ["EF"]}]},
    "return": {"classes": [{"name": "voice", "dscp": ["EF"], "mix": "vbdc"}], "dama": "vbdc"},
}
RUNS = {
    "flow": {"link": FLAT, "bulk": {"size": "100 kB"}},
    "satellite": {"link": CLASSES, **PING},
    "path": {"link": "leo-starlink", **PING},
}


@pytest.fixture(scope="module")
def columns():
    """Return by series the columns of all runs together."""
    found: dict[str, set[str]] = {}
    for run in RUNS.values():
        spec = spec_of(run, seed=1)
        record = Simulator().run(run_id="0123456789abcdef", spec=spec, artifacts=None)
        assert record.status == "succeeded", record.reasons
        for name, series in record.series.items():
            found.setdefault(name, set()).update(series)
    return found


def test_there_are_no_other_series(columns):
    assert columns.keys() == SERIES.keys()


@pytest.mark.parametrize("name", SERIES)
def test_a_series_has_the_columns_of_the_page(columns, name):
    classes = re.compile(r"(?<=_)(?:voice|other)(?=_queue_bytes)")
    assert {classes.sub("CLASS", column) for column in columns[name]} == set(SERIES[name].columns)
