"""Results of checks as they are kept, and as docs/third-party.md shows them."""

from pathlib import Path

import pytest

from tools.third_party import kept, page
from tools.third_party.check import Case, Check, Outcome, Result
from tools.third_party.checks import CHECKS

RESULT = Result(
    versions={"their program": "1.2"},
    cases=[
        Case.judged("one part", "a case", None),
        Case.judged("one part", "another", "expected 1, found 2"),
        Case.known("one part", "one more", "as RFC 0 has it"),
        Case.skipped("other part", "a third", "there is none"),
        Case.skipped("other part", "a fourth", "there is none"),
    ],
)


def check(result):
    return Check(name="them", title="Against them", about="What is compared.", run=lambda: result)


def test_a_result_is_read_as_it_was_written(tmp_path, monkeypatch):
    monkeypatch.setattr(kept, "FOLDER", tmp_path)
    kept.keep("them", RESULT)
    assert kept.kept("them") == RESULT
    assert kept.kept("others") is None


def test_a_check_holds_when_something_passed_and_nothing_failed():
    passed, failed, known, skipped, _ = RESULT.cases
    assert Result(versions={}, cases=[passed, known, skipped]).holds
    assert not Result(versions={}, cases=[passed, failed]).holds
    assert not Result(versions={}, cases=[skipped]).holds


def test_the_page_counts_cases_and_says_why_some_failed_or_were_skipped():
    text = page.text([(check(RESULT), RESULT), (check(RESULT), None)])
    assert "| Against them | their program 1.2 | 5 | 1 | 1 | 1 | 2 | **no** |" in text
    assert "| one part | another | expected 1, found 2 |" in text
    assert "| one part | one more | as RFC 0 has it |" in text
    assert "| other part | a third; a fourth | there is none |" in text
    assert "not run yet" in text


def test_the_page_in_the_project_is_that_of_the_results_in_the_project():
    written = Path(__file__).parents[2] / "docs/third-party.md"
    assert written.read_text() == page.text([(check, kept.kept(check.name)) for check in CHECKS])


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.name)
def test_no_check_in_the_project_has_a_case_that_failed(check):
    result = kept.kept(check.name)
    assert result is not None and result.holds
    assert result.counts()[Outcome.FAILED] == 0
