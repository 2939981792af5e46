"""nginx and Caddy over the emulated link: our loader verifies each byte, the kernel tells of their TCP."""

import http.client
import subprocess
import sys
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from bentpipe.engine.emulate import Emulator, open_world
from bentpipe.engine.programs import server, third_party
from bentpipe.engine.programs.server.process import FOLDER, PROGRAM, started
from bentpipe.engine.programs.server.site import File, Site
from bentpipe.engine.testbed import congestion_control, netns
from bentpipe.engine.testbed.congestion_control import LOADED, available
from bentpipe.model.reason import End, WrongCongestionControlReason
from tests.emulate import traces
from tests.emulate.measuring import in_time
from tests.support.models import changed, said
from tools.specs import spec_of

RTT_S = 0.200
LINK = "flat:down=10Mbit/s,up=10Mbit/s,rtt=200ms"
PAGE = "uniform-500k"
OBJECTS = 8
ALPN = {"h1": "http/1.1", "h1s": "http/1.1", "h2": "h2", "h3": "h3"}
LATE_OR_NOT = "1 s"
"""How punctual runs are is tested elsewhere."""

LOADS = [
    ("nginx", "h1"),
    ("nginx", "h1s"),
    ("nginx", "h2"),
    ("caddy", "h1"),
    ("caddy", "h1s"),
    ("caddy", "h2"),
]


def spec_served_by(name, http, cc="cubic", *, link=LINK):
    lack = third_party.missing_for(name)
    if lack is not None:
        pytest.skip(str(lack))
    run = {"link": link, "http": http, "cc": cc, "page": PAGE, "connections": 2}
    return changed(spec_of({**run, "validity": {"lateness": LATE_OR_NOT}}), server=name)


def run(spec):
    return Emulator().run(run_id="0123456789abcdef", spec=spec, artifacts=None)


def served_by(*arguments, **keywords):
    """The record of a load that succeeded."""
    spec = spec_served_by(*arguments, **keywords)
    return in_time(lambda: run(spec))


def assert_whole(record, http):
    assert [item.status for item in record.objects] == [200] * (1 + OBJECTS)
    assert {one.protocol for one in record.client_connections} == {ALPN[http]}


@pytest.mark.parametrize(("name", "http"), LOADS)
def test_a_page_is_loaded_whole_and_the_kernel_tells_of_its_connections(name, http):
    record = served_by(name, http)
    assert_whole(record, http)
    assert record.provenance[name][0].isdigit()
    theirs = {one.client_port: one for one in record.origin_connections}
    assert theirs.keys() == {one.client_port for one in record.client_connections}
    for connection in theirs.values():
        assert connection.congestion_control == "cubic"
        assert connection.initial_cwnd_bytes == 10 * 1448
        assert connection.min_rtt_ns / 1e9 == pytest.approx(RTT_S, abs=0.01)
    sender = record.series["sender"]
    assert set(sender["client_port"]) == set(theirs)
    assert max(sender["cwnd_bytes"]) > 20 * 1448
    # An initial window, of which the end of the handshake may have had a part, or which the first
    # acknowledgements of a busy machine may have let grow: neither nothing nor a window more.
    assert 5 * 1448 < record.metrics.first_flight_bytes < 20 * 1448


def test_caddy_serves_http3_by_a_congestion_control_that_the_record_names_as_unread():
    record = served_by("caddy", "h3", "reno")
    assert_whole(record, "h3")
    assert record.origin_connections == []
    assert record.provenance["quic_control_not_read"] == "reno"
    assert record.provenance["quic-go"].startswith("0.")
    # A window of 32 packets, paced, where our origin has ten.
    assert record.metrics.first_flight_bytes > 20_000


@pytest.mark.parametrize("cc", ["reno", "bbr", *LOADED])
def test_a_server_s_connections_have_the_congestion_control_asked_for(cc):
    if cc not in available():
        pytest.skip(f"no {cc} for TCP on this machine")
    record = served_by("nginx", "h2", cc)
    assert [one.congestion_control for one in record.origin_connections] == [LOADED.get(cc, cc)]


def test_another_congestion_control_than_asked_for_makes_the_run_invalid(monkeypatch):
    monkeypatch.setattr(
        congestion_control, "by_route", lambda _spec, end: "reno" if end == "server" else None
    )
    record = run(spec_served_by("nginx", "h1"))
    assert record.status == "invalid"
    wrong = WrongCongestionControlReason(end=End.ORIGIN, expected="cubic", found="reno")
    assert wrong in record.reasons


def test_a_congestion_control_that_the_kernel_refuses_fails_the_run(monkeypatch):
    monkeypatch.setattr(congestion_control, "by_route", lambda _spec, _end: "nonesuch")
    assert run(spec_served_by("nginx", "h1")).status == "failed"


