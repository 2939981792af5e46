"""Acknowledgements that each end of QUIC asks the other for, over an emulated link."""

import pytest

from tests.emulate.measuring import measured

FLOW = {
    # Without losses, after which a receiver acknowledges at once (section 6.2).
    "link": "flat:down=10Mbit/s,up=10Mbit/s,rtt=200ms,queue=10BDP",
    "cc": "cubic",
    "bulk": {"transport": "quic", "direction": "down", "size": "5 MB"},
}


@pytest.mark.parametrize(
    ("threshold", "packets"),
    # draft-ietf-quic-ack-frequency section 4: more than so many.
    [(1, 2), (9, 10)],
)
def test_a_receiver_acknowledges_one_packet_more_than_the_threshold(threshold, packets):
    frequency = {"ack_eliciting_threshold": threshold, "requested_max_ack_delay": "100 ms"}
    metrics = measured({**FLOW, "quic": {"ack_frequency": frequency}}).metrics
    # The handshake, and packets of the first windows that wait for no more, make it less.
    assert metrics.wire_packets_down / metrics.wire_packets_up == pytest.approx(packets, rel=0.15)
