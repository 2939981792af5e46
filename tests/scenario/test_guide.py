"""docs/guide/scenarios.md shows both kinds of file; tests/book reads those of every document."""

import re

from tests.book import snippets
from tests.tidy.project import ROOT


def test_the_guide_shows_both_kinds_of_example():
    shown = snippets.tables(ROOT / "docs/guide/scenarios.md")
    scenarios = [text for text in shown if re.search(r"^\[run\]", text, re.MULTILINE)]
    assert (len(scenarios), len(shown) - len(scenarios)) == (9, 2)
