"""Expected figures: the studies' own (see each preset's source), or worked out by hand from them."""

import pytest

from bentpipe.errors import InputError
from bentpipe.model.link import LinkSpec
from bentpipe.scenario.link.catalogue import PRESETS
from bentpipe.scenario.link.description import by_number, describe_link, nominal_bps
from bentpipe.scenario.links import link, presets
from tests.support import link_file
from tests.support.refusals import refused


def rates(spec):
    link = LinkSpec.model_validate(spec)
    return tuple(nominal_bps(direction.capacity) for direction in (link.forward, link.return_))


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


def test_the_viasat_pipe_is_its_flat_one_with_drops_variation_and_outages():
    # claypool2020: drops at random once a queue of 36 MB is above half.
    spec, flat = link("geo-viasat2-pipe"), link("geo-viasat2-flat")
    assert spec["name"] == "geo-viasat2-pipe"
    assert (rates(spec), rtt_ns(spec)) == (rates(flat), rtt_ns(flat))
    assert spec["forward"].pop("queue") == {
        "kind": "random-early-drop",
        "limit_bytes": 36_000_000,
        "start_bytes": 18_000_000,
        "p": 0.1,
    }
    assert spec["forward"] == {key: value for key, value in flat["forward"].items() if key != "queue"}
    assert spec["return"]["jitter"]["kind"] == "empirical"
    assert spec["return"]["loss"]["kind"] == "outages"


def test_every_preset_names_its_source_and_what_it_assumes():
    assert [preset.name for preset in presets()] == list(PRESETS)
    for preset in presets():
        assert preset.title
        assert preset.source
        assert preset.assumptions


@pytest.mark.parametrize(
    ("name", "expected_rates", "expected_rtt_ns", "kinds"),
    [
        # 125 ms each of up- and downlink.
        ("geo-alshagri", (10e6, 10e6), 500_000_000, ("dvbs2", "rcs2")),
        ("geo-viasat2", (144e6, 10e6), 597_000_000, ("dvbs2", "constant")),
        ("geo-hylas2", (8e6, 512e3), 530_000_000, ("dvbs2", "rcs2")),
        # The return link's 1 Mbit/s are those of MPEG packets, with 184 of 188 bytes for MPE and IP.
        ("geo-snep", (4e6, 965e3), 520_000_000, ("dvbs2", "rcs2")),
    ],
)
def test_a_preset_of_carriers_has_the_rates_of_its_study(name, expected_rates, expected_rtt_ns, kinds):
    spec = link(name)
    assert spec["name"] == name
    assert rates(spec) == pytest.approx(expected_rates, rel=0.01)
    assert rtt_ns(spec) == expected_rtt_ns
    assert tuple(spec[direction]["capacity"]["kind"] for direction in ("forward", "return")) == kinds


@pytest.mark.parametrize(
    ("name", "expected"), [("geo-alshagri", "32APSK 9/10"), ("geo-viasat2", "16APSK 5/6")]
)
def test_an_adaptive_preset_has_the_modcod_of_its_study_in_clear_sky(name, expected):
    carrier = describe_link(LinkSpec.model_validate(link(name))).forward.dvbs2
    assert by_number(carrier)[carrier.in_use[-1]].name == expected


def test_the_viasat_link_is_its_pipe_but_for_the_carrier():
    spec, pipe = link("geo-viasat2"), link("geo-viasat2-pipe")
    assert spec["return"] == pipe["return"]
    assert {key: value for key, value in spec["forward"].items() if key != "capacity"} == {
        key: value for key, value in pipe["forward"].items() if key != "capacity"
    }
    # claypool2020: 10 to 52 Msym/s.
    assert 10e6 <= spec["forward"]["capacity"]["symbols_per_s"] <= 52e6


# caviglione2014, slots of CRA, RBDC and VBDC.
@pytest.mark.parametrize(
    ("dama", "slots"),
    [("cra", (228, 0, 0)), ("rbdc", (0, 228, 0)), ("vbdc", (0, 0, 228)), ("mixed", (18, 105, 105))],
)
def test_the_snep_link_has_the_schemes_of_its_study(tmp_path, dama, slots):
    spec = link_file.resolved(tmp_path, f'base = "geo-snep"\nreturn.dama = "{dama}"\n')
    mix = spec["return"]["capacity"]["mix"]
    rbdc = mix["rbdc"]["max"] if mix["rbdc"] else {"slots": 0, "superframes": 1}
    volume = mix["volume"]["max_slots"] if mix["volume"] else 0
    assert (mix["cra"]["superframes"], rbdc["superframes"]) == (1, 1)
    assert (mix["cra"]["slots"], rbdc["slots"], volume) == slots


