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
        ("/app.3f2a1c9e.js", "/app.91bd07aa.js"),
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
    before = load(document, item("/a.11111111.js", 3, 3, 4, 5), item("/a.22222222.js", 3, 3, 4, 5))
    now = load(document, item("/a.33333333.js", 3, 3, 4, 5))
    change = load_change(now, before)
    assert [len(change.added), len(change.removed)] == [1, 2]


def test_versions_and_sizes_in_names_are_no_hashes():
    document = item("/", 0, 1, 2, 3, by=None)
    before = load(document, item("/jquery-3.7.1.min.js", 3, 3, 4, 5))
    now = load(document, item("/jquery-3.6.0.min.js", 3, 3, 4, 5))
    assert [len(load_change(now, before).added), len(load_change(now, before).removed)] == [1, 1]
