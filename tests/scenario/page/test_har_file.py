"""The content of a HAR file takes little more memory than the file has, whatever is in it."""

import json
import tracemalloc
from contextlib import contextmanager

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bentpipe.errors import InputError
from bentpipe.scenario.page import har_file
from bentpipe.scenario.page.har import har_page
from bentpipe.scenario.page.har_file import parsed, without_bodies
from bentpipe.scenario.written.location import Location
from tests.support.har import HTML, JS, PNG, entry, har, write

WHERE = Location(file="page.har")
SITE = "https://www.shop.example"
# As browsers write it: escapes, and a character beyond U+FFFF, for which text has four bytes each in memory.
SCRIPT = 'f("\\\\", "\U0001f6f0");\n' * 2000


def answer(size, body):
    return {"bodySize": size, "content": {"size": size, "mimeType": JS, "text": body}}


@contextmanager
def most_bytes(most):
    """Hold that what is done within never has more memory at once."""
    tracemalloc.start()
    try:
        yield
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < most


def test_a_page_is_the_same_with_and_without_bodies(tmp_path):
    names = ("with", "without")
    pages = []
    for name, body in zip(names, (SCRIPT, ""), strict=True):
        posted = {"method": "POST", "postData": {"mimeType": "text/plain", "text": body, "params": []}}
        script = entry(f"{SITE}/a.js", media=JS, request=posted, response=answer(len(SCRIPT), body))
        path = write(tmp_path / f"{name}.har", [entry(f"{SITE}/", media=HTML), script])
        pages.append(har_page(path, name="page"))
    assert pages[0] == pages[1]
    assert pages[0]["objects"] == [{"path": "/a.js", "bytes": len(SCRIPT), "kind": "script"}]


def test_bodies_are_never_in_memory_as_text():
    entries = [entry(f"{SITE}/{n}.js", media=JS, response=answer(1000, SCRIPT)) for n in range(100)]
    content = json.dumps(har(entries), ensure_ascii=False).encode()
    assert len(content) > 4_000_000
    with most_bytes(len(content) / 2):
        assert len(parsed(without_bodies(content), WHERE)["log"]["entries"]) == 100


@pytest.mark.parametrize("piece", ["[],", "{},", '{"a":1},', '"",', "0,"])
def test_a_file_of_many_small_values_is_refused_before_they_are_in_memory(monkeypatch, piece):
    """As Python has them, these would take up to twenty times as much as in the file."""
    monkeypatch.setattr(har_file, "MOST_VALUES", 100_000)
    content = b'{"log": {"entries": [' + piece.encode() * 100_001 + b"0]}}"
    with (
        most_bytes(len(content)),
        pytest.raises(InputError, match=r"the whole file: expected at most 100000 values"),
    ):
        parsed(without_bodies(content), WHERE)


def test_what_a_page_does_not_need_beside_the_bodies_has_a_bound(monkeypatch):
    content = json.dumps(har([entry(f"{SITE}/a.js", response=answer(1000, SCRIPT))])).encode()
    rest = without_bodies(content)
    monkeypatch.setattr(har_file, "LARGEST_REST_BYTES", len(rest))
    parsed(rest, WHERE)
    monkeypatch.setattr(har_file, "LARGEST_REST_BYTES", len(rest) - 1)
    with pytest.raises(InputError, match=r"the whole file: expected at most .* beside the bodies, found"):
        parsed(rest, WHERE)


def test_of_the_files_of_a_campaign_the_pages_alone_stay_in_memory(tmp_path):
    body = "x" * 1_000_000
    tracemalloc.start()
    try:
        for number in range(6):
            script = entry(f"{SITE}/{number}.js", media=JS, response=answer(1000, body))
            path = write(tmp_path / f"{number}.har", [entry(f"{SITE}/", media=HTML), script])
            har_page(path, name="page")
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    # Of one file not as much as its text.
    assert kept < len(body)


