"""Timeslots on the real kernel: a ping waits for capacity as it does in virtual time."""

import pytest

from bentpipe.engine.emulate import Emulator
from bentpipe.engine.simulate import Simulator
from tests.emulate.measuring import in_time, measured
from tools.specs import spec_of

SUPERFRAME_S = 0.343
"""Of geo-snep: 228 slots of 1504 symbols and a request slot of 424, at 1 Msym/s."""
SLOT_S = 1.504e-3
PROPAGATION_S = 0.52
FRAMING_S = 0.03
"""A slot, a DVB-S2 frame, and what the kernel adds."""
PINGS = 12
RUN = {"link": "geo-snep", "ping": {"count": PINGS, "interval": "1.3 s", "size": "56 B"}}


@pytest.fixture(scope="module")
def pings():
    """Pings under a kind of capacity, measured when they are asked for first."""
    found = {}

    def of(dama):
        if dama not in found:
            found[dama] = measured(RUN, f"link.return.dama={dama}").metrics
        return found[dama]

    return of


@pytest.mark.parametrize("dama", ["cra", "vbdc", "mixed"])
def test_a_ping_takes_as_long_as_in_virtual_time(pings, dama):
    simulated = Simulator().run(run_id="0", spec=spec_of(RUN, f"link.return.dama={dama}"), artifacts=None)
    # Two of them may have missed, by what the kernel takes, the superframe that they have in virtual time.
    allowed_s = 2 * SUPERFRAME_S / PINGS
    expected_s = simulated.metrics.rtt_mean_s
    assert pings(dama).rtt_mean_s == pytest.approx(expected_s, abs=allowed_s)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_first_ping_meets_the_superframe_that_it_meets_in_virtual_time(seed):
    """The seed draws how far superframe 0 is when the workload starts, however long programs took before."""
    once = "ping.count=1"
    simulated = Simulator().run(run_id="0", spec=spec_of(RUN, once, seed=seed), artifacts=None)
    emulated = in_time(lambda: Emulator().run(run_id="0", spec=spec_of(RUN, once, seed=seed), artifacts=None))
    expected_s = simulated.metrics.rtt_mean_s
    assert emulated.metrics.rtt_mean_s == pytest.approx(expected_s, abs=SUPERFRAME_S / 4)


def test_a_load_after_a_visit_meets_the_slot_that_it_meets_in_virtual_time():
    """It begins a tenth of a second after the visit, however long the orchestrator takes between them."""
    load = {"http": "h1", "page": "single-100k", "visit": "repeat"}
    spec = spec_of({"link": "geo-snep", **load}, "link.return.dama=cra")
    simulated = Simulator().run(run_id="0", spec=spec, artifacts=None)
    # The best of three: a host that was held up, or two that were, meets a later slot.
    emulated_s = [
        in_time(lambda: Emulator().run(run_id="0", spec=spec, artifacts=None)).metrics.connect_s
        for _ in range(3)
    ]
    assert min(abs(each_s - simulated.metrics.connect_s) for each_s in emulated_s) < SLOT_S / 2


def test_constant_capacity_costs_no_request_and_capacity_by_volume_a_second_hop(pings):
    """The terminal asks, the controller answers: another round trip before the packet may go."""
    constant_s, by_volume_s = (pings(dama).rtt_mean_s for dama in ("cra", "vbdc"))
    assert PROPAGATION_S < constant_s < PROPAGATION_S + FRAMING_S
    assert by_volume_s > constant_s + PROPAGATION_S
