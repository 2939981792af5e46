"""Chromium over the emulated link: by the protocol it was told, and what happens without each remedy."""

import json
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from bentpipe.engine import hosts, netns
from bentpipe.engine.browser import chromium, chromium_switches, trust
from bentpipe.engine.browser.process import descendants
from bentpipe.engine.emulate import Emulator
from tests.emulate import traces
from tests.support.specs import spec_of

LACK = chromium.missing()
pytestmark = pytest.mark.skipif(LACK is not None, reason=str(LACK))

LATE_OR_NOT = "1 s"
"""How punctual runs are is tested elsewhere; what a browser asks for does not depend on milliseconds."""

ALPN = {"h1": "http/1.1", "h1s": "http/1.1", "h2": "h2", "h3": "h3"}
RTT_S = 0.5
"""Of geo-alshagri, at least."""

WALL_S = 15
"""What a load over GEO may take in all, from the world's making to its end."""

PARALLEL = 6
"""Requests that Chromium has in flight to a host of which it does not know that it takes many."""


def spec(http, *settings, page="single-100k", link="geo-alshagri", **run):
    tolerant = {"validity": {"lateness": LATE_OR_NOT}}
    resolved = spec_of(
        {"link": link, "page": page, "http": http, "cc": "cubic", **tolerant, **run}, *settings
    )
    return {**resolved, "client": "chromium"}


def loaded(http, *settings, artifacts=None, **run):
    """Return the record of one load, however it ended."""
    return Emulator().run(run_id="0123456789abcdef", spec=spec(http, *settings, **run), artifacts=artifacts)


def assert_valid(record):
    assert record["status"] == "succeeded", record["reasons"]
    return record


@pytest.mark.parametrize("http", ["h1", "h1s", "h2", "h3"])
def test_a_page_is_loaded_by_the_protocol_asked_for(http, tmp_path):
    began_s = time.monotonic()
    record = assert_valid(loaded(http, artifacts=tmp_path))
    assert time.monotonic() - began_s < WALL_S
    sizes = {one["path"]: one["bytes"] for one in record["spec"]["workload"]["page"]["objects"]}
    document, *objects = record["objects"]
    assert document["url"].endswith(f"{hosts.HOST}/")
    assert {one["url"].partition(hosts.HOST)[2]: one["bytes"] for one in objects} == sizes
    for connection in record["client_connections"]:
        assert connection["protocol"] == ALPN[http]
    assert record["provenance"]["chromium"] in record["browser"]["version"]


def test_both_ends_know_a_connection_by_the_same_port_and_it_has_the_runs_congestion_control():
    record = assert_valid(loaded("h2", cc="bbr"))
    ends = (record["client_connections"], record["origin_connections"])
    assert [[one["client_port"] for one in end] for end in ends] == [[ends[1][0]["client_port"]]] * 2
    assert [one["congestion_control"] for end in ends for one in end] == ["bbr", "bbr"]


def test_instants_are_in_order_and_no_answer_comes_before_a_round_trip():
    record = assert_valid(loaded("h2"))
    (connection,) = record["client_connections"]
    assert (connection["connected_ns"] - connection["started_ns"]) / 1e9 >= RTT_S
    assert (connection["secured_ns"] - connection["connected_ns"]) / 1e9 >= RTT_S
    for one in record["objects"]:
        assert one["discovered_s"] <= one["request_s"]
        assert one["request_s"] + RTT_S <= one["first_byte_s"] <= one["last_byte_s"]
    browser = record["browser"]
    assert record["objects"][0]["last_byte_s"] <= browser["parsed_s"] <= browser["loaded_s"]
    assert record["metrics"]["plt_s"] <= browser["loaded_s"] < record["metrics"]["plt_s"] + 1
    assert browser["paint_fcp_s"] <= browser["paint_lcp_s"]


def test_pictures_show_the_page_as_it_appears(tmp_path):
    browser = assert_valid(loaded("h2", artifacts=tmp_path))["browser"]
    frames = browser["frames"]
    assert [frame["file"] for frame in frames] == sorted(path.name for path in tmp_path.glob("frame-*.jpg"))
    assert frames[-1]["completeness"] == 1
    assert 0 < browser["speed_index_s"] <= frames[-1]["time_s"]


def test_no_connection_is_opened_beside_a_slow_one():
    """Three round trips of TCP and TLS are longer than 250 ms; the origin counts what it accepts."""
    assert len(assert_valid(loaded("h2"))["origin_connections"]) == 1