def test_a_page_is_made_once_for_all_cells(tmp_path):
    path = write(tmp_path / "page.har", [entry(f"{SITE}/", media=HTML)])
    assert har_page(path, name="page") is har_page(path, name="page")
    assert har_page(path, name="other")["name"] == "other"


KEYS = st.sampled_from(["text", "data", "texts", '"text', 'a"data', "\\text", "name", "value", "log"])
JSON = st.recursive(
    st.one_of(st.none(), st.integers(), st.text(st.sampled_from('"\\/:,[]{}textdaé\n '))),
    lambda below: st.one_of(st.lists(below, max_size=3), st.dictionaries(KEYS, below, max_size=3)),
    max_leaves=8,
)


def emptied(value):
    if isinstance(value, list):
        return [emptied(item) for item in value]
    if isinstance(value, dict):
        # Of a key that ends in a quotation mark and one of the two words, too: no program writes such a one.
        return {
            key: "" if isinstance(item, str) and f'"{key}'.endswith(('"text', '"data')) else emptied(item)
            for key, item in value.items()
        }
    return value


@given(JSON, st.sampled_from([None, 1]), st.booleans())
@example({"url": '","text":"'}, None, True)
@example({"text": '\\"'}, None, False)
def test_nothing_but_bodies_is_left_out_of_any_json(value, indent, is_ascii):
    least, har_file.LEAST_BODY_BYTES = har_file.LEAST_BODY_BYTES, 0
    try:
        rest = without_bodies(json.dumps(value, indent=indent, ensure_ascii=is_ascii).encode())
    finally:
        har_file.LEAST_BODY_BYTES = least
    assert json.loads(rest) == emptied(value)


def test_headers_that_tell_of_the_page_are_read(tmp_path):
    headers = [{"name": "Date", "value": "x"}, {"name": "Location", "value": "/b.js"}]
    entries = [
        entry(f"{SITE}/", media=HTML),
        entry(f"{SITE}/a", start_ms=5, response={"status": 302, "headers": headers}),
        entry(f"{SITE}/b.js", start_ms=200, media=JS),
    ]
    # The redirect is left out, and what it leads to was asked for when it was: while the document arrived.
    page = har_page(write(tmp_path / "page.har", entries), name="page")
    assert page["objects"] == [{"path": "/b.js", "bytes": 1000, "kind": "script"}]


LONG = "x" * 65_534
FAULTS = {
    "a URL": (entry(f"{SITE}/{LONG}"), "request.url", "a URL of at most 65534 characters"),
    "a host": (entry(f"https://{LONG[:254]}/"), "request.url", "a host of at most 253 characters"),
    "a user": (entry(f"https://{LONG[:1024]}@a.example/"), "request.url", "a host of at most 253 characters"),
    "a redirect": (
        entry(f"{SITE}/", status=302, response={"status": 302, "redirectURL": f"/{LONG}"}),
        "response.redirectURL",
        "a URL of at most 65534 characters",
    ),
}


@pytest.mark.parametrize("case", FAULTS)
def test_what_is_longer_than_can_be_asked_for_is_refused_with_its_field(tmp_path, case):
    """A host has at most 253 characters (RFC 1035), a URL 65 534 bytes (crates/web/src/page/resolve.rs)."""
    faulty, field, expected = FAULTS[case]
    path = write(tmp_path / "page.har", [entry(f"{SITE}/", media=HTML), faulty])
    with pytest.raises(InputError) as caught:
        har_page(path, name="page")
    assert (caught.value.file, caught.value.field) == (str(path), f"log.entries[1].{field}")
    assert caught.value.expected.startswith(expected)
    assert caught.value.found.endswith('..."')


def test_a_file_within_its_url_may_be_of_any_length_and_is_left_out(tmp_path):
    inline = entry(f"data:image/png;base64,{LONG}{LONG}", media=PNG)
    path = write(tmp_path / "page.har", [entry(f"{SITE}/", media=HTML), inline])
    assert har_page(path, name="page")["objects"] == []
