"""What others wrote is read in time as its length: HTML, CSS, scripts, URLs, hosts.

The texts are the worst for regular expressions that try every place again: one megabyte of each takes those
from ten minutes to some hours. Processor time, so that a busy machine changes nothing; the bounds leave room
for a slow one. The smaller text comes first: a rule that goes wrong again fails on it within seconds.
"""

import time

import pytest

from bentpipe.errors import InputError
from bentpipe.scenario.page.folder import folder_page
from bentpipe.scenario.page.har import har_page
from bentpipe.scenario.page.names import file_paths, host_name
from bentpipe.scenario.page.references import in_css, in_html, in_script
from bentpipe.scenario.written.location import Location
from tests.support.har import HTML, entry, write

SMALL, LARGE = 60_000, 1_000_000
MOST_SMALL_S, MOST_LARGE_S = 1, 5
ACCENTS = "\u0301\u0323"
"""To put them in their order (NFKC) takes time as the square of their number."""
CHINESE = "".join(map(chr, range(0x4E00, 0x5E00)))
"""As does punycode (RFC 3492) of letters that differ."""


def repeated(text, size):
    return (text * (size // len(text) + 1))[:size]


def assert_linear(read, text_of, *, large=LARGE):
    for size, most_s in ((SMALL, MOST_SMALL_S), (large, MOST_LARGE_S)):
        text = text_of(size)
        before_s = time.process_time()
        read(text)
        assert time.process_time() - before_s < most_s, f"{size} characters"


def path(text):
    return file_paths([("www.shop.example", text, "image")])


TEXTS = {
    "comments": (in_css, lambda size: repeated("/*x", size)),
    "comments of a script": (in_script, lambda size: repeated("/*x", size)),
    "an import": (in_script, lambda size: "import" + " " * size),
    "a fetch": (in_script, lambda size: "fetch(" + " " * size),
    "url(": (in_css, lambda size: repeated("url(", size)),
    "url( and blanks": (in_css, lambda size: "url(" + " " * size + "x"),
    "url( and quotes": (in_css, lambda size: repeated("url(\"url('", size)),
    "fonts": (in_css, lambda size: repeated("@font-face{", size)),
    "url( in a font": (in_css, lambda size: "@font-face{" + repeated("url(", size) + "}"),
    "a path": (path, lambda size: repeated("/a", size)),
    "labels of a host": (host_name, lambda size: repeated("a.", size)),
    "a Chinese host": (host_name, lambda size: repeated(CHINESE, size)),
    "accents of a host": (host_name, lambda size: "a" + repeated(ACCENTS, size)),
}


@pytest.mark.parametrize("case", TEXTS)
def test_a_text_is_read_in_time_as_its_length(case):
    assert_linear(*TEXTS[case])


@pytest.mark.parametrize(
    "piece",
    ["<a ", "<a b ", '<a b=">" ', "<!--x>", "<!-->", "</", "<!", "<?", "<![cdata[>", "<script></script "],
)
def test_html_that_does_not_end_is_read_in_time_as_its_length(piece):
    def read(text):
        try:
            in_html(text)
        except ValueError as error:
            assert "do not end" in str(error)

    # A fourth: each of the tags that are gone after is read to the end.
    assert_linear(read, lambda size: repeated(piece, size), large=LARGE // 4)


PAGES = {
    "a base": lambda size: "<base href='" + "a/" * (size // 2) + "'>" + "<img src=x>" * (size // 12),
    "accents": lambda size: ("<img src='//a" + repeated(ACCENTS, 60_000) + "'>") * (size // 60_000),
    "a path": lambda size: "<img src='" + "a/" * (size // 2) + "'>",
    # A style sheet is loaded once for each query, and read once for all of them.
    "queries": lambda size: "".join(f"<link rel=stylesheet href=x.css?{n}>" for n in range(size // 250)),
}


@pytest.mark.parametrize("case", PAGES)
def test_a_folder_is_read_in_time_as_the_length_of_its_files(tmp_path, case):
    (tmp_path / "x.css").write_text("a{}" * 30_000)

    def read(text):
        (tmp_path / "index.html").write_text(text)
        try:
            folder_page(tmp_path, Location(file="test"), name="page")
        except InputError as error:
            assert error.field == "index.html"

    assert_linear(read, PAGES[case])


def test_an_entry_of_a_har_file_is_read_in_time_as_its_length_whatever_its_host(tmp_path):
    def read(url):
        path = write(tmp_path / "page.har", [entry("http://www.shop.example/", media=HTML), entry(url)])
        with pytest.raises(InputError, match=r"expected a host of at most 253 characters"):
            har_page(path, name="page")

    # URLs themselves end at 65 534 characters.
    assert_linear(read, lambda size: "http://a" + repeated(ACCENTS, min(size, SMALL)) + "/")