def test_losses_are_sent_again_and_counted():
    record = served_by("nginx", "h2", link=LINK + ",loss=2%")
    assert record.metrics.drops.forward.channel > 0
    assert record.origin_connections[0].retransmitted_packets > 0
    assert max(record.series["sender"]["retransmitted_packets"]) > 0


def test_a_server_that_does_not_come_up_says_why(monkeypatch):
    spec, nginx = spec_served_by("nginx", "h2"), server.PROGRAMS["nginx"]
    without = replace(nginx, configuration=lambda _http, _site: ("nginx.conf", "nonsense;"))
    monkeypatch.setitem(server.PROGRAMS, "nginx", without)
    record = run(spec)
    assert record.status == "failed"
    (reason,) = said(record.reasons)
    assert reason.startswith("nginx ended with status 1: ")
    assert 'unknown directive "nonsense"' in reason


TARGETS = {
    ("www.test", "/"): b"the page",
    ("www.test", "/a/b.css"): b"a style",
    ("www.test", "/a"): b"no folder",
    ("www.test", "/b?v=1"): b"the first",
    ("www.test", "/b?v=2"): b"the second",
    ("www.test", "/$host%20;{}/c~*"): b"odd",
    ("images.test", "/"): b"another host",
    ("images.test", "/" + 2000 * "x"): b"long",
}


@pytest.mark.parametrize("name", ["nginx", "caddy"])
def test_every_target_of_every_host_is_answered_as_our_origin_does(name):
    spec, program = spec_served_by(name, "h1"), server.PROGRAMS[name]
    kinds = ("text/css", "image/png")
    files = [
        File(name=f"{n}.type{n % 2}", host=host, target=target, content_type=kinds[n % 2], body=body)
        for n, ((host, target), body) in enumerate(TARGETS.items())
    ]
    site = Site(files=tuple(files), certificates_pem={}, key_pem="")

    def prepare(folder, _pid):
        site.write(folder)
        file, text = program.configuration("h1", site)
        (folder / file).write_text(text)

    with ExitStack() as stack:
        world = stack.enter_context(open_world(spec))
        with netns.inside(world.server):
            process = stack.enter_context(
                started(name, Path(program.installed.path()), program.command(str(PROGRAM)), prepare=prepare)
            )
            assert traces.becomes_true(lambda: process.listens(port=80, transport="tcp"), within_s=30)
            connection = stack.enter_context(closing(http.client.HTTPConnection(netns.SERVER_ADDRESS)))
            for file in files:
                answer = answered(connection, file.host, file.target)
                assert (answer.status, answer.body) == (200, file.body)
                fields = {key.lower(): value for key, value in answer.fields}
                assert fields.keys() - {"connection"} == SENT
                assert fields["content-type"] == file.content_type
                assert fields["cache-control"] == "no-store"
                assert fields["timing-allow-origin"] == fields["access-control-allow-origin"] == "*"
            # Where none has a query one without it is meant.
            assert answered(connection, "www.test", "/a/b.css?v=9").body == b"a style"
            assert answered(connection, "www.test", "/b?v=3").status == 404
            assert answered(connection, "images.test", "/a").status == 404


SENT = {
    *("server", "date", "content-type", "content-length", "cache-control"),
    *("timing-allow-origin", "access-control-allow-origin"),
}


def answered(connection, host, target):
    connection.request("GET", target, headers={"Host": host})
    response = connection.getresponse()
    return SimpleNamespace(status=response.status, fields=response.getheaders(), body=response.read())


MEASUREMENT = """
import sys
from bentpipe.engine.emulate import Emulator
from bentpipe.model.spec import RunSpec
spec = RunSpec.model_validate_json(sys.argv[1])
Emulator().run(run_id="0123456789abcdef", spec=spec, artifacts=None)
"""


@pytest.mark.alone
@pytest.mark.parametrize("name", ["nginx", "caddy"])
def test_a_killed_measurement_leaves_no_server_and_no_file_of_it(name, mark):
    def at_work():
        # Before it is the server the process is an interpreter, then setpriv.
        found = traces.processes(mark, command=f"{FOLDER}/{name}.")
        return [pid for pid in found if Path(f"/proc/{pid}/exe").readlink() == PROGRAM]

    spec = spec_served_by(name, "h1", link="flat:down=20kbit/s,up=20kbit/s,rtt=200ms")
    process = subprocess.Popen([sys.executable, "-c", MEASUREMENT, spec.to_json()])
    try:
        assert traces.becomes_true(at_work, within_s=30)
        (pid,) = at_work()
        assert Path(f"/proc/{pid}/root{FOLDER}/www").is_dir()
        # Nobody else sees it.
        assert not (FOLDER / "www").exists()
    finally:
        process.kill()
        process.wait()
    assert traces.becomes_true(lambda: not traces.processes(mark), within_s=5)
    assert netns.clean() != []