def test_a_constant_rate_for_a_preset_of_carriers_is_refused_with_what_to_do(tmp_path):
    with refused("forward.rate", expected="presets that end in -flat have a constant one"):
        link_file.resolved(tmp_path, 'base = "geo-snep"\nforward.rate = "8 Mbit/s"\n')


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


def direction_of(tmp_path, **written):
    """Return the forward direction of a link of 10 Mbit/s and 600 ms with settings of its own."""
    lines = "\n".join(f"{key} = {value}" for key, value in written.items())
    (tmp_path / "link.toml").write_text(
        f'rtt = "600 ms"\nreturn = {{ rate = "1 Mbit/s" }}\n[forward]\nrate = "10 Mbit/s"\n{lines}\n'
    )
    return link("link.toml", folder=tmp_path)["forward"]


def test_a_queue_may_drop_early_or_by_controlled_delay(tmp_path):
    # 1 BDP: 10 Mbit/s x 0.6 s / 8
    early = direction_of(tmp_path, queue='{ limit = "1 BDP", start = "300 kB", p = "10 %" }')
    assert early["queue"] == {
        "kind": "random-early-drop",
        "limit_bytes": 750_000,
        "start_bytes": 300_000,
        "p": 0.1,
    }
    codel = direction_of(tmp_path, queue='{ limit = "36 MB", target = "30 ms", interval = "600 ms" }')
    assert codel["queue"] == {
        "kind": "codel",
        "limit_bytes": 36_000_000,
        "target_ns": 30_000_000,
        "interval_ns": 600_000_000,
    }
    keys = 'limit = "36 MB", target = "30 ms", interval = "600 ms"'
    assert direction_of(tmp_path, queue=f"{{ {keys}, ecn = true }}")["queue"] == {
        **codel["queue"],
        "ecn": "on",
    }
    assert direction_of(tmp_path, queue=f"{{ {keys}, ecn = false }}") == codel


def test_dualpi2_has_the_gains_that_rfc_9332_derives(tmp_path):
    # Appendix A.1, lines 6a to 7b: Tupdate = min(target, RTT_max/3), alpha = 0.1 Tupdate / RTT_max^2,
    # beta = 0.3 / RTT_max.
    plain = direction_of(tmp_path, queue='{ limit = "1 MB", aqm = "dualpi2" }')["queue"]
    assert plain == {
        "kind": "dualpi2",
        "limit_bytes": 1_000_000,
        "target_ns": 15_000_000,
        "update_ns": 15_000_000,
        "alpha_hz": pytest.approx(0.15),
        "beta_hz": pytest.approx(3.0),
        "coupling": 2.0,
        "ramp_start_ns": 800_000,
        "ramp_range_ns": 400_000,
        "classic_share": 0.1,
    }
    written = '{ limit = "1 MB", aqm = "dualpi2", target = "300 ms", rtt_max = "600 ms" }'
    long = direction_of(tmp_path, queue=written)["queue"]
    assert (long["target_ns"], long["update_ns"]) == (300_000_000, 200_000_000)
    assert (long["alpha_hz"], long["beta_hz"]) == (pytest.approx(0.1 * 0.2 / 0.36), pytest.approx(0.5))


@pytest.mark.parametrize("key", ["queue", "jitter"])
def test_a_table_of_one_key_is_what_the_text_says(tmp_path, key):
    only, text = {"queue": ("limit", "50 packets"), "jitter": ("sd", "3 ms")}[key]
    table = direction_of(tmp_path, **{key: f'{{ {only} = "{text}" }}'})
    assert table == direction_of(tmp_path, **{key: f'"{text}"'})


def test_a_delay_varies_by_quantiles(tmp_path):
    jitter = '{ quantiles = [[0, "-5 ms"], ["50 %", "0 ms"], [1, "1.5 s"]], hold = "200 ms" }'
    assert direction_of(tmp_path, jitter=jitter)["jitter"] == {
        "kind": "empirical",
        "quantiles": [
            {"p": 0.0, "offset_ns": -5_000_000},
            {"p": 0.5, "offset_ns": 0},
            {"p": 1.0, "offset_ns": 1_500_000_000},
        ],
        "hold_ns": 200_000_000,
    }


def test_a_channel_is_out_now_and_then(tmp_path):
    loss = '{ every = "10 min", lasting = [[3, "200 ms"], [1, "2.2 s"]] }'
    assert direction_of(tmp_path, loss=loss)["loss"] == {
        "kind": "outages",
        "period_ns": 600_000_000_000,
        "durations": [
            {"weight": 3, "duration_ns": 200_000_000},
            {"weight": 1, "duration_ns": 2_200_000_000},
        ],
    }


