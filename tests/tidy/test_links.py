"""Links between documents lead somewhere, also to a heading; `make docs` holds the same of the built site."""

import os
import re
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest

from tests.tidy.project import ROOT, documents
from tools.book import reference
from tools.book.markdown import parsed, plain, slug

DOCUMENTS = documents()
GENERATED = {ROOT / "docs" / reference.FOLDER / name for name in (*reference.PAGES, *reference.SCHEMAS)}
NAMED = re.compile(r'<a id="([^"]+)">')


def links(document: Path) -> list[str]:
    """Return the targets of links and images that are paths or anchors."""
    children = (child for token in parsed(document.read_text()) for child in token.children or ())
    found = [child.attrGet("href") or child.attrGet("src") for child in children]
    return [str(link) for link in found if link and not re.match(r"[a-z]+:", str(link))]


@cache
def anchors(document: Path) -> frozenset[str]:
    """Return what links may lead to in a document: headings and names."""
    text = document.read_text()
    tokens = parsed(text)
    pairs = pairwise(tokens)
    headings = {slug(plain(inline)) for opening, inline in pairs if opening.type == "heading_open"}
    return frozenset(headings | set(NAMED.findall(text)))


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_link_leads_somewhere(document: Path) -> None:
    broken = []
    for link in links(document):
        path, _, anchor = link.partition("#")
        target = Path(os.path.normpath(document.parent / path)) if path else document
        if target in GENERATED:
            continue
        if not target.exists() or (anchor and target.suffix == ".md" and anchor not in anchors(target)):
            broken.append(link)
    assert broken == []


def test_a_heading_has_the_anchor_that_github_gives_it() -> None:
    """Of `github-slugger`'s fixtures: lower case, spaces as hyphens each, other marks dropped."""
    assert slug("What is `tcp.fast_open`?") == "what-is-tcpfast_open"
    assert slug("a  b & c") == "a--b--c"
