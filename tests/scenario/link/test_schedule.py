"""Links that change over time, as written: rows and epochs."""

import json

import pytest

from bentpipe import _core
from bentpipe.errors import InputError
from bentpipe.scenario.links import link

FLAT = """
mtu = "1500 B"
rtt = "40 ms"
{common}
[forward]
rate = "50 Mbit/s"
{forward}
[return]
rate = "10 Mbit/s"
"""


def resolved(tmp_path, *, common="", forward=""):
    (tmp_path / "link.toml").write_text(FLAT.format(common=common, forward=forward))
    return link("link.toml", folder=tmp_path)


def refused(tmp_path, **parts):
    with pytest.raises(InputError) as caught:
        resolved(tmp_path, **parts)
    return caught.value


def test_a_link_without_a_schedule_has_none_in_its_specification(tmp_path):
    # So that the ids of runs over such links are what they were.
    assert "schedule" not in resolved(tmp_path)["forward"]


def test_a_silence_of_which_the_median_alone_is_known_has_the_rest_by_default(tmp_path):
    common = '[epochs]\nperiod = "15 s"\nsilence = { median = "80 ms" }'
    epochs = resolved(tmp_path, common=common)["forward"]["schedule"]
    # Beside each in defaults.py: as long as the median, at the edge, with at most thrice that.
    assert epochs["silence"] == {
        "state": "hold",
        "median_ns": 80_000_000,
        "p90_ns": 80_000_000,
        "min_ns": 0,
        "max_ns": 240_000_000,
        "lead_min_ns": 0,
        "lead_max_ns": 0,
    }
    assert (epochs["phase_ns"], epochs["edge_jitter_ns"]) == (0, 0)


def test_rows_say_what_they_say_and_no_more(tmp_path):
    rows = """schedule = [
        { at = "0 s" },
        { at = "1.5 s", rate = "5 Mbit/s", delay = "30 ms", loss = "10 %" },
        { at = "2 s", state = "silence" },
    ]"""
    spec = resolved(tmp_path, forward=rows)
    assert spec["forward"]["schedule"] == {
        "kind": "table",
        "rows": [
            {"at_ns": 0, "loss": 0.0, "state": "open"},
            {
                "at_ns": 1_500_000_000,
                "rate_bps": 5_000_000,
                "delay_ns": 30_000_000,
                "loss": 0.1,
                "state": "open",
            },
            {"at_ns": 2_000_000_000, "loss": 0.0, "state": "silence"},
        ],
        "period_ns": None,
        "offset_ns": 0,
    }
    assert "schedule" not in spec["return"]


EPOCHS = """
[epochs]
period = "15 s"
phase = "12 s"
silence = { state = "lose", median = "80 ms", p90 = "135 ms", lead = ["10 ms", "20 ms"] }
"""


def test_epochs_hold_for_both_directions_and_start_anywhere_in_a_day(tmp_path):
    spec = resolved(tmp_path, common=EPOCHS)
    expected = {
        "kind": "epochs",
        "period_ns": 15_000_000_000,
        "phase_ns": 12_000_000_000,
        "edge_jitter_ns": 0,
        # 2026-01-01T00:00:00Z
        "start_unix_ns": 1_767_225_600_000_000_000,
        "start_span_ns": 86_400_000_000_000,
        "silence": {
            "state": "lose",
            "median_ns": 80_000_000,
            "p90_ns": 135_000_000,
            "min_ns": 0,
            "max_ns": 405_000_000,
            "lead_min_ns": 10_000_000,
            "lead_max_ns": 20_000_000,
        },
        "capacity": None,
        "delay": {"kind": "none"},
    }
    assert spec["forward"]["schedule"] == expected
    assert spec["return"]["schedule"] == expected


def test_a_start_that_is_written_is_exact_unless_a_span_is_written_too(tmp_path):
    start = 'start = "2026-11-25T12:00:00+01:00"'
    spec = resolved(tmp_path, common=f'[epochs]\nperiod = "15 s"\n{start}')
    schedule = spec["forward"]["schedule"]
    assert (schedule["start_unix_ns"], schedule["start_span_ns"]) == (1_795_604_400_000_000_000, 0)


def test_a_silence_can_be_changed_and_left_out_of_a_base(tmp_path):
    (tmp_path / "base.toml").write_text(FLAT.format(common=EPOCHS, forward=""))

    def silence(change):
        text = f'base = "base.toml"\n[epochs]\nsilence = {change}\n'
        (tmp_path / "link.toml").write_text(text)
        return link("link.toml", folder=tmp_path)["forward"]["schedule"]["silence"]

    assert silence('{ state = "none" }') is None
    held = silence('{ state = "hold" }')
    assert (held["state"], held["median_ns"]) == ("hold", 80_000_000)


def test_a_direction_with_rows_of_its_own_does_not_follow_the_epochs(tmp_path):
    spec = resolved(tmp_path, common=EPOCHS, forward='schedule = [{ at = "0 s" }]')
    assert spec["forward"]["schedule"]["kind"] == "table"
    assert spec["return"]["schedule"]["kind"] == "epochs"


def test_the_variation_of_the_rate_is_each_directions_own(tmp_path):
    variation = 'rate_variation = { between = "20 %", within = 0.07, correlation = 0.45 }'
    spec = resolved(tmp_path, common=EPOCHS, forward=variation)
    assert spec["forward"]["schedule"]["capacity"] == {
        "between_cv": 0.2,
        "within_cv": 0.07,
        "within_step_ns": 1_000_000_000,
        "within_correlation": 0.45,
    }
    assert spec["return"]["schedule"]["capacity"] is None


