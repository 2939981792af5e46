"""What became of a page load: loads made by hand, whose differences are sums of a line."""

import pytest

from bentpipe.check.load_change import load_change, way
from tests.check.loads import SITE, item, load

BEFORE = load(
    item("/", 0.0, 1.0, 1.5, 1.6, by=None),
    item("/main.css", 1.5, 1.5, 2.0, 2.2),
    item("/font.woff2", 2.2, 2.2, 2.7, 3.0, by="/main.css"),
    item("/logo.svg", 1.5, 1.6, 2.1, 2.3),
)


def test_the_way_leads_from_the_document_over_what_names_what_to_the_last_byte():
    assert [each.url for each in way(BEFORE)] == [f"{SITE}/", f"{SITE}/main.css", f"{SITE}/font.woff2"]


def test_a_larger_style_sheet_delays_what_it_names():
    now = load(
        item("/", 0.0, 1.0, 1.5, 1.6, by=None),
        item("/main.css", 1.5, 1.5, 2.0, 2.9, size=71_000),
        item("/font.woff2", 2.9, 2.9, 3.4, 3.7, by="/main.css"),
        item("/logo.svg", 1.5, 1.6, 2.1, 2.3),
    )
    change = load_change(now, BEFORE)
    assert change.change_s == pytest.approx(0.7)
    assert [step.total_s for step in change.steps] == pytest.approx([0, 0.7, 0])
    assert change.steps[1].received_s == pytest.approx(0.7)
    assert change.elsewhere_s == pytest.approx(0)
    assert [pair.now.url for pair in change.resized] == [f"{SITE}/main.css"]
    assert [(pair.now.url, round(pair.delay_s, 9)) for pair in change.later] == [(f"{SITE}/font.woff2", 0.7)]


def test_a_new_object_at_the_end_counts_whole_and_the_way_before_is_told_apart():
    now = load(*BEFORE.objects, item("/ad.js", 1.5, 2.0, 3.0, 3.5))
    change = load_change(now, BEFORE)
    assert [each.url for each in change.added] == [f"{SITE}/ad.js"]
    document, ad = change.steps
    assert document.total_s == 0
    # From when it is known, 1.5 s, to its last byte: 0.5 s, 1 s and 0.5 s.
    assert (ad.asked_s, ad.waited_s, ad.received_s) == pytest.approx((0.5, 1.0, 0.5))
    # The load ends 0.5 s later, not 2 s: up to 3 s it waited for the font.
    assert change.elsewhere_s == pytest.approx(0.5 - 2.0)


def test_the_parts_and_the_rest_add_up_to_the_change():
    now = load(
        item("/", 0.0, 1.2, 1.9, 2.0, by=None),
        item("/app.js", 1.9, 1.9, 2.4, 2.5),
        item("/main.css", 2.5, 2.6, 3.0, 3.2, by="/app.js"),
        item("/font.woff2", 3.1, 3.1, 3.7, 4.4, by="/main.css"),
    )
    change = load_change(now, BEFORE)
    assert sum(step.total_s for step in change.steps) + change.elsewhere_s == pytest.approx(change.change_s)
    assert change.change_s == pytest.approx(1.4)
    assert [each.url for each in change.removed] == [f"{SITE}/logo.svg"]


def test_what_is_as_it_was_is_no_change():
    assert not load_change(BEFORE, BEFORE).is_one


@pytest.mark.parametrize(
    ("before", "now"),
    [
        # webpack's [contenthash], shortened to 6 and 8, and whole; its assets have no other name.
        ("/app.3f2a1b.js", "/app.9c8d7e.js"),
        ("/app.3f2a1c9e.js", "/app.91bd07aa.js"),
        ("/main.3f2a1c9e.chunk.js", "/main.91bd07aa.chunk.js"),
        ("/static/media/3f2a1c9e0123456789ab.png", "/static/media/91bd07aa0123456789ab.png"),
        # Rails' Sprockets: SHA-256. Django: twelve digits of MD5.
        ("/application-" + "3f2a1c9e" * 8 + ".css", "/application-" + "91bd07aa" * 8 + ".css"),
        ("/base.27e20196a850.css", "/base.55e7cbb9ba48.css"),
        # esbuild, and Vite: one of them looks like a word in capitals, and one has a dash.
        ("/app-5TIYB2YI.js", "/app-QWERTYU2.js"),
        ("/assets/index-B-K2f0aQ.js", "/assets/index-DpQMmZxk.js"),
        ("/chunks/CWj6FrbW.js", "/chunks/D81xBq3k.js"),
        ("/lib.3f2a1c9e.min.js", "/lib.91bd07aa.min.js"),
        ("/assets/index-BxK2f0aQ.css", "/assets/index-DpQ81mZx.css"),
        ("/_next/chunk.0123456789abcdef.js?v=1", "/_next/chunk.fedcba9876543210.js?v=1"),
    ],
)
def test_a_file_whose_build_has_another_hash_is_the_same_file(before, now):
    document = item("/", 0, 1, 2, 3, by=None)
    change = load_change(load(document, item(now, 3, 3, 4, 5)), load(document, item(before, 3, 3, 4, 6)))
    assert [pair.before.url for pair in change.pairs] == [f"{SITE}/", SITE + before]
    assert change.added == change.removed == []


def test_files_that_a_hash_alone_tells_apart_are_not_taken_for_each_other():
    document = item("/", 0, 1, 2, 3, by=None)
    before = load(document, item("/a.1a111111.js", 3, 3, 4, 5), item("/a.2b222222.js", 3, 3, 4, 5))
    now = load(document, item("/a.3c333333.js", 3, 3, 4, 5))
    change = load_change(now, before)
    assert [len(change.added), len(change.removed)] == [1, 2]


@pytest.mark.parametrize(
    ("before", "now"),
    [
        ("/jquery-3.7.1.min.js", "/jquery-3.6.0.min.js"),
        ("/photo-20240101.jpg", "/photo-20240102.jpg"),
        ("/photo-640x480.jpg", "/photo-1024x768.jpg"),
        ("/hero-image2.jpg", "/hero-image3.jpg"),
        ("/page-section2.css", "/page-section3.css"),
        ("/my-long-name-v2.css", "/my-other-name-v3.css"),
        ("/index-settings.js", "/index-controls.js"),
        ("/lib.settings.js", "/lib.BxK2f0aQ.js"),
        ("/hero-mainPage.jpg", "/hero-sidePage.jpg"),
        ("/doc-CATALOGS.pdf", "/doc-PRODUCTS.pdf"),
        ("/item-10012345.jpg", "/item-10012346.jpg"),
        ("/the-facade.jpg", "/the-decade.jpg"),
        ("/bg-ff00aa.png", "/bg-00ffaa.png"),
    ],
)
def test_words_versions_dates_sizes_and_colours_in_names_are_no_hashes(before, now):
    document = item("/", 0, 1, 2, 3, by=None)
    before = load(document, item(before, 3, 3, 4, 5))
    now = load(document, item(now, 3, 3, 4, 5))
    assert [len(load_change(now, before).added), len(load_change(now, before).removed)] == [1, 1]
