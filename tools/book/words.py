"""Counts the prose of the documentation: all words but those of code and of data in tables.

`python -m tools.book.words` lists the pages; a test holds the sum below BAR. A cell of a table is data when
it is short, such as a number with its interval, a name or a key: that is looked up and not read. A longer
one is a sentence, and counts, unless the table is one that a tool writes between marks (`tools/block.py`).
"""

import re
from pathlib import Path

from tools.book.markdown import parsed, plain
from tools.book.staging import ROOT

BAR = 40_000
DATA_WORDS = 12
"""A cell of a table with no more words is data."""
MARK = re.compile(r"<!-- (/?)\S+ -->")


def words(text: str) -> int:
    """Return how many words of a page are prose."""
    count = 0
    in_table = is_generated = False
    for token in parsed(text):
        mark = MARK.fullmatch(token.content.strip()) if token.type == "html_block" else None
        if mark:
            is_generated = not mark[1]
        elif token.type in ("table_open", "table_close"):
            in_table = token.type == "table_open"
        elif token.type == "inline":
            here = sum(any(letter.isalnum() for letter in word) for word in plain(token).split())
            count += 0 if in_table and (is_generated or here <= DATA_WORDS) else here
    return count


def pages() -> dict[Path, int]:
    """Return the count of each page of docs/, the longest first."""
    counts = {path.relative_to(ROOT): words(path.read_text()) for path in (ROOT / "docs").rglob("*.md")}
    return dict(sorted(counts.items(), key=lambda item: -item[1]))


def main() -> None:
    """Print the pages with their counts, and the sum."""
    counts = pages()
    for path, count in counts.items():
        print(f"{count:7} {path}")
    print(f"{sum(counts.values()):7} of at most {BAR}")


if __name__ == "__main__":
    main()
