"""Several flows from the command line."""

import pytest

from bentpipe import _core
from bentpipe.engine import emulate
from bentpipe.engine.testbed import congestion_control
from bentpipe.model.flow import FlowSpec
from tests.campaign.fake_engine import record
from tests.support.models import changed, spec_with

BULK = ("bulk", "--link", "geo-alshagri-flat", "--duration", "60 s")


def test_each_option_is_a_flow(bentpipe, engine):
    bentpipe(*BULK, "--flow", "cubic", "--flow", "quic:bbr@10s")
    assert engine.specs[-1].workload.flows == [
        FlowSpec(cc="cubic", transport="tcp", start_ns=0),
        FlowSpec(cc="bbr", transport="quic", start_ns=10_000_000_000),
    ]


@pytest.fixture
def engine(engine):
    """A double whose runs have two flows."""

    def competing(run_id, spec, attempt):
        del attempt
        flows = [flow(cc="cubic"), flow(cc="bbr", transport="quic", share=None)]
        return changed(record(run_id, spec), flows=flows)

    engine.behave = competing
    return engine


def flow(**changes):
    return {
        "cc": "cubic",
        "transport": "tcp",
        "start_s": 0.0,
        "goodput_bps": 4e6,
        "share": 0.4,
        "bytes": 30_000_000,
        "rtt_mean_s": 0.7,
        "retransmitted_packets": 12,
        **changes,
    }


@pytest.mark.usefixtures("engine")
def test_flows_are_printed_as_a_table(bentpipe):
    lines = bentpipe(*BULK, "--flow", "cubic", "--flow", "quic:bbr").stdout.splitlines()
    assert lines[0] == "2 flows down over geo-alshagri-flat: succeeded"
    assert lines[-3].split() == [
        "FLOW", "START", "GOODPUT", "SHARE", "RECEIVED", "MEAN", "RTT", "RETRANSMITTED"
    ]  # fmt: skip
    assert lines[-2].split() == [
        "cubic", "over", "tcp", "0", "s", "4.00", "Mbit/s", "40.00", "%", "30.0", "MB", "700.00", "ms", "12"
    ]  # fmt: skip
    assert lines[-1].split()[:3] == ["bbr", "over", "quic"]


def test_flows_before_a_queue_that_marks_are_printed_with_their_99th_percentile(bentpipe, engine):
    under_load = {"min_s": 0.6, "p50_s": 0.61, "p99_s": 0.8}

    def marked(run_id, spec, attempt):
        del attempt
        return changed(record(run_id, spec), flows=[flow(rtt_under_load=under_load), flow(rtt_mean_s=None)])

    engine.behave = marked
    lines = bentpipe(*BULK, "--flow", "cubic", "--flow", "cubic").stdout.splitlines()
    assert lines[-3].split()[-5:] == ["MEAN", "RTT", "P99", "RTT", "RETRANSMITTED"]
    assert lines[-2].split()[-5:] == ["700.00", "ms", "800.00", "ms", "12"]
    assert lines[-1].split()[-3:] == ["-", "-", "12"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--flow", "cubic", "--cc", "bbr"), "--cc: expected nothing, as each of several flows has its own"),
        (("--flow", "fast"), "--flow: expected one of reno, cubic"),
        (("--flow", "cubic@61s"), "--flow: expected a flow that starts before all of them end"),
    ],
)
def test_bad_flows_are_named_as_written(bentpipe, engine, arguments, message):
    assert f"error: command line: {message}" in bentpipe(*BULK, *arguments, expect=2).stderr
    assert engine.calls == []


@pytest.mark.usefixtures("engine")
def test_one_flow_that_the_kernel_has_not_got_refuses_all_of_them(bentpipe):
    message = "command line: --flow: expected for TCP on the emulate engine one of reno, cubic, bbr"
    arguments = ("--flow", "cubic", "--flow", "bbr3")
    assert message in bentpipe(*BULK, *arguments, expect=2).stderr
    bentpipe(*BULK, "--flow", "cubic", "--flow", "quic:bbr3")


def test_what_flows_over_tcp_use_is_each_named_once_and_quic_not_at_all():
    flows = [("cubic", "tcp"), ("hybla", "tcp"), ("cubic", "tcp"), ("vivace", "quic")]
    workload = {"kind": "flows", "flows": [{"cc": cc, "transport": transport} for cc, transport in flows]}
    assert congestion_control.of_tcp(spec_with(cc="cubic", workload=workload)) == ("cubic", "hybla")


def test_what_the_machine_cannot_load_for_a_flow_is_said(bentpipe, monkeypatch):
    monkeypatch.setattr(emulate, "missing", list)
    monkeypatch.setattr(_core, "congestion_control_obstacle", lambda: "built without clang")
    arguments = ("--flow", "cubic", "--flow", "vivace", "--engine", "emulate")
    assert '"vivace" cannot be loaded into the kernel' in bentpipe(*BULK, *arguments, expect=2).stderr
