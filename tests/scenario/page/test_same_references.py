"""What is read of HTML, CSS, scripts, hosts and paths is what the plainest rules find, which take long.

The rules here are those that the package once had. Its own find the same in time as the length of the text.
"""

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bentpipe.scenario.page import references
from bentpipe.scenario.page.names import LONGEST_PATH, authority, file_paths, host_name
from bentpipe.scenario.page.references import in_css, in_html, in_script

COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
FONT_FACE = re.compile(r"@font-face\s*\{([^}]*)\}", re.IGNORECASE)
CSS_URL = re.compile(r"url\(\s*(\"[^\"\n]*\"|'[^'\n]*'|[^)\"'\s]*)\s*\)", re.IGNORECASE)
CSS_IMPORT = re.compile(r"@import\s*(\"[^\"\n]*\"|'[^'\n]*')", re.IGNORECASE)
JS_IMPORT = re.compile(r"\b(?:from|import)\s*\(?\s*(\"\.{0,2}/[^\"\n]*\"|'\.{0,2}/[^'\n]*')")
JS_FETCH = re.compile(r"\b(?:fetch|importScripts|Worker)\s*\(\s*(\"[^\"\n]*\"|'[^'\n]*')")


def unquoted(texts):
    return tuple(text.strip("\"'") for text in texts)


def urls_in_css(text):
    text = COMMENT.sub(" ", text)
    found = [(url,) for url in unquoted(CSS_IMPORT.findall(text))]
    found += [unquoted(CSS_URL.findall(block)) for block in FONT_FACE.findall(text)]
    found += [(url,) for url in unquoted(CSS_URL.findall(FONT_FACE.sub(" ", text)))]
    return [urls for urls in found if any(urls)]


def urls_in_script(text):
    text = COMMENT.sub(" ", text)
    return [*unquoted(JS_IMPORT.findall(text)), *unquoted(JS_FETCH.findall(text))]


def parsed(text, read):
    parser = references._Parser()
    try:
        read(parser, text)
    except AssertionError as error:
        return str(error)
    return parser.base, parser.found


def read_by_the_library(parser, text):
    parser.feed(text)
    parser.close()


GOES_ON = parsed("<!-- ><img src=x>", read_by_the_library)[1] != []
"""Whether this Python's goes on behind what does not end; later ones leave out the rest."""


def text_of(*words):
    return st.lists(st.one_of(st.sampled_from(words), st.characters()), max_size=14).map("".join)


CSS = text_of(
    *("/*", "*/", "/", "url(", "URL(", "(", ")", '"', "'", " ", "\n", "x", "@font-face", "{", "}", "@import"),
    *("\\", "import", "from", "fetch", "Worker", "./x", "../y", "/z", "."),
)
MARKUP = (
    "<a |<img src=x>|<img src='x' |<|/|>|</|<!--|-->|<!|<?|<![cdata[|<![if|]>|]]>|<![endif]-->|<script>"
    "|</script>|<style>|</style>|url(b)|import './c'|\"|'|=|&amp|&| |<base href=b>|<template>|</template>"
    "|<!doctype|<script/>"
)
HTML = text_of(*MARKUP.split("|"))


@given(CSS)
@example("url(url('a')")
@example("url(url( a)")
@example("url(url(a b url(c)")
@example("@font-face{@font-face{url(a)}url(b)")
@example("import (  './a'")
@settings(max_examples=500)
def test_css_and_scripts_name_the_same(text):
    assert [reference.urls for reference in in_css(text)] == urls_in_css(text)
    assert [reference.urls for reference in in_script(text)] == [(url,) for url in urls_in_script(text)]


@pytest.mark.skipif(not GOES_ON, reason="html.parser of this Python leaves out what does not end")
@given(HTML)
@example("<![endif]--><img src=x>")
@example("<!--><img src=x>")
@example("<a b='<img src=x>")
@settings(max_examples=500)
def test_html_names_what_the_standard_library_finds_in_it(text):
    assert parsed(text, references._read) == parsed(text, read_by_the_library)


def test_html_with_more_that_does_not_end_than_any_page_has_is_refused():
    assert in_html("<![endif]-->" * references.MOST_UNENDED + "<img src=x>").references
    with pytest.raises(ValueError, match="more than 20 tags and comments that do not end"):
        in_html("<![endif]-->" * (references.MOST_UNENDED + 1))


@given(
    st.lists(st.sampled_from(["a" * 90, "a" * 60, "b" * 30, "/", "c", "ü", "."]), max_size=14).map("".join)
)
def test_a_path_keeps_its_last_segments_as_far_as_there_is_room(text):
    segments = [re.sub(r"[^A-Za-z0-9._~-]+", "-", part)[-80:] for part in text.split("/") if part.strip(".")]
    if not segments or text.endswith("/"):
        segments.append("index")
    segments[-1] += ".bin"
    while len("/".join(segments)) > LONGEST_PATH:
        segments.pop(0)
    assert file_paths([("h", text, "other")]) == ["/" + "/".join(segments)]


@given(st.lists(st.integers(1, 63), min_size=2, max_size=12))
def test_a_host_keeps_its_last_labels_as_far_as_there_is_room(lengths):
    labels = ["a" * length for length in lengths]
    name = host_name(".".join(labels))
    # RFC 1035 section 2.3.4.
    while len(".".join(labels)) > 253:
        labels.pop(0)
    assert name == ".".join(labels)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        # RFC 3986 section 3, and the URL Standard, section 4.4.
        ("foo://example.com:8042/over/there?name=ferret#nose", "example.com:8042"),
        ("urn:example:animal:ferret:nose", ""),
        ("//user@host?query", "user@host"),
        ("/path//not", ""),
        ("?to=http://elsewhere", ""),
        (" ht\ntp:/\t/host/", "host"),
        ("1x://host/", ""),
    ],
)
def test_the_authority_of_a_url_is_what_the_rfc_says(url, expected):
    assert authority(url) == expected
