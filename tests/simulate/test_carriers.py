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


def test_a_scheduler_in_steps_makes_echoes_later_by_half_a_period_on_average():
    """OpenSAND's `fwd_timer` of 10 ms: uniform on a period, before a forward frame of whatever length."""
    echoes = {"link": "geo-alshagri", "ping": {"count": 2_000, "interval": "203.7 ms"}}
    stepwise = ("link.forward.dvbs2.scheduling_period=10 ms", "link.forward.dvbs2.idle=silence")
    without, steps = (
        Simulator().run(run_id="0", spec=spec_of(echoes, *settings), artifacts=None).metrics.rtt_mean_s
        for settings in ((), stepwise)
    )
    # Without steps an echo waits for half of a dummy frame of 3330 symbols at 2.264 Msymbol/s.
    dummy_s = 3330 / 2.264e6
    # Five standard errors of 2000 waits of up to 10 ms are 0.3 ms; slots of the return link add their own.
    assert steps - without == pytest.approx(0.005 - dummy_s / 2, abs=0.0005)
