"""A DVB-S2 carrier in virtual time: what the standard's numbers say is what a flow and a ping meet."""

import pytest

from bentpipe.engine.simulate import Simulator
from tests.support import carriers
from tools.specs import spec_of


def simulated(run):
    record = Simulator().run(run_id="0123456789abcdef", spec=spec_of(run, seed=1), artifacts=None)
    assert record.status == "succeeded", record.reasons
    return record


def test_a_saturated_carrier_carries_symbol_rate_times_efficiency_less_encapsulation():
    assert carriers.rate_bps(simulated(carriers.FLOW)) == pytest.approx(carriers.net_rate_bps(), rel=2e-3)


def test_a_ping_on_an_idle_carrier_waits_for_the_end_of_a_dummy_frame_and_for_its_own_frame():
    metrics = simulated(carriers.PINGS).metrics
    least_s = carriers.idle_rtt_s()
    assert least_s <= metrics.rtt_min_s <= metrics.rtt_max_s <= least_s + carriers.DUMMY_S + 1e-6
    # At any instant of a dummy frame alike: half of one on average.
    assert metrics.rtt_mean_s == pytest.approx(least_s + carriers.DUMMY_S / 2, abs=0.2e-3)
