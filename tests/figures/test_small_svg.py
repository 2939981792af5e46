"""Waterfalls and link strips: positions, sizes, and names from users."""

import re
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

from bentpipe.figures import link_strip, load_phases, style, waterfall
from bentpipe.figures.small_svg import nice_ticks, number
from tests.support.models import record_with
from tests.support.synthetic import full_study, page_load, series_of

LARGEST_BYTES = 6_000
SVG = "{http://www.w3.org/2000/svg}"


def paths(svg):
    return ElementTree.fromstring(svg).findall(f".//{SVG}path")


def spans(path):
    """The (from, to) pairs of a path of horizontal bars."""
    return [(float(a), float(b)) for a, b in re.findall(r"M([\d.]+) [\d.]+H([\d.]+)", path.get("d"))]


def record(objects, connections=(), http="h2"):
    spec = {"workload": {"kind": "page-load", "http": http}}
    return record_with(objects=objects, client_connections=list(connections), spec=spec)


def timing(path, discovered, request, first, last):
    return {
        "url": f"https://origin.test{path}",
        "bytes": 1000,
        "discovered_s": discovered,
        "request_s": request,
        "first_byte_s": first,
        "last_byte_s": last,
    }


def test_bars_stand_where_the_record_says():
    connection = {"transport": "tcp", "client_port": 1, "started_ns": 0, "connected_ns": 2_000_000_000,
                  "secured_ns": 4_000_000_000}  # fmt: skip
    svg = waterfall.draw(record([timing("/a", 4.0, 5.0, 8.0, 10.0)], [connection]))
    _, connect, tls, queued, wait, receive = paths(svg)
    # 10 s fill the width between the labels (118 px) and the right margin (8 px): 31.4 px a second.
    for path, start, end in ((connect, 0, 2), (tls, 2, 4), (queued, 4, 5), (wait, 5, 8), (receive, 8, 10)):
        assert spans(path) == [pytest.approx((118 + 31.4 * start, 118 + 31.4 * end), abs=0.06)]
    assert receive.get("stroke") == wait.get("stroke") == style.look("h2").colour
    assert wait.get("stroke-opacity") == "0.35"


def test_a_connection_without_tls_has_no_tls_bar():
    connection = {
        "transport": "quic",
        "client_port": 1,
        "started_ns": 0,
        "connected_ns": 10**9,
        "secured_ns": None,
    }
    svg = waterfall.draw(record([timing("/a", 1.0, 1.0, 2.0, 3.0)], [connection], http="h3"))
    assert load_phases.TLS not in svg
    assert "QUIC connection" in svg


def test_rows_are_in_the_order_of_the_requests():
    svg = waterfall.draw(record([timing("/late", 1, 3, 4, 5), timing("/early", 1, 2, 6, 7)]))
    assert svg.index("early") < svg.index("late")


def test_every_waterfall_and_link_strip_of_the_study_is_small_and_well_formed():
    for entry in full_study(repetitions=1):
        if entry.status != "succeeded":
            continue
        link = series_of(entry)["link"]
        for svg in (
            waterfall.draw(entry.record),
            link_strip.draw(link=link, protocol=entry.factors["http"], capacity_bps=1e7),
        ):
            ElementTree.fromstring(svg)
            assert len(svg.encode()) < LARGEST_BYTES


def test_a_page_of_642_objects_is_drawn_without_names():
    objects = [timing(f"/object-{n}.gif", 1, 1 + n / 100, 2 + n / 100, 3 + n / 100) for n in range(642)]
    svg = waterfall.draw(record(objects))
    assert "object-1" not in svg
    assert len(spans(paths(svg)[-1])) == 642


def test_names_from_users_cannot_leave_their_text():
    svg = waterfall.draw(record([timing('/<img onerror="x">&', 0, 0, 1, 2)]))
    root = ElementTree.fromstring(svg)
    assert root.findall(f".//{SVG}img") == []


def test_a_run_without_objects_still_gives_a_picture():
    ElementTree.fromstring(waterfall.draw(record([])))


def test_the_link_strip_reaches_the_capacity_line_when_the_link_is_full():
    link = {"time_s": np.array([0.1, 0.2]), "forward_delivered_bytes": np.array([125_000.0, 125_000.0]),
            "forward_queue_bytes": np.zeros(2), "forward_drops": np.zeros(2)}  # fmt: skip
    svg = link_strip.draw(link=link, protocol="h2", capacity_bps=10e6)
    dashed = next(path for path in paths(svg) if path.get("stroke-dasharray"))
    assert dashed.get("d").startswith("M34 8H")
    assert "V8H" in paths(svg)[1].get("d")


def test_drops_are_marked_once_for_each_bin_that_has_them():
    link = series_of(page_load(page="uniform-2m", http="h1"))["link"]
    svg = link_strip.draw(link=link, protocol="h1", capacity_bps=None)
    assert len(spans(paths(svg)[-1])) == int((link["forward_drops"] > 0).sum()) > 0


def test_a_long_run_is_merged_into_few_bins_and_loses_no_drop():
    n = 6_000
    link = {"time_s": np.arange(1, n + 1) * 0.1, "forward_delivered_bytes": np.full(n, 1e5),
            "forward_queue_bytes": np.zeros(n), "forward_drops": np.ones(n)}  # fmt: skip
    svg = link_strip.draw(link=link, protocol="h2", capacity_bps=10e6)
    assert f"{n} packets lost" in svg
    assert len(svg.encode()) < 4 * LARGEST_BYTES


@pytest.mark.parametrize("link", [{}, {"time_s": np.array([])}])
def test_a_missing_series_is_said_so(link):
    assert "No link series" in link_strip.draw(link=link, protocol="h2", capacity_bps=None)


@pytest.mark.parametrize(
    ("end", "ticks"),
    [
        (6.2, [0, 2, 4, 6]),
        (0.11, [0, 0.02, 0.04, 0.06, 0.08, 0.1]),
        (60, [0, 10, 20, 30, 40, 50, 60]),
        (0, [0]),
    ],
)
def test_ticks_are_round_numbers_up_to_the_end(end, ticks):
    assert nice_ticks(end, at_most=6) == pytest.approx(ticks)


@pytest.mark.parametrize(
    ("value", "text"), [(1.0, "1"), (0.04, "0"), (-0.04, "0"), (12.34, "12.3"), (100.0, "100")]
)
def test_coordinates_are_short(value, text):
    assert number(value) == text
