"""Pages of several hosts over the real kernel: each host has an address of its own, behind proxies too."""

import hashlib

import pytest

from bentpipe.engine.emulate import Emulator
from tests.support.models import changed, said
from tools.specs import spec_of

PAGE = {
    "name": "news",
    "host": "www.news.example",
    "objects": [
        {"path": "/style.css", "bytes": 2_000, "kind": "style"},
        {"path": "/app.js?v=1", "bytes": 2_000, "kind": "script", "host": "cdn.example"},
        {"path": "/photo.jpg", "bytes": 30_000, "host": "images.example"},
        {"path": "/background.jpg", "bytes": 3_000, "host": "images.example", "after": 0},
        {"path": "/text.woff2", "bytes": 3_000, "kind": "font", "host": "cdn.example", "after": 0},
        {"path": "/late", "bytes": 1_000, "kind": "other", "after": 1, "wait_ns": 50_000_000},
    ],
}
ADDRESSES = 3


def _measured(page: dict, http: str, pep: str = "none") -> dict:
    run = {"link": "lan", "http": http, "page": "single-100k", "pep": pep}
    # Nothing here depends on when packets were released.
    spec = spec_of(run, "validity.lateness=1 s")
    spec = changed(spec, workload=changed(spec.workload, page=page))
    return Emulator().run(run_id="0", spec=spec, artifacts=None)


@pytest.mark.parametrize("http", ["h1", "h1s", "h2", "h3"])
def test_every_object_is_loaded_from_its_own_host(http):
    record = _measured(PAGE, http)
    assert (record.status, record.reasons) == ("succeeded", [])
    scheme = "http" if http == "h1" else "https"
    expected = {
        f"{scheme}://{item.get('host', PAGE['host'])}{item['path']}": item["bytes"]
        for item in PAGE["objects"]
    }
    document, *objects = record.objects
    assert document.url == f"{scheme}://www.news.example/"
    assert {item.url: item.bytes for item in objects} == expected
    by_host = {item.url.split("/")[2]: item.connection for item in record.objects}
    assert len(set(by_host.values())) == ADDRESSES


def test_what_waits_is_requested_no_sooner():
    record = _measured(PAGE, "h2")
    timings = {item.url.rpartition("/")[2]: item for item in record.objects}
    assert timings["late"].request_s >= timings["app.js?v=1"].last_byte_s + 0.05


@pytest.mark.parametrize("pep", ["split", "proxy", "tunnel"])
def test_every_host_is_behind_the_proxies_too(pep):
    record = _measured(PAGE, "h2", pep)
    assert (record.status, record.reasons) == ("succeeded", [])
    assert len(record.objects) == 1 + len(PAGE["objects"])


def _files(folder) -> dict:
    document = b"<!doctype html><title>t</title><link rel=stylesheet href=a.css><p>text</p>"
    style = b"p{background:url(//cdn.example/b.png)}"
    image = b"no image, but nobody looks"
    described = {}
    for name, content in (("index.html", document), ("a.css", style), ("b.png", image)):
        (folder / name).write_bytes(content)
        digest = hashlib.sha256(content).hexdigest()
        file = {"folder": str(folder), "name": name, "sha256": digest}
        described[name] = {"bytes": len(content), "file": file}
    return {
        "name": "written",
        "document": described["index.html"]["file"],
        "objects": [
            {"path": "/a.css", "kind": "style", **described["a.css"]},
            {"path": "/b.png", "host": "cdn.example", "after": 0, **described["b.png"]},
        ],
    }


def test_a_page_of_files_is_served_and_loaded(tmp_path):
    record = _measured(_files(tmp_path), "h2")
    assert (record.status, record.reasons) == ("succeeded", [])
    assert [item.url.rpartition("/")[2] for item in record.objects] == ["", "a.css", "b.png"]


def test_a_file_that_has_changed_is_named(tmp_path):
    page = _files(tmp_path)
    (tmp_path / "a.css").write_bytes(b"p{}")
    record = _measured(page, "h2")
    assert record.status == "failed"
    assert any(f"{tmp_path}/a.css: expected the SHA-256 digest" in reason for reason in said(record.reasons))
