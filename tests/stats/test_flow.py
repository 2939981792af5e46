"""A download whose figures are known: 10 Mbit/s for 20 s, then 30 Mbit/s for 20 s."""

import numpy as np
import pytest

from bentpipe.stats import Phase, Span, flow_of_series

MTU_BYTES = 1500
TIMES_S = np.arange(1, 401) * 0.1
RATES_BPS = np.where(TIMES_S < 20.05, 10e6, 30e6)


def download(*, length_s=40.0):
    """The download cut off after so many seconds; from second 20 on each 50th packet is retransmitted."""
    is_there = length_s + 1e-6 > TIMES_S
    times, rates = TIMES_S[is_there], RATES_BPS[is_there]
    packets = rates * 0.1 / 8 / MTU_BYTES
    rtts = np.where(times < 20.05, 0.6, 0.8)
    rtts[0] = np.nan
    return flow_of_series(
        progress={"time_s": times, "received_bytes": rates * 0.1 / 8},
        sender={
            "time_s": times,
            "srtt_s": rtts,
            "retransmitted_packets": np.cumsum(np.where(times < 20.05, 0.0, packets / 50)),
        },
        link={"time_s": times, "forward_sent_bytes": packets * MTU_BYTES},
        end_s=length_s,
        mtu_bytes=MTU_BYTES,
    )


def test_a_second_has_its_bytes_its_mean_round_trip_and_its_share_of_packets_sent_again():
    seconds = download().seconds(Span(from_s=0.0, to_s=40.0))
    assert len(seconds.end_s) == 40
    assert seconds.throughput_bps == pytest.approx([10e6] * 20 + [30e6] * 20)
    assert seconds.rtt_s == pytest.approx([0.6] * 20 + [0.8] * 20)
    assert seconds.resent_percent == pytest.approx([0.0] * 20 + [2.0] * 20, abs=1e-9)


def test_the_whole_flow_has_the_mean_over_time_and_the_percentiles_of_its_seconds():
    flow = download()
    means = flow.means(flow.span(Phase.OVERALL))
    assert means.throughput_bps == pytest.approx(20e6)
    # Twenty seconds of 10 and twenty of 30: the median lies half way between.
    assert means.throughput_percentiles_bps == pytest.approx((10e6, 20e6, 30e6))
    # By their bytes: 199 samples of 0.6 s, for the first has none, and 200 of 0.8 s with three times as many.
    assert means.rtt_s == pytest.approx((199 * 0.6 + 3 * 200 * 0.8) / (199 + 3 * 200))
    # 2 % of three quarters of the packets.
    assert means.resent_percent == pytest.approx(1.5)


def test_the_steady_state_is_the_last_half_of_the_bytes():
    flow = download()
    # 100 MB in all; the first 25 MB take 20 s, the next 25 MB a third of the last 20 s.
    span = flow.span(Phase.STEADY)
    assert (span.from_s, span.to_s) == pytest.approx((20 + 20 / 3, 40.0))
    assert flow.means(span).throughput_bps == pytest.approx(30e6)
    assert flow.means(span).rtt_s == pytest.approx(0.8)


def test_the_start_up_is_the_first_50_megabytes():
    flow = download()
    # 25 MB in 20 s, and 25 MB at 30 Mbit/s.
    span = flow.span(Phase.START_UP)
    assert (span.from_s, span.to_s) == pytest.approx((0.0, 20 + 20 / 3))
    assert flow.means(span).throughput_bps == pytest.approx(8 * 50e6 / (20 + 20 / 3))


def test_a_download_of_50_megabytes_has_no_start_up():
    assert download(length_s=26.0).span(Phase.START_UP) is None


def test_the_first_30_seconds_are_those():
    flow = download()
    means = flow.means(flow.span(Phase.FIRST_30_S))
    assert means.throughput_bps == pytest.approx((20 * 10e6 + 10 * 30e6) / 30)


def test_a_download_that_ends_before_has_no_first_30_seconds():
    assert download(length_s=29.9).span(Phase.FIRST_30_S) is None


def test_round_trips_of_a_span_have_shares_by_bytes():
    sample = download().round_trips(Span(from_s=10.0, to_s=30.0))
    # 10 s at 10 Mbit/s with 0.6 s, 10 s at 30 with 0.8 s.
    assert sample.share_from(0.7) == pytest.approx(0.75, abs=0.005)
    assert (sample.quantile_s(0.2), sample.quantile_s(0.3)) == pytest.approx((0.6, 0.8))


def test_a_span_below_a_second_has_its_mean_for_percentiles():
    assert download().means(Span(from_s=1.0, to_s=1.5)).throughput_percentiles_bps == pytest.approx(
        [10e6] * 3
    )


def test_a_second_without_a_sample_has_no_round_trip_and_none_sent_again():
    flow = download(length_s=10.0)
    seconds = flow.seconds(Span(from_s=12.0, to_s=13.0))
    assert np.isnan(seconds.rtt_s).all()
    assert seconds.resent_percent.tolist() == [0.0]


def test_bytes_of_the_last_bin_came_before_the_last_byte():
    flow = flow_of_series(
        progress={"time_s": np.array([0.1, 0.2]), "received_bytes": np.array([100.0, 50.0])},
        sender={
            "time_s": np.array([0.1]),
            "srtt_s": np.array([0.6]),
            "retransmitted_packets": np.array([0.0]),
        },
        link={"time_s": np.array([0.1]), "forward_sent_bytes": np.array([150.0])},
        end_s=0.15,
        mtu_bytes=MTU_BYTES,
    )
    assert flow.received.within(Span(from_s=0.0, to_s=0.15)) == pytest.approx(150.0)
