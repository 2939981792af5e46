"""iperf3's own words as reports of a client and an origin.

The documents have the shape that iperf3 3.12 writes, cut down to what is read, with round numbers.
"""

import pytest

from bentpipe.engine.programs import iperf3_report
from bentpipe.model.reason import NothingTransferredReason
from bentpipe.model.report import LinkReport
from tests.support.models import complete, spec_with

FORWARD_S = 0.25
"""One-way delay; the word of a test's beginning takes as long to reach the client."""

MARKED_S = 100.0
"""On the run's clock, when the link started to count."""

PORT = 40_000


def interval(start, end, **figures):
    return {"streams": [{"start": start, "end": end, **figures}]}


def received(*amounts):
    """Intervals of 100 ms at a receiver."""
    return [interval(0.1 * n, 0.1 * (n + 1), bytes=amount) for n, amount in enumerate(amounts)]


def sent(*rows):
    """Intervals of 100 ms at a sender: window, smoothed round trip in microseconds, packets retransmitted."""
    return [
        interval(0.1 * n, 0.1 * (n + 1), bytes=8000, snd_cwnd=cwnd, rtt=rtt, retransmits=again)
        for n, (cwnd, rtt, again) in enumerate(rows)
    ]


def sender(intervals, retransmits=0):
    return {
        "start": {"version": "iperf 3.12", "connected": [{"local_port": PORT, "remote_port": 5201}]},
        "intervals": intervals,
        "end": {
            "sum_sent": {"bytes": 64_000, "retransmits": retransmits},
            "sum_received": {"bytes": 0},
            "sender_tcp_congestion": "bp_hybla",
            "receiver_tcp_congestion": "what the other end says",
        },
    }


def receiver(intervals):
    return {
        "start": {"version": "iperf 3.12", "connected": [{"local_port": PORT, "remote_port": 5201}]},
        "intervals": intervals,
        "end": {
            "sum_sent": {"bytes": 0, "retransmits": 77},
            "sum_received": {"bytes": sum(one["streams"][0]["bytes"] for one in intervals)},
            "sender_tcp_congestion": "what the other end says",
            "receiver_tcp_congestion": "cubic",
        },
    }


def spec(direction):
    delay_ns = round(FORWARD_S * 1e9)
    return spec_with(
        workload={"kind": "iperf3", "direction": direction},
        link={"forward": {"delay_ns": delay_ns}, "return": {"delay_ns": 1}},
    )


def link(direction, *sent_bytes):
    """The link's report: bins of 100 ms in the data's direction, nothing but control packets in the other."""
    other = {"forward": "return", "return": "forward"}[direction]
    series = {
        "time_s": [MARKED_S + 0.1 * (n + 1) for n in range(len(sent_bytes))],
        f"{direction}_sent_bytes": list(sent_bytes),
        f"{other}_sent_bytes": [200] * len(sent_bytes),
    }
    return complete(LinkReport, {"marked": round(MARKED_S * 1e9), "series": series})


def down(client, server, *sent_bytes):
    return iperf3_report.reports(
        client=client, server=server, spec=spec("down"), link=link("forward", *sent_bytes)
    )


def up(client, server, *sent_bytes):
    return iperf3_report.reports(
        client=client, server=server, spec=spec("up"), link=link("return", *sent_bytes)
    )


def test_the_receiver_of_a_flow_down_is_the_client_and_the_sender_the_origin():
    client, origin = down(receiver(received(0, 8000, 16_000, 0)), sender(sent((15_000, 530_000, 0))), 20_000)
    (transfer,) = client.transfers
    assert (transfer.flow, transfer.bytes) == (0, 24_000)
    assert origin.transfers == []
    assert client.sender == {}
    assert origin.sender["cwnd_bytes"] == [15_000]
    assert origin.sender["srtt_s"] == [pytest.approx(0.53)]


def test_a_flow_up_is_the_other_way_round():
    client, origin = up(sender(sent((15_000, 530_000, 0))), receiver(received(0, 8000)), 20_000)
    (transfer,) = origin.transfers
    assert (transfer.bytes, client.transfers) == (8000, [])
    assert (client.sender["client_port"], origin.sender) == ([PORT], {})


def test_a_flow_down_starts_at_the_server_with_its_first_data_and_at_the_client_a_delay_later():
    """Two bins of control packets, then data: the test started with the third, 0.2 s after the mark."""
    client, origin = down(
        receiver(received(8000, 8000)), sender(sent((1, 1, 0), (1, 1, 0))), 600, 600, 15_000
    )
    started_s = MARKED_S + 0.2
    assert client.started == round((started_s + FORWARD_S) * 1e9)
    (transfer,) = client.transfers
    assert transfer.progress["time_s"] == pytest.approx(
        [started_s + FORWARD_S + 0.1, started_s + FORWARD_S + 0.2]
    )
    assert origin.sender["time_s"] == pytest.approx([started_s + 0.1, started_s + 0.2])


def test_a_flow_up_starts_at_the_client_with_its_first_data_and_at_the_server_a_delay_before():
    client, origin = up(sender(sent((1, 1, 0))), receiver(received(0, 0, 8000)), 600, 15_000)
    started_s = MARKED_S + 0.1
    assert client.started == round((started_s - FORWARD_S) * 1e9)
    assert client.sender["time_s"] == pytest.approx([started_s + 0.1])
    assert origin.transfers[0].progress["time_s"][0] == pytest.approx(started_s - FORWARD_S + 0.1)


def test_first_and_last_byte_are_those_of_the_intervals_that_hold_them():
    client, _ = down(receiver(received(0, 8000, 0, 16_000, 0, 0)), sender(sent((1, 1, 0))), 20_000)
    (transfer,) = client.transfers
    started_s = MARKED_S + FORWARD_S
    assert transfer.first_byte / 1e9 == pytest.approx(started_s + 0.1)
    assert transfer.last_byte / 1e9 == pytest.approx(started_s + 0.4)


def test_packets_sent_again_add_up_over_the_intervals():
    _, origin = down(
        receiver(received(8000)), sender(sent((1, 1, 0), (1, 1, 3), (1, 1, 2)), retransmits=6), 20_000
    )
    assert origin.sender["retransmitted_packets"] == [0, 3, 5]
    # After the last interval it sent one more.
    (connection,) = origin.connections
    assert connection.retransmitted_packets == 6


def test_each_end_says_itself_which_congestion_control_it_had():
    client, origin = down(receiver(received(8000)), sender(sent((1, 1, 0))), 20_000)
    (at_client,), (at_origin,) = client.connections, origin.connections
    assert (at_client.congestion_control, at_origin.congestion_control) == ("cubic", "bp_hybla")
    assert at_client.retransmitted_packets == 0
    assert at_client.client_port == at_origin.client_port == PORT


def test_a_test_without_payload_is_a_fault():
    client, origin = down(receiver(received(0, 0)), sender(sent((1, 1, 0))), 600)
    assert client.faults == [NothingTransferredReason()]
    assert (client.transfers, origin.transfers) == ([], [])


def test_the_program_and_its_version_go_to_the_provenance():
    assert iperf3_report.versions(receiver(received(8000))) == {"iperf3": "3.12"}
    assert iperf3_report.versions({}) == {}
