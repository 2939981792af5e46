"""docs/guide/scenarios.md: its examples load; every key is in the generated reference (tests/book)."""

import re
from pathlib import Path

import pytest

from bentpipe.scenario import Extent, load
from bentpipe.scenario.links import link

GUIDE = (Path(__file__).parents[2] / "docs" / "guide" / "scenarios.md").read_text()
EXAMPLES = re.findall(r"^```toml\n(.*?)^```", GUIDE, re.MULTILINE | re.DOTALL)
SCENARIOS = [text for text in EXAMPLES if "[run]" in text]
LINKS = [text for text in EXAMPLES if "[run]" not in text]


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
