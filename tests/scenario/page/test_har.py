"""`page = "har:FILE"`. Expected values follow from the rules of docs/pages.md, by hand."""

import json

import pytest

from bentpipe import _core
from bentpipe.engine import simulate
from bentpipe.errors import InputError
from bentpipe.model.spec import RunSpec
from bentpipe.scenario.page.har import har_page
from bentpipe.scenario.page.web_page import MOST_HOSTS, MOST_OBJECTS
from tests.support.har import CSS, HTML, JS, PNG, entry, write
from tests.support.refusals import refused
from tools.specs import document_of

SITE = "https://www.shop.example"
DOCUMENT = entry(f"{SITE}/", media=HTML, size=5000)
MILLISECOND_NS = 1_000_000


@pytest.fixture
def page(tmp_path):
    """Write entries behind those of a document and return the page."""

    def page(*entries, document=DOCUMENT, **log):
        return har_page(write(tmp_path / "page.har", [document, *entries], **log), name="har:page.har")

    return page


def test_a_page_has_the_documents_host_and_each_object_its_size_kind_and_host(page):
    assert page(
        entry(f"{SITE}/a.css", media=CSS, size=200),
        entry("https://cdn.example:8443/b.js", media="application/javascript; charset=utf-8", size=300),
        entry("https://cdn.example/c.png", size=400),
        entry("https://cdn.example/d.woff2", media="font/woff2", size=500),
        entry(f"{SITE}/e.json", media="application/json", size=600),
    ) == {
        "name": "har:page.har",
        "host": "www.shop.example",
        "document_bytes": 5000,
        "objects": [
            {"path": "/a.css", "bytes": 200, "kind": "style"},
            {"path": "/b.js", "bytes": 300, "kind": "script", "host": "cdn.example"},
            {"path": "/c.png", "bytes": 400, "host": "cdn.example"},
            {"path": "/d.woff2", "bytes": 500, "kind": "font", "host": "cdn.example"},
            {"path": "/e.json", "bytes": 600, "kind": "other"},
        ],
    }


@pytest.mark.parametrize(
    ("answer", "more", "expected"),
    [
        ({"bodySize": 700, "content": {"size": 2000}}, {}, 700),
        # Chromium over HTTP/2: the header's size is unknown, what came over the network is not.
        ({"bodySize": -1, "_transferSize": 900, "content": {"size": 2000}}, {}, 900),
        ({"bodySize": -1, "headersSize": 150, "_transferSize": 900, "content": {"size": 2000}}, {}, 750),
        ({"bodySize": -1, "content": {"size": 2000, "compression": 1200}}, {}, 800),
        ({"bodySize": -1, "content": {"size": 2000}}, {}, 2000),
        ({"bodySize": None, "content": {"size": 2000}}, {}, 2000),
        # From the browser's cache: nothing was transferred, a first visit would.
        ({"bodySize": 0, "content": {"size": 2000}}, {"_fromCache": "disk"}, 2000),
        ({"status": 304, "bodySize": 0, "content": {"size": 2000}}, {}, 2000),
        ({"status": 304, "bodySize": -1, "_transferSize": 150, "content": {"size": 2000}}, {}, 2000),
        # Firefox says no more of it than that there is content, and no body.
        ({"bodySize": 0, "content": {"size": 2000}}, {}, 2000),
        # A beacon's answer has no body.
        ({"status": 204, "bodySize": 0, "content": {"size": 0}}, {}, 1),
        ({"content": None, "bodySize": -1}, {}, 1),
    ],
)
def test_the_size_is_that_of_the_body_as_transferred(page, answer, more, expected):
    [item] = page(entry(f"{SITE}/a.png", response=answer, **more))["objects"]
    assert item["bytes"] == expected


@pytest.mark.parametrize(
    ("media", "url", "more", "kind"),
    [
        ("application/octet-stream", "/text.woff2?v=1", {}, "font"),
        ("", "/app", {"_resourceType": "script"}, "script"),
        ("x-unknown", "/app", {"_resourceType": "fetch"}, "other"),
        ("application/json", "/photo.jpg", {"_resourceType": "image"}, "other"),
        ("IMAGE/SVG+XML", "/logo", {}, "image"),
    ],
)
def test_a_media_type_that_tells_nothing_leaves_the_kind_to_the_extension(page, media, url, more, kind):
    [item] = page(entry(SITE + url, media=media, **more))["objects"]
    assert item.get("kind", "image") == kind


def parsed(path):
    """The initiator of what a parser found in the text of that path, as Chromium writes it."""
    return {"type": "parser", "url": f"{SITE}{path}"}