# What is written; the field below forward; a part of what is expected; a part of what is found.
REFUSED = {
    "a mixture of disciplines": (
        {"queue": '{ limit = "1 MB", start = "1 kB", interval = "1 s" }'},
        "queue",
        "limit, start and p",
        "limit, start, interval",
    ),
    "an empty queue": ({"queue": "{}"}, "queue", "the keys limit", "an empty table"),
    "early drops that start at the limit": (
        {"queue": '{ limit = "1 MB", start = "1000 kB", p = 0.1 }'},
        "queue.start",
        "less than the limit",
        '"1000 kB"',
    ),
    "early drops from a number of packets on": (
        {"queue": '{ limit = "1 MB", start = "10 packets", p = 0.1 }'},
        "queue.start",
        "bytes",
        '"10 packets"',
    ),
    "early drops above one": (
        {"queue": '{ limit = "1 MB", start = "1 kB", p = 2.0 }'},
        "queue.p",
        "a fraction from 0 to 1",
        "2.0",
    ),
    "a target above the interval": (
        {"queue": '{ limit = "1 MB", target = "2 s", interval = "1 s" }'},
        "queue.target",
        "no more than the interval",
        '"2 s"',
    ),
    "an AQM of another name": (
        {"queue": '{ limit = "1 MB", aqm = "pie" }'},
        "queue.aqm",
        "dualpi2",
        '"pie"',
    ),
    "DualPI2 with an interval": (
        {"queue": '{ limit = "1 MB", aqm = "dualpi2", interval = "1 s" }'},
        "queue",
        "limit, target and rtt_max",
        "interval",
    ),
    "DualPI2 for no round trip": (
        {"queue": '{ limit = "1 MB", aqm = "dualpi2", rtt_max = "0 s" }'},
        "queue.rtt_max",
        "a duration",
        '"0 s"',
    ),
    "DualPI2 without a limit": ({"queue": '{ aqm = "dualpi2" }'}, "queue", "the keys limit", "aqm"),
    "marks in words": (
        {"queue": '{ limit = "1 MB", target = "5 ms", interval = "1 s", ecn = "on" }'},
        "queue.ecn",
        "true or false",
        '"on"',
    ),
    "a limit that is no quantity": ({"queue": "{ limit = 5 }"}, "queue.limit", '"36 MB"', "5"),
    "quantiles without a hold": (
        {"jitter": '{ quantiles = [[0, "0 ms"], [1, "1 ms"]] }'},
        "jitter",
        "quantiles and hold",
        "quantiles",
    ),
    "a hold of nothing": (
        {"jitter": '{ quantiles = [[0, "0 ms"], [1, "1 ms"]], hold = "0 ms" }'},
        "jitter.hold",
        "a duration from 1 ms",
        '"0 ms"',
    ),
    "one quantile": (
        {"jitter": '{ quantiles = [[0, "0 ms"]], hold = "1 s" }'},
        "jitter.quantiles",
        "from 2 to",
        "1",
    ),
    "quantiles that do not start at 0": (
        {"jitter": '{ quantiles = [[0.1, "0 ms"], [1, "1 ms"]], hold = "1 s" }'},
        "jitter.quantiles.1.1",
        "the probability 0",
        "0.1",
    ),
    "quantiles that do not end at 1": (
        {"jitter": '{ quantiles = [[0, "0 ms"], [0.9, "1 ms"]], hold = "1 s" }'},
        "jitter.quantiles.2.1",
        "the probability 1",
        "0.9",
    ),
    "quantiles that fall": (
        {"jitter": '{ quantiles = [[0, "1 ms"], [1, "0 ms"]], hold = "1 s" }'},
        "jitter.quantiles.2",
        "no less than the point before it",
        '"0 ms"]',
    ),
    "probabilities that fall": (
        {"jitter": '{ quantiles = [[0, "1 ms"], [0.5, "1 ms"], [0.4, "2 ms"], [1, "2 ms"]], hold = "1 s" }'},
        "jitter.quantiles.3",
        "no less than the point before it",
        "0.4",
    ),
    "a negative delay": (
        {"jitter": '{ quantiles = [[0, "-301 ms"], [1, "0 ms"]], hold = "1 s" }'},
        "jitter.quantiles.1.2",
        "a delay above zero",
        '"-301 ms"',
    ),
    "an offset that is no duration": (
        {"jitter": '{ quantiles = [[0, "--1 ms"], [1, "0 ms"]], hold = "1 s" }'},
        "jitter.quantiles.1.2",
        '"-33 ms"',
        '"--1 ms"',
    ),
    "a quantile of three": (
        {"jitter": '{ quantiles = [[0, "0 ms", 1], [1, "0 ms"]], hold = "1 s" }'},
        "jitter.quantiles.1",
        "a probability and an offset",
        "a list",
    ),
    "a quantile that is none": (
        {"jitter": '{ quantiles = [[0, true], [1, "0 ms"]], hold = "1 s" }'},
        "jitter.quantiles.1.2",
        "a list of probabilities and offsets",
        "true",
    ),
    "outages that last for no time known": (
        {"loss": '{ every = "10 min" }'},
        "loss",
        "every and lasting",
        "every",
    ),
    "outages of no kind": (
        {"loss": '{ every = "10 min", lasting = [] }'},
        "loss.lasting",
        "weights from 1",
        "0",
    ),
    "an outage without a weight": (
        {"loss": '{ every = "10 min", lasting = [["1 s"]] }'},
        "loss.lasting.1",
        "a weight and a duration",
        "a list",
    ),
    "an outage of weight zero": (
        {"loss": '{ every = "10 min", lasting = [[0, "1 s"]] }'},
        "loss.lasting.1.1",
        "a whole number from 1",
        "0",
    ),
    "an outage of no duration": (
        {"loss": '{ every = "10 min", lasting = [[1, "0 s"]] }'},
        "loss.lasting.1.2",
        "a duration",
        '"0 s"',
    ),
    "outages all the time": (
        {"loss": '{ every = "1 us", lasting = [[1, "1 s"]] }'},
        "loss.every",
        "a duration from 1 ms",
        '"1 us"',
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_direction_is_refused_where_it_stands(tmp_path, name):
    written, field, expected, found = REFUSED[name]
    with refused(f"forward.{field}", expected=expected, found=found):
        direction_of(tmp_path, **written)


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
    spec = link_file.resolved(tmp_path, FILE)
    assert (spec["name"], spec["mtu_bytes"]) == ("mine", 1400)
    assert spec["forward"]["loss"] == {"kind": "gilbert-elliott", "p": 0.01, "r": 0.5, "h": 0.1, "k": 1.0}
    assert (spec["forward"]["delay_ns"], spec["return"]["delay_ns"]) == (300_000_000, 310_000_000)


def test_a_base_keeps_what_the_upper_table_does_not_write(tmp_path):
    spec = link_file.resolved(tmp_path, 'base = "geo-snep-flat"\n[forward]\nloss = { ber = 1e-6 }\n')
    base = link("geo-snep-flat")
    assert spec["forward"].pop("loss") == {"kind": "bit-error", "ber": 1e-6}
    assert base["forward"].pop("loss") == {"kind": "none"}
    assert (spec["forward"], spec["return"]) == (base["forward"], base["return"])
    assert spec["name"] == "custom"


def test_a_queue_in_bdp_of_a_base_follows_the_new_rate(tmp_path):
    spec = link_file.resolved(tmp_path, 'base = "geo-snep-flat"\n[forward]\nrate = "8 Mbit/s"\n')
    assert spec["forward"]["queue"]["limit_bytes"] == 520_000


def test_a_new_rtt_replaces_the_delays_of_the_base(tmp_path):
    assert rtt_ns(link_file.resolved(tmp_path, 'base = "geo-snep"\nrtt = "100 ms"\n')) == 100_000_000


def test_a_fault_of_a_base_is_reported_where_it_is(tmp_path):
    (tmp_path / "base.toml").write_text(FILE.replace("600 ms", "600 mm"))
    with pytest.raises(InputError) as caught:
        link_file.resolved(tmp_path, 'base = "base.toml"\nname = "x"\n')
    assert (caught.value.file, caught.value.field) == (str(tmp_path / "base.toml"), "rtt")


def test_bases_that_lead_in_a_circle_are_bad_input(tmp_path):
    (tmp_path / "a.toml").write_text('base = "b.toml"')
    (tmp_path / "b.toml").write_text('base = "a.toml"')
    with pytest.raises(InputError, match="does not lead back to itself"):
        link("a.toml", folder=tmp_path)


def test_a_file_may_have_a_link_in_one_word_as_its_base(tmp_path):
    text = 'base = "flat:down=10Mbit/s,up=2Mbit/s,rtt=600ms"\n[forward]\nloss = 0.01\n'
    spec = link_file.resolved(tmp_path, text)
    assert spec["forward"]["capacity"]["rate_bps"] == 10_000_000
    assert spec["forward"]["loss"] == {"kind": "bernoulli", "p": 0.01}
