"""Markdown as the generated pages have it."""

import re
from collections.abc import Iterable, Sequence

from markdown_it import MarkdownIt
from markdown_it.token import Token

from tools.block import row


def parsed(text: str) -> list[Token]:
    """Return the tokens of a text with tables, as CommonMark and GitHub read it."""
    return MarkdownIt("commonmark").enable("table").parse(text)


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table; a line break or a bar within a cell does not end it."""
    lines = [columns, ["---"] * len(columns), *rows]
    return "".join(f"{row(*(' '.join(cell.split()) for cell in line))}\n" for line in lines)


def slug(heading: str) -> str:
    """Return the anchor of a heading as GitHub and the site write it."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def plain(inline: Token) -> str:
    """Return the words of inline text, without links, code marks or emphasis."""
    children = inline.children or ()
    return "".join(" " if child.type == "softbreak" else child.content for child in children)
