"""Several flows at once: how they are written, what they resolve to, and how their cells are told apart."""

import json
from pathlib import Path

import pytest

from bentpipe import _core
from bentpipe.errors import InputError
from bentpipe.model.flow import FlowSpec
from bentpipe.scenario import resolve_document
from bentpipe.scenario.hosts.flows import MOST, flow_label
from tools.specs import document_of

SECOND_NS = 1_000_000_000


def workload(*flows, **bulk):
    run = {"link": "lan", "bulk": {"duration": "60 s", **bulk, "flows": list(flows)}}
    return document_of(run)["workload"]


def cells(run, matrix=None):
    document = {"run": {"link": "lan", **run}, "matrix": matrix}
    return resolve_document(document, file="a.toml", folder=Path(), default_name="a").cells


def refused(*flows, run=(), **bulk):
    with pytest.raises(InputError) as caught:
        written = {"duration": "60 s", **bulk, "flows": list(flows)}
        document_of({"link": "lan", **dict(run), "bulk": written})
    return str(caught.value)


@pytest.mark.parametrize(
    ("written", "cc", "transport", "start_s"),
    [
        ("cubic", "cubic", "tcp", 0),
        ("quic:bbr", "bbr", "quic", 0),
        ("tcp:reno", "reno", "tcp", 0),
        ("hybla@10s", "hybla", "tcp", 10),
        ("quic:vivace@1.5 s", "vivace", "quic", 1.5),
        ({"cc": "bbr3"}, "bbr3", "tcp", 0),
        ({"cc": "bbr3", "transport": "quic", "start": "2 s"}, "bbr3", "quic", 2),
    ],
)
def test_a_flow_is_one_word_or_a_table(written, cc, transport, start_s):
    (flow,) = workload(written)["flows"]
    assert flow == {"cc": cc, "transport": transport, "start_ns": start_s * SECOND_NS}


@pytest.mark.parametrize(
    ("written", "dscp"),
    [
        ("cubic#EF", 46),
        ("quic:bbr@5s#AF41", 34),
        ("cubic#0", 0),
        ({"cc": "bbr", "dscp": "CS1"}, 8),
        ({"cc": "bbr", "dscp": 63}, 63),
    ],
)
def test_a_flow_may_be_marked(written, dscp):
    (flow,) = workload(written)["flows"]
    assert flow["dscp"] == dscp
    (again,) = workload(flow_label(FlowSpec.model_validate(flow)))["flows"]
    assert again == flow


def test_flows_have_a_direction_and_a_length_in_common_and_the_engine_takes_them():
    found = workload("cubic", "quic:bbr", direction="up")
    assert (found["kind"], found["direction"], found["bytes"]) == ("flows", "up", None)
    assert found["duration_ns"] == 60 * SECOND_NS
    _core.check_spec(
        json.dumps(document_of({"link": "lan", "bulk": {"size": "1 MB", "flows": ["reno", "reno"]}}))
    )


def test_the_transport_of_the_table_is_that_of_flows_that_name_none():
    flows = workload("cubic", "tcp:bbr", transport="quic")["flows"]
    assert [flow["transport"] for flow in flows] == ["quic", "tcp"]


def test_one_flow_that_is_not_in_a_list_is_what_it_always_was():
    run = {"link": "lan", "cc": "bbr", "bulk": {"size": "1 MB"}}
    assert document_of(run)["workload"]["kind"] == "bulk"


@pytest.mark.parametrize(
    ("flows", "message"),
    [
        ([], "run.bulk.flows: expected from 1 to 100 flows, found 0 flows"),
        (["cubic"] * (MOST + 1), "run.bulk.flows: expected from 1 to 100 flows, found 101 flows"),
        (["cubic", "fast"], "run.bulk.flows.2.cc: expected one of reno, cubic"),
        (["udp:cubic"], "run.bulk.flows.1.transport: expected one of tcp, quic"),
        (["cubic@soon"], "run.bulk.flows.1.start: expected a duration"),
        ([{"transport": "quic"}], "run.bulk.flows.1.cc: expected one of reno, cubic"),
        (
            [{"cc": "bbr", "begin": "1 s"}],
            "run.bulk.flows.1.begin: expected one of cc, dscp, start, transport",
        ),
        ([5], "run.bulk.flows.1: expected a list of flows"),
        ([{"cc": 5}], "run.bulk.flows.1.cc: expected a congestion control"),
        (["cubic#loud"], "run.bulk.flows.1.dscp: expected a number from 0 to 63 or one of DF"),
        (["cubic@60s"], "run.bulk.flows.1.start: expected a flow that starts before all of them end at 60 s"),
    ],
)
def test_what_is_wrong_with_a_flow_is_said_at_its_place(flows, message):
    assert message in refused(*flows).replace("1 min", "60 s")


def test_a_congestion_control_beside_flows_that_have_their_own_is_refused():
    message = refused("cubic", run={"cc": "bbr"})
    assert 'run.cc: expected nothing, as each of several flows has its own, found "bbr"' in message


def test_flows_may_start_at_any_time_when_they_are_limited_by_length():
    run = {"link": "lan", "bulk": {"size": "1 MB", "flows": ["cubic", "cubic@1h"]}}
    spec = document_of(run)
    assert spec["validity"]["timeout_ns"] > 3600 * SECOND_NS


def test_a_cell_is_called_by_its_flows_in_one_word_each():
    written = ["cubic", {"cc": "bbr", "transport": "quic", "start": "10 s"}]
    (cell,) = cells({"bulk": {"duration": "60 s", "flows": written}})
    assert cell.factors["bulk.flows"] == "cubic quic:bbr@10s"
    assert "cc" not in cell.factors
    assert [flow_label(FlowSpec.model_validate(flow)) for flow in cell.spec["workload"]["flows"]] == [
        "cubic",
        "quic:bbr@10s",
    ]


def test_the_matrix_varies_flows():
    lists = [["cubic", "cubic"], ["cubic", {"cc": "bbr"}]]
    found = cells({"bulk": {"duration": "60 s"}}, {"bulk": {"flows": lists}})
    assert [cell.factors["bulk.flows"] for cell in found] == ["cubic cubic", "cubic bbr"]


def test_flows_are_set_from_the_command_line():
    spec = document_of({"link": "lan", "bulk": {"duration": "60 s"}}, 'bulk.flows=["cubic", "quic:bbr"]')
    assert [flow["cc"] for flow in spec["workload"]["flows"]] == ["cubic", "bbr"]


def test_a_run_of_flows_has_time_for_all_of_them():
    # The LAN's 10 Mbit/s carry 8 * 10 MB in 64 s at best.
    run = {"link": "lan", "bulk": {"size": "10 MB", "flows": ["cubic"] * 8}}
    assert document_of(run)["validity"]["timeout_ns"] > 5 * 64 * SECOND_NS
