"""Tables are written so that the standard library reads them as they were."""

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bentpipe.scenario.written.dotted import flattened
from bentpipe.scenario.written.toml_text import toml_text, toml_value
from bentpipe.studies import get, names
from tests.tidy.project import ROOT

SCENARIOS = [*sorted((ROOT / "scenarios").glob("*.toml")), *(get(name).scenario for name in names())]
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
SCALARS = st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False) | TEXTS
# A dot in a key parts tables.
KEYS = TEXTS.filter(lambda key: "." not in key)
VALUES = st.recursive(
    SCALARS,
    lambda below: st.lists(below, max_size=3) | st.dictionaries(KEYS, below, min_size=1, max_size=3),
    max_leaves=8,
)


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_each_scenario_is_written_as_it_was_read(path):
    table = tomllib.loads(path.read_text())
    assert tomllib.loads(toml_text(table)) == table


@given(st.dictionaries(KEYS, VALUES, max_size=4))
def test_any_table_is_read_as_it_was_written(table):
    assert tomllib.loads(toml_text(table)) == table


def test_dotted_keys_are_tables_when_read_again():
    table = {"matrix": {"link.forward.loss.p": [0, 0.1], "http": ["h1"]}}
    read = tomllib.loads(toml_text(table))
    assert flattened(read["matrix"]) == table["matrix"]


def test_a_scenario_is_written_for_people():
    text = toml_text({"repetitions": 2, "run": {"tcp": {"initial_window": 3}}, "matrix": [{"cc": ["bbr"]}]})
    assert text == 'repetitions = 2\n\n[run]\ntcp.initial_window = 3\n\n[[matrix]]\ncc = ["bbr"]\n'


def test_what_toml_has_not_is_refused():
    with pytest.raises(TypeError, match="TOML has no NoneType"):
        toml_value(None)
