"""Links that follow a recorded path, in one word and as tables."""

import gzip
from pathlib import Path

import numpy as np
import pytest

from bentpipe.engine.simulate import Simulator
from bentpipe.errors import InputError
from bentpipe.scenario.links import link
from tools.specs import spec_of

LEOCC = Path(__file__).parents[3] / "data" / "leocc"
"""One recorded Starlink path of two minutes; its numbers are of data/leocc/SOURCE.md."""


@pytest.fixture
def folder(tmp_path):
    """A folder with LeoCC's example, a trace of Mahimahi's and pings."""
    content = gzip.decompress((LEOCC / "bw_example.txt.gz").read_bytes())
    (tmp_path / "down.txt").write_bytes(content)
    (tmp_path / "delay.txt").write_bytes((LEOCC / "delay_example.txt").read_bytes())
    # One packet of 1504 B each millisecond, 12.032 Mbit/s.
    (tmp_path / "even.txt").write_text("".join(f"{ms}\n" for ms in range(1, 101)))
    (tmp_path / "pings.csv").write_text("timestamp,rtt\n0.0,40\n0.1,60\n0.2,50\n")
    return tmp_path


def test_a_recording_of_one_direction_is_the_forward_one_and_the_return_has_its_mean_rate(folder):
    spec = link("trace:even.txt,rtt=50ms", folder=folder)
    assert spec["forward"]["schedule"]["per_ms"] == [1] * 100
    for direction in ("forward", "return"):
        assert spec[direction]["capacity"] == {"kind": "constant", "rate_bps": 12_032_000}
        assert spec[direction]["delay_ns"] == 25_000_000
    assert "schedule" not in spec["return"]


def test_what_is_written_takes_the_place_of_what_the_recording_tells(folder):
    spec = link("trace:down.txt,delays=delay.txt,up=5Mbit/s,queue=100packets", folder=folder)
    assert spec["return"]["capacity"]["rate_bps"] == 5_000_000
    assert spec["forward"]["queue"] == {"kind": "packets", "limit_packets": 100}
    # 487 652 opportunities until 120.052 s: 48.9 Mbit/s.
    assert spec["forward"]["capacity"]["rate_bps"] == pytest.approx(48.9e6, rel=1e-3)
    assert spec["forward"]["schedule"]["delays_ns"][:3] == [
        int(line) * 1_000_000 for line in (folder / "delay.txt").read_text().split()[:3]
    ]


def test_each_direction_may_have_a_recording_of_its_own(folder):
    (folder / "link.toml").write_text(
        'rtt = "30 ms"\nforward = { trace = "down.txt" }\n'
        'return = { trace = { file = "even.txt", offset = "7 ms" } }\n'
    )
    spec = link("link.toml", folder=folder)
    assert len(spec["forward"]["schedule"]["per_ms"]) == 120_052
    assert spec["return"]["schedule"]["offset_ns"] == 7_000_000


def test_pings_tell_the_delay_of_both_directions_and_the_rates_are_written(folder):
    spec = link("trace:pings.csv,down=100Mbit/s,up=20Mbit/s", folder=folder)
    for direction in ("forward", "return"):
        rows = spec[direction]["schedule"]["rows"]
        assert [row["delay_ns"] for row in rows][:2] == [20_000_000, 30_000_000]
        assert spec[direction]["delay_ns"] == 20_000_000


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("trace:none.txt,rtt=50ms", "No such file or directory"),
        ("trace:even.txt", "rtt"),
        ("trace:pings.csv", "a rate such as"),
        ("trace:even.txt,rtt=50ms,format=mahi", "mahimahi"),
        ("trace:even.txt,rtt=50ms,speed=2", "the unknown key"),
        ("trace:bad.txt,rtt=50ms", "line 2"),
    ],
)
def test_what_is_no_recording_is_refused_with_its_place(folder, text, message):
    (folder / "bad.txt").write_text("1\nthree\n")
    with pytest.raises(InputError) as caught:
        link(text, folder=folder)
    assert message in str(caught.value)


def test_a_recording_and_epochs_are_refused_together(folder):
    (folder / "link.toml").write_text('base = "trace:even.txt,rtt=50ms"\n[epochs]\nperiod = "15 s"\n')
    with pytest.raises(InputError) as caught:
        link("link.toml", folder=folder)
    assert caught.value.field == "epochs.period"


def test_a_flow_over_a_recording_gets_what_was_recorded_second_by_second(folder, monkeypatch):
    monkeypatch.chdir(folder)
    run = {
        "link": "trace:down.txt,delays=delay.txt,queue=2000packets",
        "bulk": {"duration": "60 s"},
        "cc": "bbr",
    }
    spec = spec_of(run, seed=1)
    record = Simulator().run(run_id="0123456789abcdef", spec=spec, artifacts=None)
    assert record.status == "succeeded", record.reasons
    delivered = np.array(record.series["link"]["forward_delivered_bytes"], dtype=float)
    by_second = delivered[: len(delivered) // 10 * 10].reshape(-1, 10).sum(axis=1) * 8 / 1e6
    stamps = np.array((folder / "down.txt").read_text().split(), dtype=int)
    recorded = np.bincount((stamps - 1) // 1000)[: len(by_second)] * 1504 * 8 / 1e6
    shares = by_second[5:58] / recorded[5:58]
    # Every ten seconds BBR leaves the link empty for a fifth of a second (ProbeRTT), and packets that are on
    # their way at the edge of a second count for the next one.
    assert np.mean(np.abs(shares - 1) < 0.05) > 0.75
    assert shares.mean() == pytest.approx(1, abs=0.04)
