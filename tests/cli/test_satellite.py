"""What the command line says of a satellite link's run."""

import copy

import pytest

from bentpipe.cli.figures import print_record
from bentpipe.cli.link import described
from bentpipe.model.link import LinkSpec
from tests.support.models import record_with
from tests.support.satellite import DVBS2, MIX, RCS2, classified, demanded, faded, link_spec


def printed(capsys, **series):
    tables = {name: {key: list(values) for key, values in table.items()} for name, table in series.items()}
    spec = {"workload": {"kind": "ping", "count": 1}, "link": link_spec()}
    record = record_with(status="succeeded", spec=spec, series=tables)
    print_record(record, link="my-link.toml")
    return [line.split("  ") for line in capsys.readouterr().out.splitlines()]


def test_frames_and_slots_are_printed_where_the_run_has_them(capsys):
    acm, dama = faded()["acm"], demanded()
    lines = {line[1]: " ".join(line[2:]) for line in printed(capsys, acm=acm, dama=dama)[1:]}
    assert f"{acm['frames'].sum():.0f}, {acm['frames_lost'].sum():.0f} lost" in lines["Forward frames"]
    assert "bit/symbol" in lines["Efficiency"]
    assert {"Slots granted", "Slots used"} <= set(lines)


def test_a_run_over_a_constant_link_says_nothing_of_them(capsys):
    assert len(printed(capsys)) == 1


def words(**capacities):
    return "\n".join(described(LinkSpec.model_validate(link_spec(**capacities))))


def test_a_forward_carrier_is_described_line_by_line():
    found = words()
    assert "  rate    14.089176 Mbit/s\n" in found
    assert "carrier DVB-S2, 4.4 Msymbol/s, normal FECFRAMEs with pilots, dummy frames when idle" in found
    assert "modcod  ACM, margin 1 dB, hysteresis 0.5 dB, a report every 500 ms, 280 ms on its way" in found
    assert "packets GSE, label of 3 B; a frame waits 10 ms for more" in found
    assert "Es/N0   clear sky: up 25 dB, down 13.5 dB; attenuation down up to 10 dB by 3 points" in found


def test_the_steps_of_a_scheduler_are_named():
    assert "steps " not in words()
    assert "steps   frames are filled every 10 ms\n" in words(
        forward={**DVBS2, "scheduling_period_ns": 10_000_000}
    )


def test_modcods_without_acm_are_named():
    carrier = copy.deepcopy(DVBS2)
    carrier["modulation"] = {"kind": "constant", "modcod": "QPSK 3/4"}
    assert "modcod  QPSK 3/4 (CCM)" in words(forward=carrier)
    carrier["modulation"] = {"kind": "by-class", "modcods": ["QPSK 1/4", "8PSK 2/3"]}
    carrier["classes"] = [classified("voice")]
    assert "modcod  QPSK 1/4, 8PSK 2/3 (VCM, in the order of the classes, others last)" in words(
        forward=carrier
    )


def test_a_return_link_is_described_line_by_line():
    found = words()
    assert (
        "carrier DVB-RCS2, 1 carrier of 1.3 Msymbol/s; superframe 96.37 ms, "
        "4 frames of 1 request slot, 57 traffic slots"
    ) in found
    assert "burst   waveform 4, QPSK 1/2: 59 B" in found
    assert "packets RLE, protocol type of 2 B, label of 0 B, fragments guarded by a sequence number" in found
    assert "demand  CRA 18 + RBDC up to 105 + VBDC up to 105 (slots per superframe)" in found
    assert "request in a request slot, every superframe; 260 ms on its way, planned 260 ms ahead" in found


def test_classes_and_other_terminals_are_described():
    voice = {"name": "voice", "dscp": [46, 34], "queue": {"kind": "packets", "limit_packets": 9}}
    load = {"kind": "poisson", "rate_bps": 1000, "packet_bytes": 500}
    terminal = {"mix": MIX, "limit_bytes": 9000, "load": load}
    # Slots enough for all of them.
    layout = {**RCS2["layout"], "carriers": 2, "request_slots": 6}
    back = {
        **RCS2,
        "layout": layout,
        "mix": {**MIX, "rbdc": None},
        "classes": [{"class": voice, "mix": MIX}],
        "background": [terminal] * 20,
    }
    found = words(back=back)
    assert "class   voice: DSCP 46, 34; 9 packets; CRA 18 + RBDC up to 105" in found
    assert "others  20 other terminals; CRA 18 + RBDC up to 105 + VBDC up to 105" in found


def test_a_changed_link_is_called_by_its_name_and_what_was_changed(bentpipe):
    change = "link.return.dama=vbdc"
    arguments = ["--link", "geo-snep", "--count", 1, "--engine", "simulate"]
    first_line = bentpipe("ping", *arguments, "--set", change).stdout.partition("\n")[0]
    assert first_line == f"1 echo requests over geo-snep with {change}: succeeded"


SUPERFRAME_S = (424 + 228 * 1504) / 1e6
FRAME_S = 8190 / 4.87e6
DUMMY_S = 3330 / 4.87e6
"""Presets/geo-snep.toml: slots of one MPEG packet; a short frame of QPSK without pilots, a dummy frame."""


@pytest.mark.parametrize("dama", ["rbdc", "vbdc"])
def test_from_idle_to_the_first_byte_on_demand_is_a_uniform_wait_above_a_constant(bentpipe, dama):
    settings = ["--set", f"link.return.dama={dama}"]
    arguments = ["--link", "geo-snep", "--count", 200, "--interval", "10.03 s", "--engine", "simulate"]
    metrics = bentpipe.json("ping", *arguments, *settings, "--json")["metrics"]
    # docs/models/dama.md, from idle to the first byte: request to plan ends within two superframes.
    least_s = 2 * SUPERFRAME_S + (424 + 1504) / 1e6 + 0.26 + FRAME_S + 0.26
    spread_s = SUPERFRAME_S + DUMMY_S
    assert least_s <= metrics["rtt_min_s"] < least_s + 0.02 * spread_s
    assert least_s + 0.98 * spread_s < metrics["rtt_max_s"] <= least_s + spread_s
    assert metrics["rtt_mean_s"] == pytest.approx(least_s + spread_s / 2, abs=0.01 * spread_s)
    assert metrics["rtt_sd_s"] == pytest.approx(SUPERFRAME_S / 12**0.5, rel=0.02)
