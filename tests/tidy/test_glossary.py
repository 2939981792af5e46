"""Words that docs/glossary.md has replaced stay replaced."""

import re
from pathlib import Path

from tests.tidy.project import ROOT, files, relative

GLOSSARY = ROOT / "docs/glossary.md"


def replaced() -> list[str]:
    """Return the words in bold of the glossary's tables."""
    rows = [line for line in GLOSSARY.read_text().splitlines() if line.startswith("|")]
    return [word for row in rows for word in re.findall(r"\*\*([^*]+)\*\*", row)]


def test_the_glossary_names_words_that_are_not_to_be_used() -> None:
    assert {"waiting room", "sent again"} < set(replaced())


def test_no_code_and_no_document_uses_a_word_that_the_glossary_replaced() -> None:
    words = re.compile("|".join(rf"\b{word}" for word in replaced()), re.IGNORECASE)
    known = {GLOSSARY, ROOT / "CHANGELOG.md", Path(__file__)}
    texts = [path for suffix in (".rs", ".py", ".md") for path in files(suffix) if path not in known]
    assert relative([path for path in texts if words.search(unbroken(path.read_text()))]) == []


def unbroken(text: str) -> str:
    """Return a text with its lines joined, for a comment may be broken anywhere."""
    return re.sub(r"\s*\n\s*(?://[/!]?|#)?\s*", " ", text)
