"""What HTML, CSS and JavaScript name of other files, as far as it can be read without running them.

Nothing is decided on here that takes a screen: of several files for one purpose the first is taken.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from html.parser import HTMLParser

LOADED_LINKS = ("stylesheet", "preload", "modulepreload")
"""Relations of `<link>` whose target is part of the load (HTML, section 4.6.7)."""
SCRIPT_TYPES = ("", "module", "text/javascript", "application/javascript", "text/ecmascript")
"""Of `<script>`; others are data."""
INERT = ("template", "noscript")
"""Elements whose content is not loaded where scripts run."""

MOST_UNENDED = 20
"""Tags and comments of a document that start and do not end: each is searched for its end to the end of the
text. Documents have a handful at most."""

# All quantifiers are possessive: what follows can never start with what they have taken.
FONT_FACE = re.compile(r"@font-face\s*+\{([^}]*+)\}", re.IGNORECASE)
URL_START = re.compile(r"url\(\s*+", re.IGNORECASE)
URL_REST = re.compile(r"(\"[^\"\n]*+\"|'[^'\n]*+'|[^)\"'\s]*+)\s*+\)")
UNQUOTED = re.compile(r"[^)\"'\s]*+")
CSS_IMPORT = re.compile(r"@import\s*+(\"[^\"\n]*+\"|'[^'\n]*+')", re.IGNORECASE)
JS_IMPORT = re.compile(r"\b(?:from|import)\s*+\(?+\s*+(\"\.{0,2}/[^\"\n]*+\"|'\.{0,2}/[^'\n]*+')")
JS_FETCH = re.compile(r"\b(?:fetch|importScripts|Worker)\s*+\(\s*+(\"[^\"\n]*+\"|'[^'\n]*+')")


@dataclass(frozen=True, kw_only=True)
class Reference:
    """A choice of URLs, of which the first that is there is loaded.

    Attributes
    ----------
    urls : tuple of str
        As written.
    of_document : bool
        Whether they are relative to the document, wherever they stand.
    """

    urls: tuple[str, ...]
    of_document: bool = False


@dataclass(frozen=True, kw_only=True)
class HtmlReferences:
    """What an HTML document names.

    Attributes
    ----------
    base : str or None
        What its URLs are relative to, if not to itself.
    references : tuple of Reference
        In document order.
    """

    base: str | None
    references: tuple[Reference, ...]


def in_html(text: str) -> HtmlReferences:
    """Return what an HTML document names.

    Raises
    ------
    ValueError
        When it cannot be taken apart.
    """
    parser = _Parser()
    try:
        _read(parser, text)
    except AssertionError as error:
        # What the standard library says of declarations that it does not know.
        raise ValueError(str(error)) from None
    return HtmlReferences(base=parser.base, references=tuple(parser.found))


def in_css(text: str) -> list[Reference]:
    """Return what a style sheet names: imports, one file for each font, images of all rules."""
    text = _without_comments(text)
    found = [Reference(urls=(_unquoted(match),)) for match in CSS_IMPORT.findall(text)]
    # Behind the last brace no block ends, and none need be searched for its end.
    end = text.rfind("}") + 1
    blocks = text[:end]
    for block in FONT_FACE.findall(blocks):
        found.append(Reference(urls=tuple(map(_unquoted, _css_urls(block)))))
    rules = FONT_FACE.sub(" ", blocks) + text[end:]
    found += [Reference(urls=(_unquoted(match),)) for match in _css_urls(rules)]
    return [reference for reference in found if any(reference.urls)]


def in_script(text: str) -> list[Reference]:
    """Return what a script names as a whole: imported modules, fetched files, workers."""
    text = _without_comments(text)
    found = [Reference(urls=(_unquoted(match),)) for match in JS_IMPORT.findall(text)]
    found += [Reference(urls=(_unquoted(match),), of_document=True) for match in JS_FETCH.findall(text)]
    return found


def _read(parser: "_Parser", text: str) -> None:
    """Have a document read, and behind a tag or a comment that does not end go on, as `html.parser` does.

    Its own `close` does so too, but in many versions of Python without a bound, in time as the square of the
    text.

    Raises
    ------
    ValueError
        When too many of them do not end.
    """
    for _ in range(MOST_UNENDED + 1):
        parser.feed(text)
        rest, parser.rawdata = parser.rawdata, ""
        if parser.cdata_elem is not None or not rest.startswith("<"):
            return
        behind = rest.find(">") + 1 or rest.find("<", 1)
        if behind < 1:
            return
        text = rest[behind:]
    raise ValueError(f"more than {MOST_UNENDED} tags and comments that do not end")


def _without_comments(text: str) -> str:
    """Return CSS or JavaScript with a blank for each comment; what does not end is none."""
    kept, at = [], 0
    while (start := text.find("/*", at)) >= 0 and (end := text.find("*/", start + 2)) >= 0:
        kept.append(text[at:start])
        at = end + 2
    return " ".join([*kept, text[at:]])


def _css_urls(css: str) -> Iterator[str]:
    """Yield what stands in `url()`, with its quotes if it has any."""
    at = 0
    while (start := URL_START.search(css, at)) is not None:
        if (whole := URL_REST.match(css, start.end())) is not None:
            yield whole[1]
            at = whole.end()
        elif (text := UNQUOTED.match(css, start.end())) is not None:
            # One that starts in this text ends where this does, in vain; unless the text ends with its start.
            at = max(start.end(), text.end() - len("url("))


class _Parser(HTMLParser):
    """Collects references in document order."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.base: str | None = None
        self.found: list[Reference] = []
        self._inert = 0
        self._picture: str | None = None
        self._within: Callable[[str], Sequence[Reference]] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        # Of an attribute that is there twice the first counts (HTML, section 13.2.5.33).
        values = {name: (value or "").strip() for name, value in reversed(attrs)}
        if tag in INERT:
            self._inert += 1
        if self._inert:
            return
        if tag == "picture":
            self._picture = ""
        self._add(self._urls(tag, values))
        if "style" in values:
            self.found += in_css(values["style"])
        if tag == "style":
            self._within = in_css
        elif tag == "script" and "src" not in values and _is_script(values):
            self._within = in_script
        elif tag == "base" and self.base is None and "href" in values:
            self.base = values["href"]

    def handle_endtag(self, tag: str) -> None:
        if tag in INERT:
            self._inert = max(self._inert - 1, 0)
        elif tag == "picture":
            self._picture = None
        elif tag in ("style", "script"):
            self._within = None

    def handle_data(self, data: str) -> None:
        if self._within is not None and not self._inert:
            self.found += self._within(data)

    def _add(self, url: str | None) -> None:
        if url:
            self.found.append(Reference(urls=(url,)))

    def _urls(self, tag: str, values: dict[str, str]) -> str | None:
        """Return the URL that an element loads."""
        match tag:
            case "link":
                is_loaded = any(word in LOADED_LINKS for word in values.get("rel", "").lower().split())
                return values.get("href") if is_loaded else None
            case "script":
                return values.get("src") if _is_script(values) else None
            case "source":
                if self._picture == "" and "media" not in values:
                    self._picture = _first_candidate(values.get("srcset", ""))
                return None
            case "img":
                chosen, self._picture = self._picture, None
                return chosen or values.get("src") or _first_candidate(values.get("srcset", ""))
            case "iframe" | "embed":
                return values.get("src")
            case "input":
                return values.get("src") if values.get("type", "").lower() == "image" else None
            case "object":
                return values.get("data")
            case "video":
                return values.get("poster")
            case _:
                return None


def _is_script(values: dict[str, str]) -> bool:
    return values.get("type", "").lower() in SCRIPT_TYPES and "nomodule" not in values


def _first_candidate(srcset: str) -> str:
    words = srcset.replace(",", " ").split()
    return words[0] if words else ""


def _unquoted(text: str) -> str:
    return text.strip("\"'")
