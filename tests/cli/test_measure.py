from pathlib import Path

import pytest

from bentpipe.model.channel import BernoulliLossSpec
from bentpipe.model.flow import BulkWorkload
from bentpipe.model.pep import TunnelPepSpec
from bentpipe.model.spec import PingWorkload
from tests.campaign.fake_engine import record, succeeded
from tests.support.har import HTML, entry, write
from tests.support.models import because, changed


def spec_of(engine):
    return engine.specs[-1]


pytestmark = pytest.mark.usefixtures("engine")

PAGE = ("page", "--link", "geo-alshagri-flat", "--http", "h3", "--page", "uniform-500k")


def test_page_prints_the_record_as_json(bentpipe):
    found = bentpipe.json(*PAGE, "--cc", "bbr", "--json")
    assert found["status"] == "succeeded"
    assert found["spec"]["workload"]["page"]["name"] == "uniform-500k"
    assert found["spec"]["cc"] == "bbr"


def test_page_prints_what_a_browser_saw_and_names_it(bentpipe, engine):
    frames = [{"time_s": 1.9, "file": "frames/1.jpg", "completeness": 1.0}] * 3
    paints = {"parsed_s": 1.2, "loaded_s": 3.75, "paint_fcp_s": 1.812, "paint_lcp_s": None}
    browser = {"version": "Firefox 153.0", **paints, "speed_index_s": 2.5, "frames": frames}
    engine.behave = lambda run_id, spec, _: changed(record(run_id, spec), browser=browser)
    lines = bentpipe(*PAGE).stdout.splitlines()
    assert lines[0] == "uniform-500k by h3 with cubic in Firefox 153.0 over geo-alshagri-flat: succeeded"
    found = {line.strip().split("  ")[0]: line for line in lines[1:]}
    assert "1.812 s" in found["First paint (FCP)"]
    assert "2.500 s" in found["Speed Index"]
    assert "3.750 s" in found["Loaded"]
    assert " 3 " in found["Pictures"]
    assert "Largest paint (LCP)" not in found


def test_page_prints_no_paints_of_the_loader(bentpipe):
    assert "paint" not in bentpipe(*PAGE).stdout


def test_page_prints_figures_with_units(bentpipe, engine):
    metrics = {"plt_s": 3.4821, "ttfb_s": 0.5301, "wire_bytes_down": 534_000, "overhead_percent": 6.8}
    engine.behave = lambda run_id, spec, _: changed(record(run_id, spec), metrics=metrics)
    lines = bentpipe(*PAGE).stdout.splitlines()
    assert lines[0] == "uniform-500k by h3 with cubic over geo-alshagri-flat: succeeded"
    assert any(line.split()[:5] == ["Page", "load", "time", "3.482", "s"] for line in lines)
    assert any("530.10 ms" in line for line in lines)
    assert any("534.0 kB" in line for line in lines)
    assert any("6.80 %" in line for line in lines)


