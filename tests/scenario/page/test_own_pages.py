"""The pages of our own making.

Figures: HTTP Archive, Web Almanac 2022, chapter Page Weight, desktop: a page has 1026 KB of images in 25
requests, 509 KB of scripts in 22 and 72 KB of style sheets in 7; the median response has 7, 4, 2 and (fonts)
20 KB. Its KB is 1024 B.
"""

import math
import statistics

import pytest

from bentpipe.errors import InputError
from bentpipe.model.page import PageSpec
from bentpipe.scenario.page import own as own_pages
from bentpipe.scenario.page.own import PUBLISHED, from_recipe
from bentpipe.scenario.page.pages import PAGES
from bentpipe.scenario.page.web_page import hosts_of, longest_wait_ns
from bentpipe.scenario.written.location import Location

HERE = Location(file="recipe")
MEAN_BYTES = {"image": 1026 / 25 * 1024, "script": 509 / 22 * 1024, "style": 72 / 7 * 1024}
MEDIAN_BYTES = {"image": 7 * 1024, "script": 4 * 1024, "style": 2 * 1024}


def sizes(name, kind):
    return [item["bytes"] for item in PAGES[name]["objects"] if item.get("kind", "image") == kind]


@pytest.mark.parametrize("kind", PUBLISHED)
@pytest.mark.parametrize("number", [1, 2, 7, 101])
def test_so_many_sizes_have_the_published_mean(kind, number):
    drawn = PUBLISHED[kind].of(number)
    assert len(drawn) == number
    # Each is rounded to a byte.
    assert statistics.fmean(drawn) == pytest.approx(MEAN_BYTES[kind], abs=0.5)


@pytest.mark.parametrize("kind", PUBLISHED)
def test_many_sizes_have_the_published_median_and_are_log_normal(kind):
    drawn = PUBLISHED[kind].of(9999)
    assert statistics.median(drawn) == pytest.approx(MEDIAN_BYTES[kind], rel=0.001)
    # The mean of a log-normal distribution is its median times exp(sigma^2 / 2).
    sigma = math.sqrt(2 * math.log(MEAN_BYTES[kind] / MEDIAN_BYTES[kind]))
    logarithms = [math.log(size) for size in drawn]
    assert statistics.stdev(logarithms) == pytest.approx(sigma, rel=0.01)
    # 15.87 % of a normal distribution lie more than a standard deviation above its mean.
    above = sum(value > math.log(MEDIAN_BYTES[kind]) + sigma for value in logarithms)
    assert above / 9999 == pytest.approx(0.1587, abs=0.001)


def test_the_news_front_page_is_100_requests_to_12_hosts():
    page = PAGES["news-front"]
    assert len(page["objects"]) + 1 == 100
    assert len(hosts_of(PageSpec.model_validate(page))) == 12
    assert hosts_of(PageSpec.model_validate(page))[0] == page["host"] == "www.news.example"


def test_the_web_shop_is_74_requests_to_7_hosts():
    page = PAGES["web-shop"]
    assert len(page["objects"]) + 1 == 74
    assert len(hosts_of(PageSpec.model_validate(page))) == 7


@pytest.mark.parametrize("name", own_pages.NAMES)
def test_sizes_that_are_not_written_have_the_mean_of_their_kind(name):
    # Icons, logos, beacons and answers that are scripts have sizes of their own.
    written = (43, 2048, 4096, 3000, 6000)
    for kind, mean_bytes in MEAN_BYTES.items():
        drawn = [size for size in sizes(name, kind) if size not in written]
        assert statistics.fmean(drawn) == pytest.approx(mean_bytes, abs=0.5)
    assert set(sizes(name, "font")) == {20 * 1024}


@pytest.mark.parametrize("name", own_pages.NAMES)
def test_fonts_follow_styles_and_beacons_follow_scripts_behind_what_names_them(name):
    objects = PAGES[name]["objects"]
    for position, item in enumerate(objects):
        assert item.get("after", -1) < position
        cause = objects[item["after"]]["kind"] if "after" in item else "document"
        if item.get("kind") == "font":
            assert cause == "style"
        if item["bytes"] == 43:
            assert cause == "script"
        # What the engines take: crates/web/src/page/tree.rs.
        assert cause in ("document", "script", "style")
        assert cause == "script" or "wait_ns" not in item


@pytest.mark.parametrize("name", own_pages.NAMES)
@pytest.mark.parametrize("kind", ["script", "style"])
def test_what_names_others_is_of_the_larger_half_of_its_kind(name, kind):
    objects = PAGES[name]["objects"]
    causes = {item["after"] for item in objects if "after" in item}
    naming = [objects[place]["bytes"] for place in causes if objects[place].get("kind") == kind]
    # Answers that are scripts have sizes of their own.
    drawn = [size for size in naming if size not in (3000, 6000)]
    assert drawn
    assert min(drawn) >= statistics.median(sizes(name, kind))


def test_the_longest_chain_of_the_news_page_is_four_deep():
    # The tag manager, an auction, its bids, the frame of an advertisement, its image: four waits of 50 ms.
    assert longest_wait_ns(PAGES["news-front"]) == 4 * 50_000_000


@pytest.mark.parametrize("name", own_pages.NAMES)
def test_every_host_is_nobodys(name):
    # RFC 2606 section 2.
    assert all(host.endswith(".example") for host in hosts_of(PageSpec.model_validate(PAGES[name])))


RECIPE = {"title": "x", "host": "a.example", "document": "1 kB"}


def test_a_recipe_gives_its_objects_in_order():
    groups = [
        {"kind": "script", "host": "b.example", "path": "/{n}.js", "count": 2, "size": "5 kB"},
        {"kind": "other", "host": "a.example", "path": "/x", "size": "9 B", "after": "/2.js", "wait": "7 ms"},
    ]
    assert from_recipe({**RECIPE, "objects": groups}, HERE, name="x") == {
        "name": "x",
        "host": "a.example",
        "document_bytes": 1000,
        "objects": [
            {"path": "/1.js", "bytes": 5000, "kind": "script", "host": "b.example"},
            {"path": "/2.js", "bytes": 5000, "kind": "script", "host": "b.example"},
            {"path": "/x", "bytes": 9, "kind": "other", "after": 1, "wait_ns": 7_000_000},
        ],
    }


GROUP = {"kind": "image", "host": "a.example", "path": "/a", "size": "1 kB"}


@pytest.mark.parametrize(
    ("change", "field", "expected"),
    [
        ({"kind": "picture"}, "kind", "one of image, script, style, font, other"),
        ({"count": 0}, "count", "a whole number from 1"),
        ({"count": 2}, "path", "each path once"),
        ({"after": "/b"}, "after", "the path of an object above"),
        ({"after": "/a"}, "after", "the path of an object above"),
        ({"kind": "other", "size": None}, "size", "a size, as other has none published"),
        ({"wait": "5"}, "wait", "a duration"),
    ],
)
def test_a_recipe_that_cannot_be_is_refused(change, field, expected):
    group = {key: value for key, value in {**GROUP, **change}.items() if value is not None}
    with pytest.raises(InputError) as caught:
        from_recipe({**RECIPE, "objects": [group]}, HERE, name="x")
    assert caught.value.field == f"objects.1.{field}"
    assert caught.value.expected.startswith(expected)
