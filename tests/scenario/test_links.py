"""Expected figures: the studies' own (see each preset's source), or worked out by hand from them."""

import pytest

from bentpipe.errors import InputError
from bentpipe.scenario.catalogue import ALIASES, PRESETS
from bentpipe.scenario.links import described, link, presets


def rates(spec):
    return (spec["forward"]["capacity"]["rate_bps"], spec["return"]["capacity"]["rate_bps"])


def rtt_ns(spec):
    return spec["forward"]["delay_ns"] + spec["return"]["delay_ns"]


@pytest.mark.parametrize(
    ("name", "expected_rates", "expected_rtt_ns", "forward_queue"),
    [
        ("lan", (10_000_000, 10_000_000), 1_080_000, {"kind": "packets", "limit_packets": 1000}),
        # 1 BDP: 10 Mbit/s x 0.53 s / 8
        ("geo-alshagri-flat", (10_000_000,) * 2, 530_000_000, {"kind": "bytes", "limit_bytes": 662_500}),
        (
            "geo-viasat2-flat",
            (144_000_000, 10_000_000),
            597_000_000,
            {"kind": "bytes", "limit_bytes": 36_000_000},
        ),
        # The paper's BDP of about 650 kB.
        ("geo-hylas2-flat", (8_000_000, 512_000), 650_000_000, {"kind": "bytes", "limit_bytes": 650_000}),
        ("geo-snep-flat", (4_000_000, 1_000_000), 520_000_000, {"kind": "bytes", "limit_bytes": 260_000}),
    ],
)
def test_a_preset_has_the_figures_of_its_study(name, expected_rates, expected_rtt_ns, forward_queue):
    spec = link(name)
    assert spec["name"] == name
    assert rates(spec) == expected_rates
    assert rtt_ns(spec) == expected_rtt_ns
    assert spec["forward"]["queue"] == forward_queue
    assert spec["forward"]["loss"] == spec["return"]["loss"] == {"kind": "none"}


def test_every_preset_names_its_source_and_what_it_assumes():
    assert [preset.name for preset in presets()] == list(PRESETS)
    for preset in presets():
        assert preset.title
        assert preset.source
        assert preset.assumptions


def test_a_satellite_link_without_flat_is_its_constant_rate_pipe():
    for alias, name in ALIASES.items():
        assert link(alias) == link(name)
        assert described(alias).aliases == (alias,)


def test_an_inline_pipe_has_the_settings_that_it_names():
    spec = link("flat:down=10Mbit/s,up=2Mbit/s,rtt=600ms,loss=1%,queue=1BDP,jitter=3ms")
    direction = {
        "capacity": {"kind": "constant", "rate_bps": 10_000_000},
        "delay_ns": 300_000_000,
        "jitter": {"kind": "normal", "sd_ns": 3_000_000},
        "queue": {"kind": "bytes", "limit_bytes": 750_000},
        "loss": {"kind": "bernoulli", "p": 0.01},
    }
    # The queue's BDP is that of the direction's own rate.
    backward = {
        **direction,
        "capacity": {"kind": "constant", "rate_bps": 2_000_000},
        "queue": {"kind": "bytes", "limit_bytes": 150_000},
    }
    assert spec == {"name": "custom", "mtu_bytes": 1500, "forward": direction, "return": backward}


def test_settings_of_one_direction_of_a_pipe_replace_those_of_both():
    spec = link("flat:down=8Mbit/s,up=1Mbit/s,rtt=500ms,loss=1%,loss_up=0,queue=2BDP,queue_down=50packets")
    assert spec["forward"]["loss"] == {"kind": "bernoulli", "p": 0.01}
    assert spec["return"]["loss"] == {"kind": "none"}
    assert spec["forward"]["queue"] == {"kind": "packets", "limit_packets": 50}
    assert spec["return"]["queue"] == {"kind": "bytes", "limit_bytes": 125_000}


