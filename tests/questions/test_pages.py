"""The pages of docs/questions: what they show is what is kept of their scenarios."""

import pytest

from bentpipe.scenario.load import read_scenario
from tests.tidy.project import ROOT
from tools import block
from tools.questions import answer, asked, page

NAMES = [question.name for question in asked.QUESTIONS]


@pytest.mark.parametrize("name", NAMES)
def test_a_page_shows_what_is_kept(name):
    kept = answer.kept(name, ROOT / answer.FOLDER)
    assert block.shown(ROOT / page.of(name), page.MARK) == list(page.lines(asked.of(name), kept))
    assert (ROOT / page.FOLDER / f"{name}.svg").is_file()


@pytest.mark.parametrize("name", NAMES)
def test_each_run_that_the_scenario_asks_for_is_in_the_answer(name):
    scenario = read_scenario(ROOT / answer.SCENARIOS / f"{name}.toml")
    kept = answer.kept(name, ROOT / answer.FOLDER)
    assert kept.title == scenario.table["title"]
    assert {row.n for row in kept.rows} == {scenario.table["repetitions"]}
    assert len(kept.rows) == _cells(scenario.table["matrix"])


@pytest.mark.parametrize("name", NAMES)
def test_the_first_page_of_the_questions_names_each(name):
    assert f"({name}.md)" in (ROOT / page.FOLDER / "README.md").read_text(encoding="utf-8")


def _cells(matrix):
    blocks = matrix if isinstance(matrix, list) else [matrix]
    return sum(_combinations(table) for table in blocks)


def _combinations(table):
    if isinstance(table, list):
        return len(table)
    product = 1
    for value in table.values():
        product *= _combinations(value)
    return product
