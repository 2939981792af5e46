"""What holds for either browser over the emulated link, whatever it does in its own way."""

import signal
import subprocess
import sys
import time
from collections import Counter
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from bentpipe.engine import emulate
from bentpipe.engine.emulate import Emulator
from bentpipe.engine.programs import third_party
from bentpipe.engine.programs.browser import chromium, firefox, kernel, process
from bentpipe.engine.programs.browser.process import descendants
from bentpipe.engine.testbed import netns
from bentpipe.engine.testbed.netns import CLIENT_ADDRESS, SERVER_ADDRESS
from tests.emulate import traces
from tests.emulate.measuring import in_time
from tests.support.folders import page_with
from tests.support.models import changed, said
from tests.support.tshark import CLIENT, dissected, needs_tshark
from tools.specs import spec_of

pytestmark = pytest.mark.alone

LATE_OR_NOT = "1 min"
"""How punctual runs are is tested elsewhere."""

SHORT = "flat:down=100Mbit/s,up=100Mbit/s,rtt=200ms"

WALL_S = 15
"""What a load over GEO may take in all, from the world's making to its end."""

INITIAL_TIMEOUT_S = 0.3
"""Of either QUIC, which is shorter than any round trip over a geostationary satellite."""


def needing(*names):
    """Skip where one of these programs is not installed."""
    for name in names:
        if (lack := third_party.missing_for(name)) is not None:
            pytest.skip(str(lack))


@pytest.fixture(params=["chromium", "firefox"])
def client(request):
    needing(request.param)
    return request.param


def spec(client, http, *settings, page="single-100k", link="geo-alshagri", server=None, **run):
    tolerant = {"validity": {"lateness": LATE_OR_NOT}}
    run = {"link": link, "page": page, "http": http, **tolerant, **run}
    programs = {"client": client} if server is None else {"client": client, "server": server}
    return changed(spec_of(run, *settings), **programs)


def attempted(*arguments, artifacts=None, **run):
    """Return the record of one load, however it ended."""
    wanted = spec(*arguments, **run)
    return Emulator().run(run_id="0123456789abcdef", spec=wanted, artifacts=artifacts)


def loaded(*arguments, **run):
    return in_time(lambda: attempted(*arguments, **run))


@pytest.mark.parametrize("http", ["h2", "h3"])
def test_a_page_of_many_hosts_is_loaded_from_all_of_them(client, http):
    record = loaded(client, http, page="news-front")
    page = record.spec.workload.page
    expected = Counter(item.host or page.host for item in page.objects)
    document, *objects = record.objects
    assert urlsplit(document.url).hostname == page.host
    assert Counter(urlsplit(item.url).hostname for item in objects) == expected
    assert len(expected) > 10
    assert record.metrics.connections_used >= len(expected)


@pytest.mark.parametrize(
    ("server", "http"), [("nginx", "h1"), ("nginx", "h2"), ("caddy", "h2"), ("caddy", "h3")]
)
def test_a_page_is_loaded_from_another_server(client, server, http):
    needing(server)
    # Caddy's QUIC has Reno, and nobody can choose (docs/models/servers.md).
    record = loaded(client, http, server=server, cc="reno" if http == "h3" else "bbr")
    assert server in record.provenance
    assert [one.congestion_control for one in record.origin_connections] == ["bbr"] * (http != "h3")
    assert (record.metrics.retransmitted_packets is None) == (http == "h3")


@pytest.mark.parametrize("cc", ["bbr", "reno"])
def test_requests_and_answers_have_the_congestion_control_of_the_run(client, cc):
    record = loaded(client, "h2", cc=cc)
    ends = record.client_connections, record.origin_connections
    assert [one.congestion_control for end in ends for one in end] == [cc, cc]


def test_streams_are_counted(client):
    """HTTP/1.1 has one object at a time on each of its six connections, HTTP/2 all eight on one.

    Within a round trip, so that none is complete before the last is asked for.
    """
    for http, expected in [("h1", (6, 1)), ("h2", (1, 8))]:
        metrics = loaded(client, http, page="uniform-500k", link=SHORT).metrics
        assert (metrics.connections_used, metrics.streams_max) == expected


@needs_tshark
@pytest.mark.parametrize("http", ["h2", "h3"])
def test_no_packet_of_a_load_comes_from_or_goes_to_anybody_else(client, http, tmp_path):
    """At the link. That it tries no other name and no other address is a condition of every valid run."""
    loaded(client, http, "capture.pcapng=true", artifacts=tmp_path)
    for field in ("ip.src", "ip.dst"):
        addresses = dissected(tmp_path, show="frame", end=CLIENT, field=field)
        assert set(addresses) == {CLIENT_ADDRESS, SERVER_ADDRESS}