@pytest.mark.parametrize(
    ("queue", "expected"),
    [
        ("100packets", {"kind": "packets", "limit_packets": 100}),
        ("1packet", {"kind": "packets", "limit_packets": 1}),
        ("36MB", {"kind": "bytes", "limit_bytes": 36_000_000}),
        ("200ms", {"kind": "time", "limit_ns": 200_000_000}),
        ("0.5BDP", {"kind": "bytes", "limit_bytes": 375_000}),
        # Less than one full packet could never let anything wait.
        ("0.001BDP", {"kind": "bytes", "limit_bytes": 1500}),
    ],
)
def test_a_queue_is_written_in_packets_bytes_time_or_bdp(queue, expected):
    assert link(f"flat:down=10Mbit/s,up=10Mbit/s,rtt=600ms,queue={queue}")["forward"]["queue"] == expected


def test_the_default_queue_holds_an_initial_window_where_the_bdp_is_smaller():
    spec = link("flat:down=10Mbit/s,up=10Mbit/s,rtt=1ms")
    assert spec["forward"]["queue"] == {"kind": "bytes", "limit_bytes": 15_000}


def test_an_odd_round_trip_is_not_rounded():
    assert rtt_ns(link("flat:down=1Mbit/s,up=1Mbit/s,rtt=3ns")) == 3


FILE = """
name = "mine"
rtt = "600 ms"
mtu = "1400 B"
[forward]
rate = "20 Mbit/s"
loss = { p = 0.01, r = 0.5, h = 0.1, k = 1.0 }
[return]
rate = "2 Mbit/s"
delay = "310 ms"
"""


def test_a_link_file_is_found_from_the_folder_of_the_scenario(tmp_path):
    (tmp_path / "mine.toml").write_text(FILE)
    spec = link("mine.toml", folder=tmp_path)
    assert (spec["name"], spec["mtu_bytes"]) == ("mine", 1400)
    assert spec["forward"]["loss"] == {"kind": "gilbert-elliott", "p": 0.01, "r": 0.5, "h": 0.1, "k": 1.0}
    assert (spec["forward"]["delay_ns"], spec["return"]["delay_ns"]) == (300_000_000, 310_000_000)


def test_a_base_keeps_what_the_upper_table_does_not_write(tmp_path):
    (tmp_path / "mine.toml").write_text('base = "geo-snep"\n[forward]\nloss = { ber = 1e-6 }\n')
    spec, base = link("mine.toml", folder=tmp_path), link("geo-snep")
    assert spec["forward"].pop("loss") == {"kind": "bit-error", "ber": 1e-6}
    assert base["forward"].pop("loss") == {"kind": "none"}
    assert (spec["forward"], spec["return"]) == (base["forward"], base["return"])
    assert spec["name"] == "custom"


def test_a_queue_in_bdp_of_a_base_follows_the_new_rate(tmp_path):
    (tmp_path / "mine.toml").write_text('base = "geo-snep"\n[forward]\nrate = "8 Mbit/s"\n')
    assert link("mine.toml", folder=tmp_path)["forward"]["queue"]["limit_bytes"] == 520_000


def test_a_new_rtt_replaces_the_delays_of_the_base(tmp_path):
    (tmp_path / "mine.toml").write_text('base = "geo-snep"\nrtt = "100 ms"\n')
    assert rtt_ns(link("mine.toml", folder=tmp_path)) == 100_000_000


def test_a_fault_of_a_base_is_reported_where_it_is(tmp_path):
    (tmp_path / "base.toml").write_text(FILE.replace("600 ms", "600 mm"))
    (tmp_path / "mine.toml").write_text('base = "base.toml"\nname = "x"\n')
    with pytest.raises(InputError) as caught:
        link("mine.toml", folder=tmp_path)
    assert (caught.value.file, caught.value.field) == (str(tmp_path / "base.toml"), "rtt")


def test_bases_that_lead_in_a_circle_are_bad_input(tmp_path):
    (tmp_path / "a.toml").write_text('base = "b.toml"')
    (tmp_path / "b.toml").write_text('base = "a.toml"')
    with pytest.raises(InputError, match="does not lead back to itself"):
        link("a.toml", folder=tmp_path)
