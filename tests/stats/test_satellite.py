import numpy as np
import pytest

from bentpipe.model.dvbs2 import Dvbs2CapacitySpec
from bentpipe.scenario.link.description import modcods
from bentpipe.stats import carrier_use, delay_means, slot_use
from tests.support.satellite import DELAY_PARTS_S, DVBS2, delayed, demanded


def acm(*rows):
    frames, lost, modcod = zip(*rows, strict=True)
    return {"frames": frames, "frames_lost": lost, "modcod": modcod}


def test_frames_are_counted_and_their_efficiency_is_that_of_all_their_symbols():
    known = modcods(Dvbs2CapacitySpec.model_validate(DVBS2))
    use = carrier_use(acm((30, 0, 4), (10, 2, 14)), known)
    assert (use.frames, use.frames_lost) == (40, 2)
    bits = 30 * known[4].bits + 10 * known[14].bits
    assert use.spectral_efficiency == pytest.approx(bits / (30 * known[4].symbols + 10 * known[14].symbols))


def test_without_a_frame_there_is_no_efficiency():
    assert (
        carrier_use(acm((0, 0, 4)), modcods(Dvbs2CapacitySpec.model_validate(DVBS2))).spectral_efficiency
        is None
    )


def test_slots_are_shares_of_those_there_are_and_of_those_granted():
    dama = {
        "capacity_slots": [100, 100],
        "granted_cra_slots": [10, 10],
        "granted_rbdc_slots": [0, 20],
        "granted_volume_slots": [0, 5],
        "granted_free_slots": [5, 0],
        "used_slots": [3, 7],
    }
    use = slot_use(dama)
    assert (use.granted_share, use.used_share) == (50 / 200, 10 / 50)


def test_a_terminal_that_got_nothing_used_no_share_of_it():
    dama = {name: np.zeros(3) for name in demanded()}
    use = slot_use({**dama, "capacity_slots": np.ones(3)})
    assert (use.granted_share, use.used_share) == (0.0, None)


def test_delays_are_means_of_the_bins_in_which_packets_arrived():
    means = delay_means(delayed(silent=(5.0, 5.0)))
    assert means == pytest.approx(DELAY_PARTS_S, rel=1e-6)


def test_a_part_that_no_packet_met_has_no_mean():
    # JSON has null where a series has NaN.
    delays = {**{name: [0.1, None] for name in DELAY_PARTS_S}, "return_burst_s": [None, None]}
    means = delay_means(delays)
    assert means["return_burst_s"] is None
    assert means["forward_queue_s"] == 0.1
