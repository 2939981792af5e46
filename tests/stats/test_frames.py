"""Pictures as a function of time, and a browser's metrics beside the network's."""

import pytest

from bentpipe.stats import (
    BROWSER_METRICS,
    Frame,
    factor_label,
    frames_of,
    metrics_of,
    settled_s,
    values_of,
    visible,
)
from tests.support.browsers import browser_load
from tests.support.models import changed
from tests.support.synthetic import failed, page_load


def frame(time_s, completeness):
    return Frame(time_s=time_s, completeness=completeness, file=f"{time_s}.jpg")


FRAMES = (frame(1.0, 0.5), frame(3.0, 1.0), frame(9.0, 1.0))


@pytest.mark.parametrize(
    ("at_s", "place"), [(0.999, None), (1.0, 0), (2.9, 0), (3.0, 1), (8.0, 1), (100.0, 2)]
)
def test_a_picture_is_to_be_seen_from_its_instant_until_the_next(at_s, place):
    assert visible(FRAMES, at_s) == (None if place is None else FRAMES[place])


def test_a_window_is_settled_with_the_last_picture_that_shows_more_or_less_than_the_one_before():
    assert settled_s(FRAMES) == 3.0
    assert settled_s(FRAMES[:1]) == 1.0
    assert settled_s(()) is None


def test_pictures_are_in_the_order_of_time_whatever_the_order_of_the_record():
    entry = browser_load(page="uniform-100k")
    browser = entry.record.browser
    shuffled = changed(entry.record, browser=changed(browser, frames=browser.frames[::-1]))
    assert frames_of(shuffled) == frames_of(entry.record)
    assert [each.completeness for each in frames_of(shuffled)] == [n / 8 for n in range(1, 9)]


def test_a_load_without_a_browser_has_neither_pictures_nor_paints():
    record = page_load().record
    assert frames_of(record) == ()
    assert metrics_of(record).keys() & set(BROWSER_METRICS) == set()


def test_what_a_browser_tells_stands_among_the_metrics_and_what_it_does_not_tell_is_absent():
    record = browser_load().record
    silent = changed(record, browser=changed(record.browser, paint_lcp_s=None))
    told = set(metrics_of(silent)) & set(BROWSER_METRICS)
    assert told == {"paint_fcp_s", "speed_index_s", "loaded_s"}
    assert metrics_of(record)["loaded_s"] == record.browser.loaded_s


def test_paints_of_runs_that_did_not_succeed_are_not_counted():
    good, bad = browser_load(repetition=0), failed(browser_load(repetition=1), status="invalid")
    assert values_of([good, bad], "paint_fcp_s", http="h2") == [good.record.browser.paint_fcp_s]


def test_clients_and_servers_have_the_names_that_people_call_them_by():
    assert factor_label("client", "firefox") == "Firefox"
    assert factor_label("server", "caddy") == "Caddy"
    assert factor_label("client", "loader") == "loader"
    assert factor_label("page", "firefox") == "firefox"
