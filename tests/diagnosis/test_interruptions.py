"""What is said of a run whose path was silent or out: expected values follow from the series made here."""

import numpy as np
import pytest

from bentpipe.diagnosis.path_facts import path_facts
from bentpipe.diagnosis.time_spent import Spent, mean_rate_bps
from tests.diagnosis.test_time_spent import record, series, spent
from tests.support.models import record_with
from tests.support.path import path_series

RUN = record_with(
    engine="simulate",
    spec={"link": {way: {"loss": {"kind": "none"}} for way in ("forward", "return")}},
)


def facts(path, **link):
    return path_facts(RUN, {"path": path, "link": link})


def test_silences_are_told_with_the_longest_wait():
    assert facts(path_series(silence_s=0.13)) == (
        "the path was silent 4 times, 0.52 s in all: packets waited for up to 130 ms at a time",
    )


def test_outages_are_told_with_what_was_lost_meanwhile():
    path = path_series(state="outage", length_s=10.0, first_edge_s=5.0, silence_s=0.5)
    drops = np.zeros(100)
    # One packet in each row, of which five have an outage.
    drops[48:56] = 1
    found = facts(path, forward_drops=drops, return_drops=np.zeros(100))
    assert found == ("the path was out once, 0.50 s in all: then it lost 5 of the 8 packets lost forward",)


def test_handovers_alone_are_told_as_such():
    path = path_series(silence_s=0.0)
    assert facts(path) == ("the path was handed over 4 times, without an interruption",)


def test_a_path_that_stands_still_has_nothing_to_tell():
    assert path_facts(RUN, {"path": {}, "link": {}}) == ()


def test_the_rate_of_a_path_that_changes_is_its_mean_over_the_run():
    run = record(workload="bulk", completion_s=8.0).spec
    # 2 s at 4 Mbit/s, half a second of silence, 1.5 s and then 4 s at 6 Mbit/s.
    path = path_series(length_s=10.0, first_edge_s=2.0, silence_s=0.5, rates_bps=(4e6, 6e6))
    assert mean_rate_bps(run, path, to_s=4.0) == pytest.approx((2 * 4e6 + 1.5 * 6e6) / 4)
    assert mean_rate_bps(run, path, to_s=8.0) == pytest.approx((2 * 4e6 + 5.5 * 6e6) / 8)


@pytest.mark.parametrize("path", [{}, path_series(silence_s=0.0, rates_bps=(8e6,))])
def test_a_rate_that_stays_as_it_is_written_has_no_mean(path):
    assert mean_rate_bps(record(workload="bulk").spec, path, to_s=4.0) is None


def test_the_time_of_an_interruption_is_its_own_and_the_link_is_full_at_the_rate_of_its_path():
    run = record(workload="bulk", completion_s=4.0, connect_s=1.0)
    # Half of the nominal 8 Mbit/s; half a second of silence from 2 s on.
    path = path_series(length_s=4.0, first_edge_s=2.0, silence_s=0.5, rates_bps=(4e6, 4e6))
    tables = series(bins=40, queue_bytes=1, delivered_bytes=50_000)
    tables["link"]["time_s"] = path["time_s"]
    assert spent(run, {**tables, "path": path}) == {
        Spent.CONNECT: 1.0,
        Spent.INTERRUPTED: 0.5,
        Spent.LINK: 2.5,
    }
