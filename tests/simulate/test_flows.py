"""Eight flows of mixed algorithms on one link for five minutes of virtual time, and their report."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from bentpipe.cli import main
from bentpipe.engine.simulate import Simulator
from tools.specs import spec_of

EXAMPLE = Path(__file__).parents[2] / "scenarios" / "fairness.toml"
FLOWS = ["cubic", "bbr", "reno", "hybla", "vivace", "quic:cubic", "quic:bbr", "quic:bbr3"]
MINUTES = 5
WINDOW_S = 30


def simulated(spec):
    return Simulator().run(run_id="0123456789abcdef", spec=spec, artifacts=None)


@pytest.fixture(scope="module", params=["1 BDP", "4 BDP"])
def spec(request):
    link = f"flat:down=10Mbit/s,up=2Mbit/s,rtt=600ms,queue_down={request.param.replace(' ', '')}"
    return spec_of({"link": link, "bulk": {"duration": f"{MINUTES} min", "flows": FLOWS}})


@pytest.fixture(scope="module")
def record(spec):
    found = simulated(spec)
    assert (found.status, found.reasons) == ("succeeded", [])
    return found


def received(record):
    """Return the payload of each flow in each window of half a minute, in bytes; one row per flow."""
    progress = record.series["progress"]
    ports, times, amounts = (
        np.asarray(progress[name]) for name in ("client_port", "time_s", "received_bytes")
    )
    edges = np.arange(0, MINUTES * 60 + 1, WINDOW_S)
    rows = []
    for flow in record.flows:
        own = ports == flow.client_port
        rows.append(np.histogram(times[own], bins=edges, weights=amounts[own])[0])
    return np.array(rows)


def test_no_flow_starves_in_any_half_minute(record):
    amounts = received(record)
    assert amounts.shape == (len(FLOWS), MINUTES * 60 // WINDOW_S)
    starved = [(FLOWS[flow], WINDOW_S * window) for flow, window in np.argwhere(amounts == 0)]
    assert starved == []


def test_the_link_is_full_from_the_second_window_to_the_last(record):
    # Drift over the run would show as a link that carries less and less, or more than it can.
    link = record.series["link"]
    edges = np.arange(0, MINUTES * 60 + 1, WINDOW_S)
    delivered, _ = np.histogram(link["time_s"], bins=edges, weights=link["forward_delivered_bytes"])
    rates_bps = delivered[1:] * 8 / WINDOW_S
    # A window holds whole bins of 100 ms, and may have one more or less at either end.
    assert (rates_bps <= 10e6 * (1 + 2 * 0.1 / WINDOW_S)).all(), rates_bps
    assert (rates_bps >= 9e6).all(), rates_bps


def test_no_more_has_arrived_by_any_time_than_the_link_can_carry(record):
    arrived = received(record).sum(axis=0).cumsum() * 8
    assert (arrived <= 10e6 * WINDOW_S * np.arange(1, len(arrived) + 1)).all(), arrived


def test_what_flows_received_is_what_the_link_delivered_less_headers(record):
    metrics = record.metrics
    payload = sum(flow.bytes for flow in record.flows)
    assert payload == metrics.payload_bytes == sum(record.series["progress"]["received_bytes"])
    delivered = sum(record.series["link"]["forward_delivered_bytes"])
    assert metrics.utilisation == pytest.approx(delivered * 8 / 10e6 / metrics.completion_s, rel=1e-6)
    # What arrived twice after a needless retransmission is no payload; headers are 3.5 to 6 %.
    assert 0.90 < payload / delivered < 0.97


def test_shares_are_reported_and_add_up_to_one(record):
    shares = [flow.share for flow in record.flows]
    assert sum(shares) == pytest.approx(1)
    assert record.metrics.jain_index == pytest.approx(1 / (len(shares) * sum(s**2 for s in shares)))
    found = [f"{'quic:' * (flow.transport == 'quic')}{flow.cc}" for flow in record.flows]
    assert found == FLOWS


def test_all_flows_end_at_the_common_end(record):
    # Reno that loses what it repeats waits up to half a minute for its next timeout beside the others.
    end_s = MINUTES * 60
    assert all(end_s - WINDOW_S < flow.last_byte_s <= end_s for flow in record.flows)


def test_the_same_again_is_the_same(spec, record):
    assert simulated(spec).to_json() == record.to_json()


def test_the_example_is_reported_with_its_flows_and_their_shares_over_time(tmp_path):
    arguments = ["run", str(EXAMPLE), "--quick", "--engine", "simulate", "--out", str(tmp_path)]
    assert CliRunner().invoke(main, arguments, catch_exceptions=False).exit_code == 0
    report = json.loads((tmp_path / "report.json").read_text())
    (cell,) = report["flows"]
    assert [flow["label"] for flow in cell["flows"]] == FLOWS
    assert sum(flow["share"] for flow in cell["flows"]) == pytest.approx(1)
    assert "shares-1" in [figure["name"] for figure in report["figures"]]
    page = (tmp_path / "report.html").read_text()
    assert "quic:bbr3" in page
    with (tmp_path / "flows.csv").open() as file:
        assert [row["cc"] for row in csv.DictReader(file)] == [word.split(":")[-1] for word in FLOWS]
