"""What the standards say that a carrier can send, as Python sees it."""

import pytest

from bentpipe import _core
from bentpipe.model.dvbs2 import Dvbs2CapacitySpec
from bentpipe.model.link import ConstantCapacitySpec, LinkSpec
from bentpipe.scenario.link.description import by_number, describe_link, describe_slots, modcods, nominal_bps
from tests.support.satellite import DVBS2, RCS2, classified, link_spec


def test_modcods_have_the_efficiencies_and_thresholds_of_the_standards_table_13():
    rows = {row["name"]: row for row in _core.modcods(fecframe="normal", pilots="off")}
    assert len(rows) == 28
    assert rows["QPSK 1/4"]["spectral_efficiency"] == pytest.approx(0.490243, abs=1e-6)
    assert rows["32APSK 9/10"]["spectral_efficiency"] == pytest.approx(4.453027, abs=1e-6)
    assert (rows["8PSK 3/4"]["number"], rows["8PSK 3/4"]["threshold_db"]) == (14, 7.91)


def test_a_frame_has_the_symbols_that_its_bits_and_efficiency_say():
    # The header, then 64 800 bits at 3 a symbol; pilots after every 16 of the 240 slots but the last.
    for pilots, symbols in (("off", 90 + 21_600), ("on", 90 + 21_600 + 14 * 36)):
        known = modcods(Dvbs2CapacitySpec.model_validate({**DVBS2, "pilots": pilots}))
        assert known[14].symbols == pytest.approx(symbols)
        # K_bch less the BBHEADER.
        assert known[14].bits == 48_408 - 80


def test_short_frames_have_no_code_rate_of_9_10():
    names = [
        modcod.name
        for modcod in modcods(Dvbs2CapacitySpec.model_validate({**DVBS2, "fecframe": "short"})).values()
    ]
    assert len(names) == 24
    assert not any(name.endswith("9/10") for name in names)


def test_an_unknown_kind_of_frame_is_refused():
    with pytest.raises(ValueError, match="unknown variant `tiny`"):
        _core.modcods(fecframe="tiny", pilots="off")


def test_waveforms_are_those_of_annex_a():
    rows = _core.waveforms()
    assert [row["id"] for row in rows] == list(range(3, 23))
    assert rows[1] == {
        "id": 4,
        "modulation": "QPSK",
        "code_rate": "1/2",
        "payload_bytes": 59,
        "symbols": 536,
        "threshold_db": 2.34,
    }
    assert {row["modulation"] for row in rows} == {"QPSK", "8PSK", "16QAM"}


def test_a_burst_is_a_waveform_or_so_many_mpeg_packets():
    waveform = describe_slots(RCS2["layout"], RCS2["burst"]).burst
    assert (waveform.name, waveform.payload_bytes) == ("waveform 4, QPSK 1/2", 59)
    layout = {**RCS2["layout"], "burst_symbols": 1504}
    mpeg = describe_slots(layout, {"kind": "mpeg", "packets": 2, "threshold_db": 5.0}).burst
    assert (mpeg.name, mpeg.payload_bytes, mpeg.threshold_db) == ("2 MPEG packets", 376, 5.0)


def test_slots_and_superframes_are_counted_in_symbols():
    # Four frames of a request slot and 57 traffic slots, each of 536 symbols and 4 of guard time.
    slots = describe_slots(RCS2["layout"], RCS2["burst"])
    assert (slots.columns, slots.frame_symbols, slots.superframe_symbols) == (4 * 57, 58 * 540, 4 * 58 * 540)
    assert slots.superframe_ns == -(-4 * 58 * 540 * 10**9 // 1_300_000)


def carrier_in(es_n0_db, **changes):
    """A carrier that is received with this Es/N0, for the noise of the other leg is far below."""
    clear = {"points": [], "period_ns": None}
    legs = {
        leg: {"clear_sky_db": db, "attenuation": clear} for leg, db in (("up", 1000.0), ("down", es_n0_db))
    }
    link = LinkSpec.model_validate(link_spec(forward={**DVBS2, "es_n0": legs, **changes}))
    return describe_link(link).forward.dvbs2


def names_in_use(carrier):
    return [by_number(carrier)[number].name for number in carrier.in_use]


def test_two_equal_legs_are_3_db_worse_than_one():
    model = describe_link(LinkSpec.model_validate(link_spec()))
    assert model.return_.rcs2.clear_sky_db == pytest.approx(20.0 - 3.0103, abs=1e-4)


@pytest.mark.parametrize(
    ("es_n0_db", "name"),
    # Thresholds of table 13 with a margin of 1 dB.
    [(8.9, "8PSK 2/3"), (8.92, "8PSK 3/4"), (17.05, "32APSK 9/10"), (-1.34, "QPSK 1/4"), (-9.0, "QPSK 1/4")],
)
def test_acm_takes_the_most_efficient_modcod_within_its_margin(es_n0_db, name):
    assert names_in_use(carrier_in(es_n0_db)) == [name]


def test_without_acm_the_modcod_is_that_of_the_carrier_or_of_each_class():
    constant_modcod = {"kind": "constant", "modcod": "QPSK 3/4"}
    assert names_in_use(carrier_in(20.0, modulation=constant_modcod)) == ["QPSK 3/4"]
    by_class = {"kind": "by-class", "modcods": ["QPSK 1/4", "8PSK 2/3"]}
    found = carrier_in(-5.0, modulation=by_class, classes=[classified("voice")])
    assert names_in_use(found) == ["QPSK 1/4", "8PSK 2/3"]


def test_acm_never_takes_a_modcod_beside_which_a_more_efficient_one_needs_less():
    # Table 13 with normal frames, as in crates/link.
    normal = (1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 11, 13, 14, 18, 19, 20, 21, 24, 25, 26, 27, 28)
    assert tuple(carrier_in(20.0).ladder) == normal


def test_the_nominal_rate_is_the_constant_one_or_that_of_the_carrier():
    link = LinkSpec.model_validate(link_spec())
    capacities = (ConstantCapacitySpec(rate_bps=4_000_000), link.forward.capacity, link.return_.capacity)
    assert [nominal_bps(capacity) for capacity in capacities] == [
        4_000_000,
        DVBS2["nominal_bps"],
        RCS2["nominal_bps"],
    ]
