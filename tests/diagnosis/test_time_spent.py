"""Expected values follow from the bins that each test makes: 0.1 s apart, on a link of 8 Mbit/s."""

import numpy as np
import pytest

from bentpipe.diagnosis.time_spent import Spent, shares
from tests.support.models import record_with

FULL_BYTES = 100_000
"""What 8 Mbit/s carry in 0.1 s."""


def record(*, cc="cubic", workload="page-load", tcp=None, **metrics):
    capacity = {"kind": "constant", "rate_bps": 8_000_000}
    direction = {"capacity": capacity}
    return record_with(
        status="succeeded",
        spec={"cc": cc, "link": {"forward": direction, "return": direction}, "workload": {"kind": workload}}
        | ({} if tcp is None else {"tcp": tcp}),
        metrics=metrics,
    )


def series(
    *, bins, queue_bytes=0, delivered_bytes=0, cwnd_bytes=14_480, in_flight_bytes=0, again=0, **limited
):
    times = np.arange(bins) * 0.1
    full = lambda value: np.broadcast_to(np.asarray(value, dtype=float), (bins,))  # noqa: E731
    link = {
        "time_s": times,
        "forward_queue_bytes": full(queue_bytes),
        "forward_delivered_bytes": full(delivered_bytes),
    }
    sender = {
        "time_s": times,
        "client_port": full(40_000),
        "cwnd_bytes": full(cwnd_bytes),
        "in_flight_bytes": full(in_flight_bytes),
        "retransmitted_packets": full(again),
        **{name: full(value) for name, value in limited.items()},
    }
    return {"link": link, "sender": sender}


def spent(run, tables):
    return {share.spent: pytest.approx(share.time_s) for share in shares(run, tables)}


HANDSHAKES = {"connect_s": 0.5, "tls_s": 0.5, "ttfb_s": 2.0}
OF_HANDSHAKES = {Spent.CONNECT: 0.5, Spent.TLS: 0.5, Spent.FIRST_BYTE: 1.0}


def test_handshakes_come_first_and_the_rest_is_waiting_without_series():
    assert spent(record(plt_s=3.0, **HANDSHAKES), {}) == {**OF_HANDSHAKES, Spent.IDLE: 1.0}


def test_the_first_name_comes_before_the_handshakes():
    run = record(plt_s=3.0, connect_s=0.5, tls_s=0.5, ttfb_s=2.5)
    asked = record_with(
        **{name: getattr(run, name) for name in ("status", "spec", "metrics")},
        client_connections=[{"name_lookup_ns": 500_000_000}],
    )
    assert spent(asked, {}) == {Spent.NAME: 0.5, **OF_HANDSHAKES, Spent.IDLE: 0.5}


@pytest.mark.parametrize(
    ("cc", "tables", "what"),
    [
        ("cubic", {"queue_bytes": 1, "delivered_bytes": FULL_BYTES}, Spent.LINK),
        ("cubic", {"queue_bytes": 1, "delivered_bytes": FULL_BYTES / 2}, Spent.IDLE),
        ("cubic", {"in_flight_bytes": 14_480}, Spent.CWND),
        ("cubic", {"in_flight_bytes": 1000}, Spent.APPLICATION),
        ("bbr", {"in_flight_bytes": 1000}, Spent.PACED),
        ("cubic", {"in_flight_bytes": 1000, "again": np.arange(40)}, Spent.RECOVERY),
        ("cubic", {}, Spent.IDLE),
    ],
)
def test_after_the_first_byte_each_bin_counts_for_what_held_the_sender_back(cc, tables, what):
    found = spent(record(cc=cc, plt_s=4.0, **HANDSHAKES), series(bins=40, **tables))
    assert found == {**OF_HANDSHAKES, what: 2.0}


@pytest.mark.parametrize("limited", [{}, {"rwnd_limited_s": np.nan, "sndbuf_limited_s": np.nan}])
def test_nothing_tells_both_windows_apart_over_quic_and_in_older_records(limited):
    run = record(workload="bulk", completion_s=4.0, connect_s=1.0)
    found = spent(run, series(bins=40, in_flight_bytes=1000, **limited))
    assert found == {Spent.CONNECT: 1.0, Spent.WINDOW: 3.0}


@pytest.mark.parametrize("tcp", [{"pacing": "on"}, {"max_pacing_rate_bps": 1_000_000}])
def test_a_sender_that_is_paced_whatever_its_congestion_control_has_room_and_waits(tcp):
    run = record(workload="bulk", tcp=tcp, completion_s=4.0, connect_s=1.0)
    found = spent(run, series(bins=40, in_flight_bytes=1000, rwnd_limited_s=0, sndbuf_limited_s=0))
    assert found == {Spent.CONNECT: 1.0, Spent.PACED: 3.0}


@pytest.mark.parametrize("workload", ["bulk", "page-load"])
@pytest.mark.parametrize(
    ("rwnd_share", "sndbuf_share", "what"),
    [(0.6, 0, Spent.RWND), (0, 0.6, Spent.SNDBUF), (0.6, 0.6, Spent.RWND), (0.4, 0.4, None)],
)
def test_what_tcp_counts_for_half_of_a_bin_or_more_held_it_back(workload, rwnd_share, sndbuf_share, what):
    """Else a page has nothing more to send, and a flow, which has, waits for its send buffer."""
    end = {"bulk": {"completion_s": 4.0}, "page-load": {"plt_s": 4.0, "ttfb_s": 1.0}}[workload]
    counted_s = 0.1 * np.arange(1, 41)
    limited = {"rwnd_limited_s": rwnd_share * counted_s, "sndbuf_limited_s": sndbuf_share * counted_s}
    # The congestion window has no room either where one of the others is said to be full.
    in_flight_bytes = 1000 if what is None else 14_480
    found = spent(
        record(workload=workload, connect_s=1.0, **end),
        series(bins=40, in_flight_bytes=in_flight_bytes, **limited),
    )
    otherwise = Spent.APPLICATION if workload == "page-load" else Spent.SNDBUF
    assert found == {Spent.CONNECT: 1.0, what or otherwise: 3.0}


@pytest.mark.parametrize("cc", ["cubic", "bbr"])
def test_a_flow_has_nothing_more_to_send_when_what_is_in_flight_only_falls(cc):
    run = record(cc=cc, workload="bulk", completion_s=4.0, connect_s=1.0)
    falling = [8000, 9000] * 15 + [1000 * (10 - n) for n in range(1, 11)]
    found = spent(run, series(bins=40, in_flight_bytes=falling, rwnd_limited_s=0, sndbuf_limited_s=0))
    otherwise = Spent.PACED if cc == "bbr" else Spent.SNDBUF
    # Ten rows, of which in the last nothing is in flight.
    assert found == {Spent.CONNECT: 1.0, otherwise: 2.1, Spent.APPLICATION: 0.8, Spent.IDLE: 0.1}


def test_pings_have_no_such_parts():
    assert shares(record(workload="ping", rtt_mean_s=0.5), {}) == ()


def test_the_parts_add_up_to_the_whole():
    run = record(plt_s=3.97, connect_s=0.513, tls_s=0.52, ttfb_s=1.61)
    found = shares(run, series(bins=39, in_flight_bytes=[14_480] * 30 + [0] * 9))
    assert sum(share.time_s for share in found) == pytest.approx(3.97, abs=0.1)
