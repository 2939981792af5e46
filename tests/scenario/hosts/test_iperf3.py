"""iperf3 as client and server: what a scenario may ask of it, and how it is refused."""

import pytest

from bentpipe.errors import InputError
from tools.specs import document_of

BOTH = ("client=iperf3", "server=iperf3")
FLOW = {"link": "geo-alshagri-flat", "cc": "bbr", "bulk": {"size": "10 MB"}}


def test_it_is_a_bulk_flow_of_another_kind():
    ours, theirs = document_of(FLOW), document_of(FLOW, *BOTH)
    assert theirs["workload"] == {**ours["workload"], "kind": "iperf3"}
    assert {**theirs, "workload": None} == {**ours, "workload": None}


def test_whole_seconds_are_a_length_too():
    flow = document_of({**FLOW, "bulk": {"duration": "1 min", "direction": "up"}}, *BOTH)["workload"]
    assert (flow["duration_ns"], flow["direction"], flow["bytes"]) == (60_000_000_000, "up", None)


@pytest.mark.parametrize(
    ("run", "settings", "field", "expected", "found"),
    [
        (
            FLOW,
            ["client=iperf3"],
            "--set client",
            '"iperf3" at both ends or at neither',
            '"iperf3" with server = "bentpipe"',
        ),
        (
            FLOW,
            ["server=iperf3"],
            "--set server",
            '"iperf3" at both ends or at neither',
            '"iperf3" with client = "loader"',
        ),
        (
            {"link": "lan", "http": "h2", "page": "single-100k"},
            BOTH,
            "--set client",
            "another client for a page-load, as iperf3 has a single bulk flow",
            '"iperf3"',
        ),
        (
            {"link": "lan", "ping": {"count": 3}},
            BOTH,
            "--set client",
            "another client for a ping, as iperf3 has a single bulk flow",
            '"iperf3"',
        ),
        (
            {**FLOW, "bulk": {"size": "10 MB", "transport": "quic"}},
            BOTH,
            "run.bulk.transport",
            '"tcp", as the client is iperf3',
            '"quic"',
        ),
        (
            {**FLOW, "bulk": {"duration": "1.5 s"}},
            BOTH,
            "run.bulk.duration",
            "whole seconds, as the client is iperf3",
            "1.5 s",
        ),
        # It has its own sockets, which would be measured as they are.
        *(
            (
                {**FLOW, "tcp": {key: True}},
                BOTH,
                f"run.tcp.{key}",
                "false, as the client is iperf3, which has no such setting here",
                "true",
            )
            for key in ("fast_open", "nagle", "pacing")
        ),
        (
            {**FLOW, "tcp": {"max_pacing_rate": "5 Mbit/s"}},
            BOTH,
            "run.tcp.max_pacing_rate",
            "nothing, as the client is iperf3, which has no such setting here",
            '"5 Mbit/s"',
        ),
    ],
)
def test_what_it_cannot_do_is_refused_with_the_field(run, settings, field, expected, found):
    with pytest.raises(InputError) as caught:
        document_of(run, *settings)
    error = caught.value
    assert (error.field, error.expected) == (field, expected)
    assert error.found == found
