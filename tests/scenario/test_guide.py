"""docs/guide/scenarios.md: its examples load, and it has every key."""

import re
from pathlib import Path

import pytest

from bentpipe.scenario import Extent, load
from bentpipe.scenario.links import link
from bentpipe.scenario.written.schema import RunTable, ScenarioTable
from bentpipe.scenario.written.table import keys, subtable

GUIDE = (Path(__file__).parents[2] / "docs" / "guide" / "scenarios.md").read_text()
EXAMPLES = re.findall(r"^```toml\n(.*?)^```", GUIDE, re.MULTILINE | re.DOTALL)
SCENARIOS = [text for text in EXAMPLES if "[run]" in text]
LINKS = [text for text in EXAMPLES if "[run]" not in text]


def all_keys(schema):
    for name, field in keys(schema).items():
        yield name
        below = subtable(field)
        if below is not None:
            yield from all_keys(below)


@pytest.mark.parametrize("text", SCENARIOS)
def test_an_example_of_a_scenario_loads(tmp_path, text):
    path = tmp_path / "example.toml"
    path.write_text(text)
    assert load(path).cells
    assert load(path, extent=Extent.QUICK).cells


@pytest.mark.parametrize("text", LINKS)
def test_an_example_of_a_link_loads(tmp_path, text):
    (tmp_path / "link.toml").write_text(text)
    assert link("link.toml", folder=tmp_path)["name"] == "my-link"


def test_the_guide_shows_both_kinds_of_example():
    assert (len(SCENARIOS), len(LINKS)) == (9, 2)


@pytest.mark.parametrize("key", sorted(set(all_keys(ScenarioTable)) | set(all_keys(RunTable))))
def test_every_key_is_in_the_guide(key):
    assert re.search(rf"`(\w+\.)*{key}(\.\w+)*`|\b{key} = ", GUIDE), key
