"""Words that docs/glossary.md has replaced stay replaced."""

import re

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
    known = {GLOSSARY, ROOT / "CHANGELOG.md"}
    texts = [path for suffix in (".rs", ".py", ".md") for path in files(suffix) if path not in known]
    # A comment may be broken anywhere.
    using = [path for path in texts if words.search(re.sub(r"\s*\n\s*(?:///?!?|#)?\s*", " ", path.read_text()))]
    assert relative(using) == []