@needs_tshark
def test_its_quic_sends_its_first_packet_again_before_any_answer_can_be_there(client, tmp_path):
    """Nothing switches it off; who counts packets has to know (docs/browsers/comparison.md)."""
    loaded(client, "h3", "capture.pcapng=true", artifacts=tmp_path)
    initial = "quic.long.packet_type == 0 && udp.dstport == 443"
    instants = [
        float(each) for each in dissected(tmp_path, show=initial, end=CLIENT, field="frame.time_epoch")
    ]
    waits_s = [after - before for before, after in pairwise(instants)]
    assert any(wait == pytest.approx(INITIAL_TIMEOUT_S, abs=0.05) for wait in waits_s), waits_s


def test_a_name_of_others_that_it_looks_up_is_noticed(client):
    """By the namespace's count of packets that lead nowhere, which makes a run doubtful."""
    run = spec(client, "h2")
    with emulate.open_world(run) as world:
        with (
            process.prepared(["true"], namespace=world.client) as home,
            netns.inside(world.client),
            pytest.raises(process.PartError),
        ):
            home.run(["getent", "ahosts", "www.example.org"])
        assert kernel.unroutable_packets(world.client) > 0


def test_an_icon_that_the_document_declares_is_not_asked_for(client, tmp_path):
    page = page_with("<link rel=icon href=icon.png>", tmp_path)
    (tmp_path / "icon.png").write_bytes(b"not of the page")
    record = loaded(client, "h2", page=page)
    assert [one.url.rpartition("/")[2] for one in record.objects] == ["", "a.css"]


BROWSERS = {"chromium": chromium.Chromium, "firefox": firefox.Firefox}
ANOTHER_TAB = {
    "chromium": lambda browser: browser._new_tab(),
    "firefox": lambda browser: browser._remote.command("browsingContext.create", {"type": "tab"}),
}


def test_a_page_behind_another_tab_is_invalid(client, monkeypatch):
    browser, open_another = BROWSERS[client], ANOTHER_TAB[client]
    prepare = browser._prepare

    def prepare_and_cover(self, until_s):
        prepare(self, until_s)
        open_another(self)

    monkeypatch.setattr(browser, "_prepare", prepare_and_cover)
    record = attempted(client, "h2")
    assert record.status == "invalid"
    assert "the browser did not show the page" in said(record.reasons)


def test_the_largest_page_of_the_study_takes_no_more_than_its_time(client, tmp_path):
    started_s = time.monotonic()
    attempted(client, "h2", page="uniform-2m", artifacts=tmp_path)
    assert time.monotonic() - started_s < WALL_S


MEASUREMENT = """
import signal, sys
from bentpipe.engine.emulate import Emulator
from bentpipe.model.spec import RunSpec
# What a script starts in the background ignores it.
signal.signal(signal.SIGINT, signal.default_int_handler)
Emulator().run(run_id="0123456789abcdef", spec=RunSpec.model_validate_json(sys.argv[1]), artifacts=None)
"""


CONTENT = {"chromium": b"--type=renderer", "firefox": b"-contentproc"}
"""In the command line of a process that shows a page."""


def showing(pid, content):
    """Return those that a process has started. Some have no environment that a mark could be found in."""
    found = []
    for descendant in descendants(pid):
        # It may just have ended.
        with suppress(OSError):
            if content in Path(f"/proc/{descendant}/cmdline").read_bytes():
                found.append(descendant)
    return found


def files():
    return {path for folder in ("/tmp", "/dev/shm", Path.home()) for path in Path(folder).iterdir()}


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGKILL], ids=["Ctrl-C", "kill -9"])
def test_an_interrupted_load_leaves_no_process_and_no_file(client, ending):
    before = files()
    slow = spec(client, "h2", page="triangular-2m").to_json()
    measuring = subprocess.Popen([sys.executable, "-c", MEASUREMENT, slow], stderr=subprocess.DEVNULL)
    try:
        assert traces.becomes_true(lambda: showing(measuring.pid, CONTENT[client]), within_s=30)
        time.sleep(1)
        started = descendants(measuring.pid)
    finally:
        measuring.send_signal(ending)
        measuring.wait(timeout=10)
    assert traces.becomes_true(
        lambda: not any(Path(f"/proc/{pid}/exe").exists() for pid in started), within_s=3
    )
    netns.clean()
    assert files() - before == set()
