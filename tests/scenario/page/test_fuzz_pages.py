"""Whatever a HAR file or a folder holds, the answer is a page that the engines can take, or an InputError."""

import json
from contextlib import suppress

from hypothesis import example, given, settings
from hypothesis import strategies as st

from bentpipe.errors import InputError
from bentpipe.scenario.page.folder import folder_page
from bentpipe.scenario.page.har import har_page
from bentpipe.scenario.page.references import in_css, in_html, in_script
from bentpipe.scenario.written.location import Location
from bentpipe.scenario.written.vocabulary import OBJECT_KIND
from tests.support.har import HTML, entry

JSON = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(),
        st.text(max_size=8),
        st.sampled_from(
            ["http://a.example/", "2026-01-31T12:00:00Z", "text/html", "0001-01-01T00:00:00+23:59"]
        ),
    ),
    lambda below: st.one_of(
        st.lists(below, max_size=3),
        st.dictionaries(
            st.sampled_from(
                ["url", "status", "content", "mimeType", "headers", "name", "value", "size", "log"]
            ),
            below,
            max_size=4,
        ),
    ),
    max_leaves=8,
)

URLS = st.one_of(
    st.text(max_size=20),
    st.sampled_from(
        [
            "http://a.example/",
            "https://b.example/x.js",
            "https://b.example/x.css#y",
            "https://[::1]/",
            "http://\ud800/",
            "https://a.example:999999/",
            "http:///",
            "data:,",
            "//",
        ]
    ),
)
MEDIA = st.sampled_from(["text/html", "text/css", "text/javascript", "image/png", "", "x"])
NUMBERS = st.one_of(st.integers(-2, 10**6), st.floats(-10, 1e12), st.sampled_from([10**400, -(10**400)]))
ENTRIES = st.builds(
    entry,
    URLS,
    start_ms=st.one_of(st.integers(-1000, 10**7), st.floats(0, 1000)),
    took_ms=NUMBERS,
    media=MEDIA,
    size=st.integers(-1, 10**6),
    status=st.sampled_from([0, 101, 200, 204, 302, 304, 404]),
    response=st.fixed_dictionaries({}, optional={"redirectURL": URLS, "headersSize": NUMBERS}),
    _initiator=st.one_of(
        JSON,
        st.fixed_dictionaries(
            {},
            optional={
                "type": st.sampled_from(["parser", "script"]),
                "url": URLS,
                "stack": st.one_of(JSON, st.builds(lambda url: {"callFrames": [{"url": url}]}, URLS)),
            },
        ),
    ),
    _transferSize=st.one_of(JSON, st.integers(-1, 10**6)),
    pageref=st.sampled_from(["page_1", "page_2", None]),
)


def assert_is_page(page):
    """What crates/web/src/page/tree.rs asks of a page, and more: causes stand before what they name."""
    json.dumps(page, allow_nan=False).encode()
    assert page["document_bytes"] >= 0
    places = [(item.get("host"), item["path"]) for item in page["objects"]]
    assert len(set(places)) == len(places)
    for position, item in enumerate(page["objects"]):
        assert item["path"].startswith("/")
        assert item["path"].isascii()
        assert 0 <= item.get("after", 0) < max(position, 1)
        assert item.get("wait_ns", 1) > 0
        assert item.get("kind", "image") in OBJECT_KIND.available
        if "after" in item and "file" not in item:
            cause = page["objects"][item["after"]].get("kind", "image")
            assert cause == "script" or (cause == "style" and "wait_ns" not in item)
            assert cause == "script" or item.get("kind", "image") in ("image", "font", "style")


@given(st.binary())
@example(b'{"log": {"entries": [{"request": {"url": "http://a.example/"}, "time": 1e999}]}}')
@example(b'{"log": {"entries": [{"request": {"url": "\\ud800:"}}]}}')
@example(b"\xef\xbb\xbf[]")
@settings(max_examples=200)
def test_any_bytes_are_a_page_or_bad_input(tmp_path_factory, content):
    path = tmp_path_factory.getbasetemp() / "page.har"
    path.write_bytes(content)
    with suppress(InputError):
        assert_is_page(har_page(path, name="page"))


@given(JSON)
@settings(max_examples=200)
def test_any_json_is_a_page_or_bad_input(tmp_path_factory, written):
    path = tmp_path_factory.getbasetemp() / "page.har"
    path.write_text(json.dumps({"log": {"entries": [written]}}))
    with suppress(InputError):
        assert_is_page(har_page(path, name="page"))


@given(st.lists(ENTRIES, max_size=6), st.data())
@settings(max_examples=400)
def test_any_entries_with_any_fault_are_a_page_or_bad_input(tmp_path_factory, entries, data):
    entries.insert(0, entry("http://a.example/", media=HTML))
    if data.draw(st.booleans()):
        table = data.draw(st.sampled_from(entries))
        way = st.sampled_from([(), ("request",), ("response",), ("response", "content")])
        for key in data.draw(way):
            table = table[key]
        table[data.draw(st.sampled_from(sorted(table)))] = data.draw(JSON)
    path = tmp_path_factory.getbasetemp() / "page.har"
    path.write_text(json.dumps({"log": {"entries": entries}}))
    with suppress(InputError):
        assert_is_page(har_page(path, name="page"))


PIECES = st.lists(
    st.one_of(
        st.text(max_size=8),
        st.sampled_from(
            [
                '<img src="x.png">',
                '<img src="%00">',
                "<link rel=stylesheet href=x.css>",
                '<script src="x.js">',
                "<style>",
                "@font-face { src: url(x.css) }",
                "url(//[)",
                "</style>",
                '<base href="http://[">',
                '<iframe src="/">',
                "<template>",
                "<!--",
                "<![x[y]]>",
                "import './x.js'",
            ]
        ),
    ),
    max_size=8,
).map("".join)


@given(PIECES, PIECES, PIECES)
@example('<img src="' + "x" * 5000 + '">', "", "")
@settings(max_examples=300)
def test_any_files_are_a_page_or_bad_input(tmp_path_factory, html, css, script):
    folder = tmp_path_factory.getbasetemp() / "any-files"
    folder.mkdir(exist_ok=True)
    for name, text in {"index.html": html, "x.css": css, "x.js": script, "x.png": ""}.items():
        (folder / name).write_bytes(text.encode(errors="surrogatepass"))
    with suppress(InputError):
        page = folder_page(folder, Location(file="test"), name="page")
        assert_is_page(page)
        assert {item["file"]["name"] for item in page["objects"]} <= {"x.css", "x.js", "x.png"}


@given(st.text())
@example("<![x[y]]>")
def test_any_text_has_references_or_cannot_be_taken_apart(text):
    assert all(reference.urls for reference in [*in_css(text), *in_script(text)])
    with suppress(ValueError):
        assert all(reference.urls for reference in in_html(text).references)
