"""A DVB-S2 carrier on the real kernel: what the standard's numbers say is what a flow and a ping meet."""

import statistics

import pytest

from tests.emulate.measuring import measured
from tests.support import carriers


def test_a_saturated_carrier_carries_symbol_rate_times_efficiency_less_encapsulation():
    assert carriers.rate_bps(measured(carriers.FLOW)) == pytest.approx(carriers.net_rate_bps(), rel=2e-3)


def test_a_ping_on_an_idle_carrier_waits_for_the_end_of_a_dummy_frame_and_for_its_own_frame():
    record = measured(carriers.PINGS)
    least_s = carriers.idle_rtt_s()
    assert least_s <= record.metrics.rtt_min_s
    # Within a frame's time of the closed form; pings that the machine held up do not move the median.
    median_s = statistics.median(record.series["ping"]["rtt_s"])
    assert median_s == pytest.approx(least_s + carriers.DUMMY_S / 2, abs=carriers.FRAME_S)
