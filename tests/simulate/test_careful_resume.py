"""Careful Resume in whole runs: what it saves, what a false or stale capacity costs, and who knows what.

The flow is that of picoquic's tests of seeded starts: 100 MB over 250/3 Mbit/s and 600 ms.
Phases: RFC 9959, 3.
"""

import pytest

from bentpipe.engine.simulate import Simulator
from tools.specs import spec_of

LINK = "flat:down=250Mbit/s,up=3Mbit/s,rtt=600ms,queue=1BDP"
BDP_BYTES = 250_000_000 * 6 // 10 // 8
VALIDATED = ["reconnaissance", "unvalidated", "validating", "normal"]


def record_of(run, seed=1):
    record = Simulator().run(run_id="0123456789abcdef", spec=spec_of(run, seed=seed), artifacts=None)
    assert record.status == "succeeded", record.reasons
    return record


def flow(transport="quic", cc="cubic", size="100 MB", **resume):
    bulk = {"transport": transport, "size": size}
    return record_of({"link": LINK, "cc": cc, "bulk": bulk, "resume": resume or "none"})


def steps(record):
    """The phases at the sender."""
    (connection,) = record.origin_connections
    return connection.resumption or []


def phases(record):
    return [step.phase for step in steps(record)]


@pytest.fixture(scope="module")
def alone():
    return {cc: flow(cc=cc) for cc in ("cubic", "reno", "bbr")}


@pytest.mark.parametrize("cc", ["cubic", "reno", "bbr"])
def test_a_sender_that_knows_the_path_skips_its_slow_start(cc, alone):
    resumed = flow(cc=cc, saved_capacity="1 x")
    assert phases(resumed) == VALIDATED
    assert phases(alone[cc]) == []
    # Half a BDP is reached after two round trips instead of eleven.
    assert alone[cc].metrics.completion_s - resumed.metrics.completion_s > 5 * 0.6


@pytest.mark.parametrize("cc", ["cubic", "reno", "bbr"])
def test_a_capacity_of_twice_the_link_s_costs_no_more_than_a_twentieth(cc, alone):
    false = flow(cc=cc, saved_capacity="2 x")
    assert false.metrics.completion_s <= 1.05 * alone[cc].metrics.completion_s


def test_a_stale_capacity_and_another_path_change_nothing(alone):
    stale = flow(saved_capacity="1 x", saved_age="2 h")
    assert phases(stale) == []
    assert stale.metrics == alone["cubic"].metrics
    other = flow(saved_capacity="1 x", saved_rtt="3 x")
    assert phases(other) == ["reconnaissance", "normal"]
    assert steps(other)[-1].trigger == "rtt_not_validated"
    assert other.metrics == alone["cubic"].metrics


def test_a_jump_that_overruns_the_link_is_a_retreat_to_half_of_what_was_validated():
    record = flow(saved_capacity="6 x", size="60 MB")
    assert phases(record) == ["reconnaissance", "unvalidated", "validating", "safe_retreat", "normal"]
    *_, validating, retreat, normal = steps(record)
    assert retreat.trigger == "packet_loss"
    assert retreat.cwnd_bytes == pytest.approx(retreat.pipe_size_bytes / 2, abs=1)
    assert retreat.cwnd_bytes < validating.cwnd_bytes / 2
    # Linux's beta of CUBIC.
    assert normal.ssthresh_bytes == pytest.approx(normal.pipe_size_bytes * 717 / 1024, abs=1)


def load(visit="repeat", http="h3", **resume):
    return record_of(
        {
            "link": LINK,
            "http": http,
            "page": {"name": "one", "objects": ["10 MB"]},
            "visit": visit,
            "tls": {"resumption": "early-data"},
            "resume": resume or "none",
        }
    )


def test_a_visit_before_teaches_the_server_the_path():
    known = load(method="careful")
    assert phases(known) == VALIDATED
    # What was seen of 10 MB is less than the BDP; the RTT is the path's and what packets take on it.
    first = steps(known)[0]
    assert 1_000_000 < first.saved_cwnd_bytes <= BDP_BYTES
    assert first.saved_rtt_ns == pytest.approx(600e6, rel=0.01)
    assert len(known.client_connections) == 1
    assert known.metrics.plt_s < load().metrics.plt_s - 2 * 0.6


def test_a_first_visit_knows_nothing():
    assert phases(load(visit="first", method="careful")) == []


def test_simulated_tcp_resumes_as_far_as_its_receiver_lets_it():
    alone, resumed = (flow("tcp", size="20 MB", **keys) for keys in ({}, {"saved_capacity": "1 x"}))
    assert phases(alone) == []
    assert phases(resumed)[:2] == ["reconnaissance", "unvalidated"]
    assert resumed.metrics.completion_s <= alone.metrics.completion_s
