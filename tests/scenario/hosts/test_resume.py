"""Careful Resume as written: what it comes to, and what is refused.

Expected values: RFC 9959, and the link's bandwidth-delay product in bytes, rate * RTT / 8.
"""

from pathlib import Path

import pytest

from bentpipe.scenario import resolve_document
from tests.support.refusals import refused
from tools.specs import document_of

LINK = "flat:down=250Mbit/s,up=3Mbit/s,rtt=600ms"
BDP_BYTES = 250_000_000 * 6 // 10 // 8
FLOW = {"link": LINK, "bulk": {"transport": "quic", "size": "100 MB"}}
PAGE = {"link": LINK, "page": "single-100k", "http": "h3"}
HOUR_NS = 3_600_000_000_000


def resume_of(run, **keys):
    return document_of({**run, "resume": keys}).get("resume")


def test_a_run_that_does_not_speak_of_it_has_a_specification_without_it():
    assert "resume" not in document_of(FLOW)
    assert "resume" not in document_of({**FLOW, "resume": "none"})
    assert resume_of(FLOW, method="none", saved_capacity="2 x") is None


def test_what_is_saved_is_written_in_bytes_or_in_times_of_the_link_s_own():
    saved = {"cwnd_bytes": 2 * BDP_BYTES, "rtt_ns": 600_000_000, "age_ns": 0}
    assert resume_of(FLOW, saved_capacity="2 x") == {"lifetime_ns": HOUR_NS, "saved": saved}
    absolute = resume_of(FLOW, saved_capacity="2.5 MB", saved_rtt="550 ms")["saved"]
    assert absolute == {"cwnd_bytes": 2_500_000, "rtt_ns": 550_000_000, "age_ns": 0}
    assert resume_of(FLOW, saved_capacity="1 x", saved_rtt="0.5 x")["saved"]["rtt_ns"] == 300_000_000


def test_a_flow_up_has_the_capacity_of_the_other_direction():
    up = {**FLOW, "bulk": {**FLOW["bulk"], "direction": "up"}}
    assert resume_of(up, saved_capacity="1 x")["saved"]["cwnd_bytes"] == 3_000_000 * 6 // 10 // 8


def test_age_lifetime_and_the_longest_jump_are_kept():
    found = resume_of(FLOW, saved_capacity="1 x", saved_age="2 h", lifetime="30 min", max_jump="1 MB")
    assert found["saved"]["age_ns"] == 2 * HOUR_NS
    assert (found["lifetime_ns"], found["max_jump_bytes"]) == (HOUR_NS // 2, 1_000_000)


def test_a_page_may_learn_its_path_at_the_visit_before():
    assert resume_of({**PAGE, "visit": "repeat"}, method="careful") == {"lifetime_ns": HOUR_NS}


REFUSED = {
    "a method that is none": (FLOW, {"method": "bold"}, "run.resume.method", "one of none, careful"),
    "a flow with nothing to resume from": (FLOW, {"method": "careful"}, "run.resume.saved_capacity", '"1 x"'),
    "an RTT without a capacity": (
        PAGE,
        {"saved_rtt": "600 ms"},
        "run.resume.saved_capacity",
        "a capacity beside saved_rtt",
    ),
    "a capacity of nothing": (FLOW, {"saved_capacity": "0 x"}, "run.resume.saved_capacity", "more than 0 x"),
    "a capacity that is a rate": (
        FLOW,
        {"saved_capacity": "10 Mbit/s"},
        "run.resume.saved_capacity",
        "a size",
    ),
    "an RTT that is a size": (
        FLOW,
        {"saved_capacity": "1 x", "saved_rtt": "1 MB"},
        "run.resume.saved_rtt",
        "a duration",
    ),
    "a jump to nowhere": (
        FLOW,
        {"saved_capacity": "1 x", "max_jump": "0 B"},
        "run.resume.max_jump",
        "a size",
    ),
    **{
        f"a start of {cc}": (
            {**FLOW, "cc": cc},
            {"saved_capacity": "1 x"},
            "run.resume.saved_capacity",
            f"nothing, as {cc} is not one of reno, cubic, hybla, bbr",
        )
        for cc in ("bbr3", "vivace")
    },
    "a start of a method that is written": (
        {**FLOW, "cc": "bbr3"},
        {"method": "careful", "saved_capacity": "1 x"},
        "run.resume.method",
        '"none", as bbr3 is not one of reno, cubic, hybla, bbr',
    ),
    "a server of others": (
        {**PAGE, "http": "h2", "server": "caddy"},
        {"saved_capacity": "1 x"},
        "run.resume.saved_capacity",
        "nothing, as caddy cannot",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_resumed_is_refused_where_it_stands(case):
    run, keys, field, expected = REFUSED[case]
    with refused(field, expected=expected):
        resume_of(run, **keys)


@pytest.mark.parametrize(
    ("run", "settings", "field", "found"),
    [
        ({"cc": "bbr3"}, ["resume.saved_capacity=1 x"], "--set resume.saved_capacity", '"1 x"'),
        ({"cc": "bbr3"}, ["resume.method=careful"], "--set resume.method", '"careful"'),
        (
            {"tcp": {}},
            ["tcp.ack_frequency.ack_eliciting_threshold=9"],
            "--set tcp.ack_frequency.ack_eliciting_threshold",
            "9",
        ),
    ],
)
def test_what_the_command_line_writes_of_a_table_is_refused_there(run, settings, field, found):
    with refused(field, expected="", found=found) as caught:
        document_of({**FLOW, **run}, *settings)
    assert caught.value.file == "command line"


def test_what_a_matrix_writes_of_a_table_is_refused_there():
    document = {"run": {**FLOW, "cc": "vivace"}, "matrix": {"resume.saved_capacity": ["1 x", "2 x"]}}
    with refused("matrix.resume.saved_capacity", expected="nothing, as vivace is not one of", found='"1 x"'):
        resolve_document(document, file="test", folder=Path(), default_name="test")