def test_what_chromium_says_of_the_initiator_is_the_dependency_and_the_time_since_is_the_wait(page):
    objects = page(
        entry(f"{SITE}/a.css", start_ms=110, took_ms=50, media=CSS, _initiator=parsed("/")),
        entry(f"{SITE}/b.js", start_ms=110, took_ms=90, media=JS, _initiator=parsed("/")),
        entry(f"{SITE}/a.woff2", start_ms=180, media="font/woff2", _initiator=parsed("/a.css")),
        entry(
            f"{SITE}/c.png",
            start_ms=230,
            _initiator={
                "type": "script",
                "stack": {"callFrames": [{"url": ""}], "parent": {"callFrames": [{"url": f"{SITE}/b.js#x"}]}},
            },
        ),
    )["objects"]
    assert [item.get("after") for item in objects] == [None, None, 0, 1]
    # 230 - (110 + 90). A style sheet's font is asked for as soon as it is there.
    assert [item.get("wait_ns", 0) // MILLISECOND_NS for item in objects] == [0, 0, 0, 30]


def test_a_document_within_the_document_names_others_as_a_script_does(page):
    frame = entry(f"{SITE}/frame", start_ms=10, took_ms=100, media=HTML)
    inside = entry(f"{SITE}/a.png", start_ms=130, _initiator=parsed("/frame"))
    assert page(frame, inside)["objects"] == [
        {"path": "/frame.js", "bytes": 1000, "kind": "script"},
        {"path": "/a.png", "bytes": 1000, "after": 0, "wait_ns": 20 * MILLISECOND_NS},
    ]


@pytest.mark.parametrize(
    ("media", "kind"), [(CSS, "script"), (CSS, "other"), (PNG, "image"), ("font/woff2", "font")]
)
def test_what_cannot_name_an_object_is_not_its_cause(page, media, kind):
    named = {"script": JS, "other": "application/json", "image": PNG, "font": "font/woff2"}[kind]
    cause = entry(f"{SITE}/cause", media=media)
    item = page(cause, entry(f"{SITE}/effect", media=named, _initiator={"url": f"{SITE}/cause"}))["objects"][
        1
    ]
    assert "after" not in item


def test_an_initiator_may_be_a_url_alone(page):
    objects = page(entry(f"{SITE}/a.js", media=JS), entry(f"{SITE}/b.png", _initiator=f"{SITE}/a.js"))[
        "objects"
    ]
    assert objects[1]["after"] == 0


def test_an_initiator_that_is_not_loaded_before_counts_for_nothing(page):
    initiators = [None, "parser", {"type": "script", "stack": 3}, {"url": "https://elsewhere.example/"}]
    urls = [f"{SITE}/{n}.png" for n in range(len(initiators))]
    entries = [entry(url, _initiator=written) for url, written in zip(urls, initiators, strict=True)]
    assert all("after" not in item for item in page(*entries)["objects"])


def test_without_an_initiator_the_referrer_tells_what_a_style_sheet_asked_for(page):
    referrer = {"headers": [{"name": "Referer", "value": f"{SITE}/a.css"}]}
    font = entry(f"{SITE}/a.woff2", start_ms=150, media="font/woff2", request=referrer)
    objects = page(entry(f"{SITE}/a.css", start_ms=10, took_ms=100, media=CSS), font)["objects"]
    assert objects[1] == {"path": "/a.woff2", "bytes": 1000, "kind": "font", "after": 0}


def test_without_either_the_parser_is_the_cause_until_50_ms_after_the_document(page):
    script = entry(f"{SITE}/a.js", start_ms=20, took_ms=50, media=JS)
    objects = page(script, entry(f"{SITE}/early.png", start_ms=150))["objects"]
    assert [set(item) & {"after", "wait_ns"} for item in objects] == [set(), set()]


def test_and_later_the_script_or_style_that_arrived_last(page):
    objects = page(
        entry(f"{SITE}/a.js", start_ms=20, took_ms=200, media=JS),
        entry(f"{SITE}/b.js", start_ms=20, took_ms=250, media=JS),
        entry(f"{SITE}/c.png", start_ms=20, took_ms=270),
        entry(f"{SITE}/late.png", start_ms=300),
    )["objects"]
    assert objects[3]["after"] == 1
    assert objects[3]["wait_ns"] == 30 * MILLISECOND_NS


def test_a_late_request_without_any_script_waits_for_the_document_alone(page):
    [item] = page(entry(f"{SITE}/late.png", start_ms=600))["objects"]
    assert item == {"path": "/late.png", "bytes": 1000, "wait_ns": 500 * MILLISECOND_NS}


def test_what_a_redirect_leads_to_stands_for_both(page):
    there = {"status": 302, "redirectURL": "/b.js"}
    objects = page(
        entry(f"{SITE}/start", start_ms=5, took_ms=10, response=there),
        entry(f"{SITE}/b.js", start_ms=20, took_ms=100, media=JS),
        entry(f"{SITE}/c.png", start_ms=130, _initiator={"url": f"{SITE}/b.js"}),
    )["objects"]
    assert [item["path"] for item in objects] == ["/b.js", "/c.png"]
    assert objects[1]["after"] == 0


def test_the_document_may_be_behind_redirects_of_other_hosts(page):
    moved = entry("http://shop.example/", response={"status": 301, "redirectURL": f"{SITE}/"})
    assert page(entry(f"{SITE}/", start_ms=50, media=HTML, size=700), document=moved) == {
        "name": "har:page.har",
        "host": "www.shop.example",
        "document_bytes": 700,
        "objects": [],
    }


@pytest.mark.parametrize(
    "left_out",
    [
        entry("data:image/png;base64,AAAA"),
        entry("blob:https://www.shop.example/1"),
        entry("chrome-extension://abc/x.js", media=JS),
        entry("wss://www.shop.example/live", status=101),
        entry(f"{SITE}/live", status=101, _resourceType="websocket"),
        entry(f"{SITE}/blocked.js", status=0, response={"_error": "net::ERR_BLOCKED_BY_CLIENT"}),
        entry(f"{SITE}/api", request={"method": "OPTIONS"}, status=204),
        {"request": {"url": f"{SITE}/unanswered.js"}},
        entry(f"{SITE}/other-page.png", pageref="page_2"),
    ],
    ids=lambda item: item["request"]["url"],
)
def test_what_is_no_answered_request_of_the_page_is_left_out(page, left_out):
    document = {**DOCUMENT, "pageref": "page_1"}
    assert page(left_out, entry(f"{SITE}/a.png", pageref="page_1"), document=document)["objects"] == [
        {"path": "/a.png", "bytes": 1000}
    ]


def test_an_answer_that_says_no_has_crossed_the_network_too(page):
    [item] = page(entry(f"{SITE}/gone.png", status=404, media=HTML, size=300))["objects"]
    assert item == {"path": "/gone.png.bin", "bytes": 300, "kind": "other"}


def test_what_is_loaded_again_counts_again_unless_it_came_from_the_cache(page):
    again = [
        entry(f"{SITE}/a.png"),
        entry(f"{SITE}/a.png", _fromCache="memory"),
        entry(f"{SITE}/a.png", response={"bodySize": 0}),
        entry(f"{SITE}/a.png?2"),
    ]
    assert [item["path"] for item in page(*again)["objects"]] == ["/a.png", "/a-2.png"]


def test_entries_that_say_no_time_stay_where_they_are(page):
    untimed = entry(f"{SITE}/b.png")
    del untimed["startedDateTime"], untimed["time"]
    late, early = entry(f"{SITE}/late.png", start_ms=30), entry(f"{SITE}/early.png", start_ms=10)
    assert [item["path"] for item in page(late, untimed, early)["objects"]] == [
        "/early.png",
        "/late.png",
        "/b.png",
    ]


def test_a_file_with_nothing_but_urls_and_media_types_is_enough(tmp_path):
    path = tmp_path / "bare.har"
    answer = {"status": 200, "content": {"mimeType": "text/html"}}
    path.write_text(
        "\ufeff" + json.dumps({"log": {"entries": [{"request": {"url": SITE}, "response": answer}]}})
    )
    assert har_page(path, name="bare") == {
        "name": "bare",
        "host": "www.shop.example",
        "document_bytes": 1,
        "objects": [],
    }


ENDLESS = "an integer of more than 80 digits"
# What is put where in an entry; the field; a part of what is expected; what is found.
FAULTS = {
    "a status that is text": (("response", "status"), "ok", "response.status", "a status code", '"ok"'),
    "a status that is true": (("response", "status"), True, "response.status", "a status code", "true"),
    "a status of four digits": (("response", "status"), 2000, "response.status", "up to 999", "2000"),
    "no URL": (("request", "url"), None, "request.url", "a URL", "nothing"),
    "a URL without a host": (
        ("request", "url"),
        "https:///a",
        "request.url",
        "a URL with a host",
        '"https:///a"',
    ),
    "a URL with half an address": (
        ("request", "url"),
        "https://[::1/",
        "request.url",
        "a URL",
        '"https://[::1/"',
    ),
    "a request that is a list": (("request",), [], "request", "an object", "an empty list"),
    "a time that is none": (("startedDateTime",), "noon", "startedDateTime", "a time such as", '"noon"'),
    "a duration that is text": (("time",), "5 ms", "time", "a number", '"5 ms"'),
    "an endless duration": (("time",), 1e300, "time", "at most 1000000000 ms", "1e+300"),
    "a size that is text": (("response", "bodySize"), "5", "response.bodySize", "a number", '"5"'),
    "a size beyond all": (("response", "bodySize"), 10**13, "response.bodySize", "at most", "10000000000000"),
    "a size beyond floats": (("response", "bodySize"), 10**400, "response.bodySize", "at most", ENDLESS),
    "a duration beyond floats": (("time",), 10**400, "time", "at most 1000000000 ms", ENDLESS),
    "a status beyond floats": (("response", "status"), -(10**400), "response.status", "up to 999", ENDLESS),
    "content that is text": (("response", "content"), "x", "response.content", "an object", '"x"'),
    "a media type that is a number": (
        ("response", "content", "mimeType"),
        5,
        "response.content.mimeType",
        "a media type",
        "5",
    ),
    "headers that are none": (("request", "headers"), {}, "request.headers", "a list", "an empty table"),
}


@pytest.mark.parametrize("case", FAULTS)
def test_a_fault_is_refused_with_its_file_and_field(tmp_path, case):
    way, value, field, expected, found = FAULTS[case]
    faulty = entry(f"{SITE}/a.png")
    table = faulty
    for key in way[:-1]:
        table = table[key]
    table[way[-1]] = value
    path = write(tmp_path / "page.har", [DOCUMENT, faulty])
    with refused(f"log.entries[1].{field}", expected=expected, file=path) as caught:
        har_page(path, name="page")
    assert caught.value.found == found


@pytest.mark.parametrize(
    ("content", "field", "expected"),
    [
        (b"[]", "the whole file", "an object"),
        (b"{}", "log", "an object"),
        (b'{"log": {}}', "log.entries", "a list"),
        (b'{"log": {"entries": [3]}}', "log.entries[0]", "an object"),
        (b'{"log": {"entries": []}}', "log.entries", "an HTML document that was answered"),
        (b'{"log": NaN}', "the whole file", "JSON"),
        (b"\xff", "the whole file", "UTF-8 text"),
        (b"[" * 100_000, "the whole file", "JSON"),
        (b"1" * 5000, "the whole file", "JSON"),
    ],
)
def test_a_file_that_is_no_har_is_refused(tmp_path, content, field, expected):
    path = tmp_path / "page.har"
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        har_page(path, name="page")
    assert (caught.value.file, caught.value.field, caught.value.expected) == (str(path), field, expected)


@pytest.mark.parametrize(
    ("urls", "expected"),
    [
        ([f"{SITE}/{n}.png" for n in range(MOST_OBJECTS + 1)], f"at most {MOST_OBJECTS} objects"),
        ([f"https://h{n}.example/" for n in range(MOST_HOSTS)], f"at most {MOST_HOSTS} hosts"),
    ],
)
def test_a_page_larger_than_the_engines_take_is_refused(page, urls, expected):
    with pytest.raises(InputError, match=expected):
        page(*map(entry, urls))


def test_a_request_days_after_its_cause_is_refused(page):
    with pytest.raises(
        InputError, match=r"log.entries\[1\].startedDateTime: expected a request less than a day"
    ):
        page(entry(f"{SITE}/a.png", start_ms=2 * 86_400_000))


def test_a_scenario_names_a_har_by_its_path_and_its_timeout_knows_the_waits(tmp_path):
    waiting = entry(f"{SITE}/a.png", start_ms=100_100)
    path = write(tmp_path / "page.har", [DOCUMENT, waiting])
    spec = document_of({"link": "lan", "http": "h2", "page": f"har:{path}"})
    assert spec["workload"]["page"]["name"] == f"har:{path}"
    # Five times the wait of 100 s and 60 s, and a few milliseconds of the network.
    assert 560_000_000_000 < spec["validity"]["timeout_ns"] < 561_000_000_000


def test_a_file_that_changes_is_read_again(tmp_path):
    path = tmp_path / "page.har"
    sizes = []
    for size in (1000, 2000, 1000):
        write(path, [entry(f"{SITE}/", media=HTML, size=size)])
        sizes.append(har_page(path, name="page")["document_bytes"])
    assert sizes == [1000, 2000, 1000]


def test_a_file_that_is_not_there_is_bad_input(tmp_path):
    with pytest.raises(
        InputError, match=r"none.har: the whole file: expected a readable HAR file, found No such"
    ):
        document_of({"link": "lan", "http": "h2", "page": f"har:{tmp_path}/none.har"})


def test_a_har_of_our_own_gives_the_page_that_was_loaded(tmp_path):
    spec = document_of({"link": "lan", "http": "h2", "page": "triangular-100k"})
    record = simulate.Simulator().run(run_id="own", spec=RunSpec.model_validate(spec), artifacts=None)
    path = tmp_path / "own.har"
    path.write_text(_core.har_of(record.to_json(), "2026-01-31T12:00:00+00:00"))
    found, loaded = har_page(path, name="own"), spec["workload"]["page"]
    assert {(item["path"], item["bytes"]) for item in found["objects"]} == {
        (item["path"], item["bytes"]) for item in loaded["objects"]
    }
    assert all(item.keys() == {"path", "bytes"} for item in found["objects"])
