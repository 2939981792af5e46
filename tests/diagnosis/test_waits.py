import pytest

from bentpipe.diagnosis.losses import Loss, losses
from bentpipe.diagnosis.waits import Delay, Wait, longest_object
from tests.support.models import record_with

NS = 10**9


def timing(path, known_s, request_s, first_s, last_s, connection=0):
    return {
        "url": f"https://news.example{path}",
        "bytes": 1000,
        "connection": connection,
        "discovered_s": known_s,
        "request_s": request_s,
        "first_byte_s": first_s,
        "last_byte_s": last_s,
    }


def page_load(*objects, http="h1"):
    page = {
        "name": "p",
        "objects": [{"path": "/a.css", "bytes": 1000}, {"path": "/b.png", "bytes": 1000, "after": 0}],
    }
    return record_with(
        status="succeeded",
        spec={"workload": {"kind": "page-load", "http": http, "page": page}},
        metrics={"rtt_min_s": 0.5},
        objects=list(objects),
        client_connections=[
            {"client_port": 40_000, "connected_ns": NS // 2},
            {"client_port": 40_001, "connected_ns": 3 * NS},
        ],
    )


def test_the_longest_object_tells_what_names_it_and_what_each_part_of_its_time_was_for():
    # Known at 2 s, its connection is there at 3 s, free for it at 5 s; a round trip of 0.5 s, then 1.5 s.
    found = longest_object(page_load(timing("/a.css", 0, 0.5, 1, 2), timing("/b.png", 2, 5, 5.5, 7, 1)))
    assert (found.path, found.named_by, found.client_port) == ("/b.png", "/a.css", 40_001)
    assert found.delays == (
        Delay(wait=Wait.BUSY, time_s=2.0),
        Delay(wait=Wait.TRANSFER, time_s=1.5),
        Delay(wait=Wait.CONNECTION, time_s=1.0),
        Delay(wait=Wait.ROUND_TRIP, time_s=0.5),
    )


def test_a_first_byte_long_after_its_round_trip_had_to_wait_behind_others():
    found = longest_object(page_load(timing("/a.css", 1, 1, 4, 4), http="h2"))
    assert found.delays == (
        Delay(wait=Wait.FIRST_BYTE, time_s=2.5),
        Delay(wait=Wait.ROUND_TRIP, time_s=0.5),
    )


def test_a_name_that_was_asked_for_is_told_apart_from_its_connection():
    # Known at 1 s; the name asked for at 0.8 s is there at 1.4 s, the connection at 2.4 s, free at once.
    load = page_load(timing("/a.css", 1, 2.4, 2.9, 2.9))
    connection = load.client_connections[0].model_copy(
        update={"started_ns": 1_400_000_000, "name_lookup_ns": 600_000_000, "connected_ns": 2_400_000_000}
    )
    found = longest_object(load.model_copy(update={"client_connections": (connection,)}))
    assert {delay.wait: pytest.approx(delay.time_s) for delay in found.delays} == {
        Wait.CONNECTION: 1.0,
        Wait.ROUND_TRIP: 0.5,
        Wait.NAME: 0.4,
    }


def test_a_run_without_objects_has_no_longest():
    assert longest_object(page_load()) is None


def test_losses_are_told_by_direction_and_cause_and_what_was_sent_in_vain():
    drops = {"forward": {"queue": 3, "channel": 0, "oversize": 0}, "return": {"channel": 1}}
    found = losses(record_with(metrics={"drops": drops, "retransmitted_packets": 6}), {})
    assert found.lost == (
        Loss(direction="forward", cause="queue", packets=3),
        Loss(direction="return", cause="channel", packets=1),
    )
    assert found.in_vain == 2


def test_a_window_that_falls_to_one_segment_is_a_timeout_once_for_each_connection():
    import numpy as np

    # Two connections by turns, both with a window of ten segments that falls to one; the second twice.
    sender = {
        "time_s": np.repeat(np.arange(5) * 0.1, 2),
        "client_port": np.tile([1.0, 2.0], 5),
        "cwnd_bytes": np.array([10, 10, 1, 1, 1, 10, 2, 1, 4, 2]) * 1448.0,
    }
    assert losses(record_with(), sender).timeouts == 3