@pytest.mark.parametrize(
    ("parts", "field", "expected", "found"),
    [
        (
            {"forward": "schedule = []"},
            "forward.schedule.rows",
            "from 1 to 1000000 rows, the first at 0 s",
            "0",
        ),
        (
            {"forward": 'schedule = [{ at = "1 s" }]'},
            "forward.schedule.rows.1.at",
            '"0 s" for the first row',
            '"1 s"',
        ),
        (
            {"forward": 'schedule = [{ at = "0 s" }, { at = "0 s" }]'},
            "forward.schedule.rows.2.at",
            "an instant later than that of the row before",
            '"0 s"',
        ),
        (
            {"forward": 'schedule = [{ at = "0 s", state = "closed" }]'},
            "forward.schedule.rows.1.state",
            "one of open, silence, outage",
            '"closed"',
        ),
        (
            {"forward": 'schedule = { rows = [{ at = "0 s" }, { at = "2 s" }], every = "2 s" }'},
            "forward.schedule.every",
            "a duration that ends later than the last row begins",
            '"2 s"',
        ),
        (
            {"forward": "rate_variation = { between = 0.2 }"},
            "forward.rate_variation.between",
            "nothing, as the link has no epochs",
            "0.2",
        ),
        ({"common": "[epochs]"}, "epochs.period", 'a duration such as "15 s"', "nothing"),
        (
            {"common": '[epochs]\nperiod = "15 s"\nphase = "15 s"'},
            "epochs.phase",
            "less than the period of 15000000000 ns",
            "15000000000",
        ),
        (
            {"common": '[epochs]\nperiod = "15 s"\nstart = "2026-01-01"'},
            "epochs.start",
            'an instant from 1971 to 2115 with its zone, such as "2026-01-01T00:00:00Z"',
            '"2026-01-01"',
        ),
        (
            {"common": '[epochs]\nperiod = "15 s"\nsilence = { state = "holds", median = "80 ms" }'},
            "epochs.silence.state",
            "one of hold, lose, none",
            '"holds"',
        ),
        (
            {"common": '[epochs]\nperiod = "1 s"\nsilence = { median = "80 ms", most = "400 ms" }'},
            "epochs.silence.most",
            "with lead_max_ns at most 250000000 ns, a quarter of the period",
            "400000000",
        ),
    ],
)
def test_what_cannot_be_is_refused_by_its_key(tmp_path, parts, field, expected, found):
    error = refused(tmp_path, **parts)
    assert (error.field, error.expected, error.found) == (field, expected, found)


def test_a_share_is_of_the_rate_of_its_direction(tmp_path):
    rows = 'schedule = [{ at = "0 s", share = 0.5 }, { at = "2 s" }, { at = "3 s", share = "10 %" }]'
    spec = resolved(tmp_path, forward=rows)
    rates = [row.get("rate_bps") for row in spec["forward"]["schedule"]["rows"]]
    assert rates == [25_000_000, None, 5_000_000]


def test_a_share_of_a_carrier_is_of_its_rate_in_clear_sky(tmp_path):
    share = '[forward]\nschedule = [{ at = "0 s" }, { at = "20 s", share = 0.4 }]'
    (tmp_path / "link.toml").write_text(f'base = "geo-alshagri"\n{share}\n')
    spec = link("link.toml", folder=tmp_path)["forward"]
    nominal_bps = spec["capacity"]["nominal_bps"]
    assert spec["schedule"]["rows"][1]["rate_bps"] == round(0.4 * nominal_bps)


def test_a_row_says_its_rate_or_a_share_of_it(tmp_path):
    rows = 'schedule = [{ at = "0 s", share = 0.5, rate = "5 Mbit/s" }]'
    error = refused(tmp_path, forward=rows)
    assert (error.field, error.expected, error.found) == (
        "forward.schedule.rows.1.rate",
        "nothing, as share says it as a part of the direction's",
        '"5 Mbit/s"',
    )


def test_a_return_link_on_demand_refuses_silences_that_hold(tmp_path):
    (tmp_path / "link.toml").write_text(f'base = "geo-alshagri"\n{EPOCHS.replace("lose", "hold")}')
    with pytest.raises(InputError) as caught:
        link("link.toml", folder=tmp_path)
    assert caught.value.field == "epochs"


def test_a_queue_in_bdp_counts_the_longest_delay_of_a_schedule(tmp_path):
    rows = 'schedule = [{ at = "0 s" }, { at = "1 s", delay = "270 ms" }]\nqueue = "1 BDP"'
    spec = resolved(tmp_path, forward=rows)
    # 50 Mbit/s for 270 ms there and 20 ms back.
    assert spec["forward"]["queue"]["limit_bytes"] == 50_000_000 // 8 * 290 // 1000


def test_what_the_link_says_of_a_schedule_is_its_range_of_delays(tmp_path):
    steps = '[epochs]\nperiod = "15 s"\nsteps = [[0, "-2 ms"], [1, "10 ms"]]'
    spec = resolved(tmp_path, common=steps)
    described = json.loads(_core.describe_link(json.dumps(spec)))["forward"]
    assert (described["shortest_delay_ns"], described["longest_delay_ns"]) == (18_000_000, 30_000_000)
