"""Icons of a page for a window's title, which are no part of its load."""

from collections.abc import Sequence
from html.parser import HTMLParser
from urllib.parse import urldefrag, urljoin

_GUESSED = "/favicon.ico"
"""Asked for where a document declares none (HTML standard, section 4.6.7.8)."""

_RELATION = "icon"


def of(document: str, html: str) -> list[str]:
    """Return the URLs of a document's icons: those that it declares, and the one that is asked for without.

    Parameters
    ----------
    document
        URL of the document.
    html
        Its text.
    """
    parser = _Icons()
    parser.feed(html)
    base = urljoin(document, parser.base)
    declared = (urldefrag(urljoin(base, href)).url for href in parser.references)
    return list(dict.fromkeys([urljoin(document, _GUESSED), *declared]))


class _Icons(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.base = ""
        self.references: list[str] = []

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        href = (attributes.get("href") or "").strip()
        if tag == "base":
            # The first alone counts.
            self.base = self.base or href
        elif tag == "link" and href and _RELATION in (attributes.get("rel") or "").lower().split():
            self.references.append(href)
