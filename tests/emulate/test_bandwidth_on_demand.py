"""Timeslots on the real kernel: an echo waits for capacity as it does in virtual time."""

import pytest

from bentpipe.engine.simulate import Simulator
from tests.emulate.measuring import measured
from tests.support.specs import spec_of

SUPERFRAME_S = 0.343
"""Of geo-snep: 228 slots of 1504 symbols and a request slot of 424, at 1 Msym/s."""
PROPAGATION_S = 0.52
FRAMING_S = 0.03
"""A slot, a DVB-S2 frame, and what the kernel adds."""
ECHOES = 20


def echoes(dama):
    ping = {"count": ECHOES, "interval": "1.7 s", "size": "56 B"}
    return {"link": "geo-snep", "ping": ping}, f"link.return.dama={dama}"


@pytest.mark.parametrize("dama", ["cra", "rbdc", "vbdc", "mixed"])
def test_an_echo_takes_as_long_as_in_virtual_time(dama):
    run, setting = echoes(dama)
    simulated = Simulator().run(run_id="0", spec=spec_of(run, setting), artifacts=None)["metrics"]
    emulated = measured(run, setting)["metrics"]
    # Three of them may have missed, by what the kernel takes, the superframe that they have in virtual time.
    assert emulated["rtt_mean_s"] == pytest.approx(simulated["rtt_mean_s"], abs=3 * SUPERFRAME_S / ECHOES)


def test_constant_capacity_costs_no_request_and_capacity_by_volume_a_second_hop():
    """The terminal asks, the controller answers: another round trip before the packet may go."""
    constant, by_volume = (measured(*echoes(dama))["metrics"]["rtt_mean_s"] for dama in ("cra", "vbdc"))
    assert PROPAGATION_S < constant < PROPAGATION_S + FRAMING_S
    assert by_volume > constant + PROPAGATION_S
