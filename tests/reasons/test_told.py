from pathlib import Path
from typing import get_args

import pytest

from bentpipe.model.reason import (
    EngineFailedReason,
    FetchFailedReason,
    OriginFailedReason,
    Reason,
    TimedOutReason,
)
from bentpipe.reasons import causes, remedy, renamed, told
from tests.support.models import complete, record_with

EVERY_REASON = get_args(get_args(Reason.__value__)[0])
SECOND_NS = 10**9


def a_download(*, bytes, sent_bytes, timeout_s):
    return record_with(
        spec={
            "workload": {"kind": "bulk", "bytes": bytes, "direction": "down"},
            "validity": {"timeout_ns": timeout_s * SECOND_NS},
        },
        metrics={"wire_bytes_down": sent_bytes},
    )


def a_page(*, objects, loaded):
    page = {"name": "p", "objects": [{"path": f"/{place}", "bytes": 1000} for place in range(objects)]}
    return record_with(
        spec={
            "workload": {"kind": "page-load", "page": page},
            "validity": {"timeout_ns": 30 * SECOND_NS},
        },
        metrics={"wire_bytes_down": 4000},
    ), TimedOutReason(timeout_ns=30 * SECOND_NS, loaded_objects=loaded)


@pytest.mark.parametrize("kind", EVERY_REASON, ids=lambda kind: kind.__name__)
def test_every_reason_says_what_its_user_can_do(kind):
    assert remedy(complete(kind, {}), record_with())


def test_a_flow_that_timed_out_says_what_was_sent_of_how_much_and_the_key_of_its_time():
    record = a_download(bytes=60_000_000, sent_bytes=7_639_612, timeout_s=100)
    words = told(TimedOutReason(timeout_ns=100 * SECOND_NS), record)
    # The rest at the same pace takes 785 s; twice that is 26.2 minutes.
    assert words == (
        "timed out after 100 s; 7.64 MB had been sent of 60 MB; --set validity.timeout=27min allows more"
    )


def test_a_flow_that_sent_nothing_is_given_twice_its_time():
    record = a_download(bytes=1000, sent_bytes=0, timeout_s=20)
    assert remedy(TimedOutReason(timeout_ns=20 * SECOND_NS), record) == (
        "--set validity.timeout=40s allows more"
    )


def test_a_page_that_timed_out_counts_its_objects_with_the_document():
    record, reason = a_page(objects=8, loaded=3)
    assert "3 of 9 objects had been loaded, 4 kB had been sent of 8 kB" in told(reason, record)


def test_what_the_origin_says_of_a_client_that_gave_up_is_no_cause():
    timed_out, reset = TimedOutReason(timeout_ns=1), OriginFailedReason(error="connection reset by peer")
    assert causes([timed_out, reset]) == [timed_out]
    assert causes([reset]) == [reset]


def test_a_reason_calls_a_folder_as_its_user_does():
    place, shown = Path("/proc/7/fd/3/.bentpipe-abcdefgh.writing"), Path("out")
    reasons = [
        EngineFailedReason(error=f"cannot write the capture {place}/packets.pcapng: full"),
        FetchFailedReason(object="/a", error="reset"),
    ]
    record = renamed(record_with(reasons=reasons), place=place, shown=shown)
    assert record.reasons[0].error == "cannot write the capture out/packets.pcapng: full"
    assert record.reasons[1] == reasons[1]
