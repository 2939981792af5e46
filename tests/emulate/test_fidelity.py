"""The emulated link against closed forms: what goes in at a rate comes out at that rate, that much later."""

import statistics

import pytest
from scipy.stats import binom

from tests.emulate.measuring import MOST_ATTEMPTS, measured, measured_together

pytestmark = pytest.mark.alone

HEADERS_BYTES = 20 + 8
"""IPv4 (RFC 791) and UDP (RFC 768)."""

TCP_SHARE = 1448 / 1500
"""MSS with timestamps (RFC 7323) over the packet: 1500 - 20 (IPv4) - 20 (TCP) - 12 (timestamps)."""

QUIC_SHARE = (1472 - 1 - 8 - 4 - 16 - 1 - 1 - 8 - 2) / 1500
"""Stream data in a packet of 1472 bytes of UDP payload, at least: short header with connection id of 8 and
packet number of up to 4 bytes (RFC 9000 section 17.3), AEAD tag of 16 (RFC 9001 section 5.3), STREAM frame
with type, id, offset of up to 8 and length of 2 bytes (RFC 9000 section 19.8)."""

GOODPUT_BAR = 0.995
"""Goodput over the possible goodput, at least: half a percent is for slow start and the machine."""

FULL_PACKET_BYTES = 1500 - HEADERS_BYTES
"""Of payload: at 10 Mbit/s a packet takes 1.2 ms each way."""

PING_TOLERANCE_S = 1e-3
"""Two passes through each network stack and four wake-ups of sleeping processes.

A wake-up takes 0.1 ms, and 0.2 ms on a virtual machine whose cores sleep between pings. Less than a
transmission (1.2 ms), which is found if it is counted twice by the median, and if it is left out by the
minimum; so are a delay of the link that is wrong by 1 ms, and a tick of the kernel (4 ms at 250 Hz).
"""

PING_SPREAD_S = 0.4e-3
"""Between the quartiles. A link that released packets on a grid of 1 ms would have 0.5 ms."""


TEN_MBIT = "flat:down=10Mbit/s,up=10Mbit/s,rtt=20ms,queue=2BDP"


def bulk(*, transport="tcp", direction="down", duration="4 s", link=TEN_MBIT):
    flow = {"transport": transport, "direction": direction, "duration": duration}
    return {"link": link, "cc": "cubic", "bulk": flow}


def serialisation_s(record):
    """Both transmissions of a ping: bits over rate, in each direction."""
    spec = record.spec
    bits = 8 * (spec.workload.payload_bytes + HEADERS_BYTES)
    directions = (spec.link.forward, spec.link.return_)
    return sum(bits / direction.capacity.rate_bps for direction in directions)


def spread_s(record):
    """Return how far the quartiles of the pings lie apart: what a few of them wait for changes it little."""
    lower, _, upper = statistics.quantiles(record.series["ping"]["rtt_s"], n=4)
    return upper - lower


def quietest(run):
    """Return the attempt of the least spread; the first that is within the bound does.

    A machine loses its cores to others for 100 ms now and then, and a slice of another program is 3 ms. The
    link's own lateness does not show it where the client or the origin had to wait.
    """
    records = []
    for _ in range(MOST_ATTEMPTS):
        records.append(measured(run))
        if spread_s(records[-1]) < PING_SPREAD_S:
            break
    return min(records, key=spread_s)


@pytest.mark.parametrize(
    ("link", "interval", "count", "rtt_s"),
    # Intervals that meet every phase of a grid of 1 ms, by tenths.
    [("geo-alshagri-flat", "103.7 ms", 20, 0.530), ("lan", "10.7 ms", 50, 1.08e-3)],
)
def test_pings_take_the_round_trip_of_the_link_and_their_own_transmission(link, interval, count, rtt_s):
    ping = {"count": count, "interval": interval, "size": f"{FULL_PACKET_BYTES} B"}
    record = quietest({"link": link, "ping": ping})
    expected_s = rtt_s + serialisation_s(record)
    assert record.metrics.rtt_min_s >= expected_s
    median_s = statistics.median(record.series["ping"]["rtt_s"])
    assert median_s == pytest.approx(expected_s, abs=PING_TOLERANCE_S)
    assert spread_s(record) < PING_SPREAD_S
    assert record.metrics.ping_loss_fraction == 0


def test_a_link_that_loses_a_fifth_loses_as_many_packets_as_chance_allows():
    """Bounds: the central 1 - 1e-9 of the binomial distribution."""
    count = 300
    run = {
        "link": "flat:down=10Mbit/s,up=10Mbit/s,rtt=20ms,loss=20%",
        "ping": {"count": count, "interval": "5 ms"},
    }
    metrics = measured(run).metrics
    sent = {"return_": count, "forward": count - metrics.drops.return_.channel}
    for direction, packets in sent.items():
        least, most = binom.interval(1 - 1e-9, packets, 0.2)
        assert least <= getattr(metrics.drops, direction).channel <= most
    lost = sum(getattr(metrics.drops, direction).channel for direction in sent)
    assert metrics.ping_loss_fraction == pytest.approx(lost / count)


@pytest.mark.parametrize("direction", ["down", "up"])
def test_a_tcp_flow_fills_the_link_in_either_direction(direction):
    metrics = measured(bulk(direction=direction)).metrics
    assert GOODPUT_BAR <= metrics.goodput_bps / (10e6 * TCP_SHARE) <= 1


def test_a_quic_flow_fills_the_link():
    metrics = measured(bulk(transport="quic")).metrics
    # Shorter numbers than the longest leave up to 13 bytes more for data.
    assert GOODPUT_BAR <= metrics.goodput_bps / (10e6 * QUIC_SHARE) <= 1 + 13 / 1431


@pytest.mark.parametrize(
    ("queue", "limit_bytes"),
    [
        ("20packets", 20 * 1500),
        ("30000B", 30_000),
        # A packet that waits up to 120 ms finds up to 120 ms x 2 Mbit/s before it, and joins it.
        ("120ms", 30_000 + 1500),
    ],
)
def test_a_queue_fills_to_its_limit_and_drops_what_comes_then(queue, limit_bytes):
    link = f"flat:down=2Mbit/s,up=2Mbit/s,rtt=40ms,queue={queue}"
    metrics = measured(bulk(link=link, duration="1500 ms")).metrics
    assert limit_bytes - 2 * 1500 < metrics.queue_max_bytes_down <= limit_bytes
    assert metrics.drops.forward.queue > 0
    assert metrics.drops.forward.channel == 0


def test_two_worlds_at_once_do_not_disturb_each_other():
    for record in measured_together([bulk(), bulk()]):
        metrics = record.metrics
        assert GOODPUT_BAR <= metrics.goodput_bps / (10e6 * TCP_SHARE) <= 1
        assert metrics.lateness_p999_s < 1e-3
