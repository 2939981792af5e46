"""Rules for single files."""

import re
from pathlib import Path

import pytest

from tests.tidy.project import ROOT, files, relative
from tools.generate_model import NOTICE

LIMIT_LINES = 600
# Split, so that this file keeps its own rule.
UNFINISHED = re.compile("|".join(rf"\b{a}{b}\b" for a, b in [("TO", "DO"), ("FIX", "ME"), ("XX", "X")]))
HOME_FOLDER = re.compile(r"(?<![\w.])/(?:home|root|Users)/\w")


def lines_without_tests(path: Path) -> int:
    """Count lines; in Rust those before the unit tests."""
    return path.read_text().partition("\n#[cfg(test)]\nmod ")[0].count("\n")


def test_no_source_file_is_longer_than_the_limit() -> None:
    sources = [path for path in files(".rs", ".py", ".sh") if "tests" not in path.relative_to(ROOT).parts]
    sources = [path for path in sources if f"\n{NOTICE}\n" not in path.read_text()]
    assert sources
    assert relative([path for path in sources if lines_without_tests(path) > LIMIT_LINES]) == []


@pytest.mark.parametrize("pattern", [UNFINISHED, HOME_FOLDER], ids=["unfinished-work", "home-folder"])
def test_no_file_holds(pattern: re.Pattern[str]) -> None:
    texts = files(".rs", ".py", ".sh", ".toml", ".md", ".html", ".yaml", ".yml", ".patch", "")
    assert relative([path for path in texts if pattern.search(path.read_text())]) == []


def test_each_rust_file_says_at_its_head_what_it_is_about() -> None:
    sources = [path for path in files(".rs") if path.is_relative_to(ROOT / "crates")]
    assert sources and relative([path for path in sources if not path.read_text().startswith("//!")]) == []