def test_page_loads_a_page_of_ones_own_from_a_har_or_a_folder(bentpipe, engine, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(Path("mine.har"), [entry("https://a.example/", media=HTML), entry("https://b.example/x.png")])
    Path("www").mkdir()
    Path("www/index.html").write_text("<h1>mine</h1>")
    engine.behave = succeeded
    pages = [
        bentpipe.json("page", "--link", "lan", "--http", "h2", "--page", name, "--json")["spec"]["workload"][
            "page"
        ]
        for name in ("har:mine.har", "dir:www")
    ]
    assert pages[0]["objects"] == [{"path": "/x.png", "bytes": 1000, "host": "b.example"}]
    assert pages[1]["document"]["folder"] == str(tmp_path / "www")


def test_a_fault_in_a_har_is_told_with_its_file_and_field(bentpipe, engine, tmp_path):
    path = write(tmp_path / "mine.har", [entry("https://a.example/", status="ok")])
    result = bentpipe("page", "--link", "lan", "--http", "h2", "--page", f"har:{path}", expect=2)
    assert f'{path}: log.entries[0].response.status: expected a status code, found "ok"' in result.stderr
    assert engine.calls == []


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize(("client", "server"), [("firefox", "caddy"), ("chromium", "nginx")])
def test_client_and_server_are_settings(bentpipe, engine, client, server):
    page = (*PAGE[:3], "--http", "h2", *PAGE[5:])
    bentpipe(*page, "--set", f"client={client}", "--set", f"server={server}")
    assert (spec_of(engine).client, spec_of(engine).server) == (client, server)


def test_the_seed_decides_on_the_run(bentpipe):
    ids = [bentpipe.json(*PAGE, "--seed", seed, "--json")["run_id"] for seed in (1, 2, 1)]
    assert ids[0] == ids[2] != ids[1]


def test_settings_reach_the_specification(bentpipe, engine):
    bentpipe(*PAGE, "--set", "tcp.initial_window=3")
    assert spec_of(engine).tcp.initial_window == 3


def test_a_proxy_is_an_option_and_its_settings_are_set(bentpipe, engine):
    bentpipe(*PAGE, "--pep", "split", "--set", "pep.cc=hybla")
    assert spec_of(engine).pep.cc == "hybla"
    bentpipe("bulk", "--link", "lan", "--size", "1MB", "--pep", "tunnel")
    assert spec_of(engine).pep == TunnelPepSpec(header_bytes=24)


def test_a_proxy_that_cannot_be_is_refused_at_its_option(bentpipe):
    message = bentpipe(*PAGE, "--pep", "proxy", expect=2).stderr
    assert (
        "command line: --pep: expected one of none, split, tunnel, masque, quic-split, as h3 runs over UDP"
        in message
    )


def test_bulk_takes_its_options(bentpipe, engine):
    options = ("--transport", "quic", "--size", "10MB", "--direction", "up", "--cc", "bbr")
    bentpipe("bulk", "--link", "geo-viasat2-flat", *options)
    assert spec_of(engine).workload == BulkWorkload(transport="quic", direction="up", bytes=10_000_000)


def test_ping_takes_its_options(bentpipe, engine):
    bentpipe("ping", "--link", "lan", "--count", "5", "--interval", "10ms", "--size", "64B")
    assert spec_of(engine).workload == PingWorkload(count=5, interval_ns=10_000_000, payload_bytes=64)


def test_a_link_may_be_an_inline_pipe(bentpipe, engine):
    bentpipe("ping", "--link", "flat:down=10Mbit/s,up=2Mbit/s,rtt=600ms,loss=1%,queue=1BDP,jitter=3ms")
    assert spec_of(engine).link.forward.loss == BernoulliLossSpec(p=0.01)


@pytest.mark.parametrize("status", ["failed", "invalid"])
def test_a_run_that_did_not_succeed_makes_status_1_and_tells_why(bentpipe, engine, status):
    engine.behave = lambda run_id, spec, _: record(run_id, spec, status=status, reasons=[because("too late")])
    assert f": {status}\n  too late; " in bentpipe(*PAGE, expect=1).stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("ping", "--link", "moon"), "command line: --link: expected a preset"),
        (("ping", "--link", "lan", "--count", "0"), "command line: --count: expected a whole number from 1"),
        (("bulk", "--link", "lan"), "command line: --size: expected either size or duration, found neither"),
        (("bulk", "--link", "lan", "--size", "much"), "command line: --size: expected a size"),
        (("bulk", "--link", "lan", "--size", "1MB", "--cc", "fast"), "command line: --cc: expected one of"),
        ((*PAGE, "--connections", "0"), "command line: --connections: expected a whole number"),
        ((*PAGE, "--seed", "-1"), "command line: --seed: expected a whole number"),
        ((*PAGE, "--set", "capture.pcapng=true"), "command line: --out: expected a folder for the captures"),
    ],
)
def test_bad_options_are_named_as_written(bentpipe, engine, arguments, message):
    assert f"error: {message}" in bentpipe(*arguments, expect=2).stderr
    assert engine.calls == []


def test_captures_go_to_the_folder_given(bentpipe, engine, tmp_path):
    def captured(run_id, spec, _):
        (engine.artifacts[run_id] / "packets.pcapng").write_bytes(b"captured")
        return record(run_id, spec)

    engine.behave = captured
    captures = tmp_path / "captures"
    told = bentpipe(*PAGE, "--set", "capture.pcapng=true", "--out", captures).stderr
    assert {path.name: path.read_bytes() for path in captures.iterdir()} == {"packets.pcapng": b"captured"}
    assert "is empty" not in told


@pytest.mark.usefixtures("engine")
def test_a_folder_into_which_nothing_went_is_told_with_what_would_fill_it(bentpipe, tmp_path):
    told = bentpipe(*PAGE, "--out", tmp_path / "captures").stderr
    assert f"{tmp_path / 'captures'} is empty" in told
    assert "--set capture.pcapng=true" in told