def test_a_scenario_can_study_the_second_connection():
    record = loaded("h2", tcp={"connect_retry": "250 ms"})
    assert len(record["origin_connections"]) > 1


def test_without_its_preference_a_second_socket_is_opened_ahead_of_need(monkeypatch):
    monkeypatch.setattr(chromium_switches.preferences, "__defaults__", ({},))
    record = loaded("h2")
    assert len(record["origin_connections"]) > 1


def most_in_flight(record):
    """Return the largest number of embedded objects that were asked for and had not come."""
    _, *objects = record["objects"]
    began = [one["request_s"] for one in objects]
    return max(sum(o["request_s"] <= at < o["last_byte_s"] for o in objects) for at in began)


def test_over_http_3_all_objects_are_asked_for_at_once():
    record = assert_valid(loaded("h3", page="uniform-500k"))
    assert most_in_flight(record) == len(record["objects"]) - 1 > PARALLEL


def without_switch(monkeypatch, name):
    of_run = chromium_switches.of_run

    def fewer(*arguments, **named):
        return {switch: value for switch, value in of_run(*arguments, **named).items() if switch != name}

    monkeypatch.setattr(chromium_switches, "of_run", fewer)


@pytest.mark.parametrize(
    ("http", "switch", "found"),
    [("h1s", "disable-http2", "h2"), ("h3", "origin-to-force-quic-on", "h2")],
)
def test_a_load_by_another_protocol_is_invalid(monkeypatch, http, switch, found):
    without_switch(monkeypatch, switch)
    record = loaded(http)
    assert record["status"] == "invalid"
    assert f"wrong protocol of 2 resources: expected {ALPN[http]}, found {found}" in record["reasons"]


@pytest.mark.parametrize("http", ["h2", "h3"])
def test_a_certificate_error_is_invalid_although_an_error_page_has_times(monkeypatch, http):
    """The page of no interest has one, too, by another name: it is left out here."""
    monkeypatch.setattr(trust, "install", lambda *_: None)
    monkeypatch.setattr(chromium.Chromium, "_warm_up", lambda *_, **__: None)
    record = loaded(http)
    assert record["status"] == "invalid"
    assert f"the browser did not load https://{hosts.HOST}/" in record["reasons"]
    # Of QUIC the browser says no more than that there was no connection.
    assert http == "h3" or any("ERR_CERT_AUTHORITY_INVALID" in reason for reason in record["reasons"])


def test_a_load_that_takes_longer_than_its_timeout_fails():
    record = loaded("h2", "validity.timeout=1.2s")
    assert (record["status"], record["reasons"]) == ("failed", ["timed out after 1.2 s"])


MEASUREMENT = """
import json, sys
from bentpipe.engine.emulate import Emulator
Emulator().run(run_id="0123456789abcdef", spec=json.loads(sys.argv[1]), artifacts=None)
"""


def renderers(pid):
    """Return those that a process has started. They have no environment that a mark could be found in."""
    found = []
    for descendant in descendants(pid):
        # It may just have ended.
        with suppress(OSError):
            if b"--type=renderer" in Path(f"/proc/{descendant}/cmdline").read_bytes():
                found.append(descendant)
    return found


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGKILL], ids=["Ctrl-C", "kill -9"])
def test_an_interrupted_load_leaves_no_process_and_no_file(ending):
    before = {*Path("/tmp").iterdir(), *Path("/dev/shm").iterdir()}
    slow = json.dumps(spec("h2", page="triangular-2m"))
    process = subprocess.Popen([sys.executable, "-c", MEASUREMENT, slow], stderr=subprocess.DEVNULL)
    try:
        assert traces.becomes_true(lambda: len(renderers(process.pid)) > 0, within_s=20)
        time.sleep(1)
        started = descendants(process.pid)
    finally:
        process.send_signal(ending)
        process.wait(timeout=10)
    assert traces.becomes_true(
        lambda: not any(Path(f"/proc/{pid}/exe").exists() for pid in started), within_s=3
    )
    netns.clean()
    after = {*Path("/tmp").iterdir(), *Path("/dev/shm").iterdir()}
    assert [path for path in after - before if "hrom" in path.name] == []


def test_its_profile_is_nowhere_outside(monkeypatch, tmp_path):
    """All that it writes is in memory of its own: a folder for temporary files stays empty."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    assert_valid(loaded("h2"))
    assert list(tmp_path.iterdir()) == []


def test_a_missing_chromium_is_said_with_what_to_install(monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda _: None)
    assert "install the Debian package chromium" in str(chromium.missing())
