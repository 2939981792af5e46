"""Chromium over the emulated link: by the protocol it was told, and what happens without each remedy."""

from pathlib import Path
from urllib.parse import urlsplit

import pytest

from bentpipe.engine.emulate import Emulator
from bentpipe.engine.programs import third_party
from bentpipe.engine.programs.browser import (
    chromium,
    chromium_sighting,
    chromium_switches,
    icons,
    netlog,
    trust,
    warm_up,
)
from bentpipe.engine.testbed import hosts
from tests.emulate.overhearing import waiting
from tests.support.folders import OUTSIDE, page_with
from tests.support.models import changed, said
from tools.specs import spec_of

LACK = third_party.missing_for("chromium")
pytestmark = [pytest.mark.alone, pytest.mark.skipif(LACK is not None, reason=str(LACK))]

LATE_OR_NOT = "1 s"
"""How punctual runs are is tested elsewhere; what a browser asks for does not depend on milliseconds."""

ALPN = {"h1": "http/1.1", "h1s": "http/1.1", "h2": "h2", "h3": "h3"}
RTT_S = 0.5
"""Of geo-alshagri, at least."""

PARALLEL = 6
"""Requests that Chromium has in flight to a host of which it does not know that it takes many."""


def spec(http, *settings, page="single-100k", link="geo-alshagri", **run):
    tolerant = {"validity": {"lateness": LATE_OR_NOT}}
    resolved = spec_of(
        {"link": link, "page": page, "http": http, "cc": "cubic", **tolerant, **run}, *settings
    )
    return changed(resolved, client="chromium")


def loaded(http, *settings, artifacts=None, server=None, **run):
    """Return the record of one load, however it ended."""
    wanted = spec(http, *settings, **run)
    wanted = wanted if server is None else {**wanted, "server": server}
    return Emulator().run(run_id="0123456789abcdef", spec=wanted, artifacts=artifacts)


def assert_valid(record):
    assert record.status == "succeeded", record.reasons
    return record


@pytest.mark.parametrize("http", ["h1", "h1s", "h2", "h3"])
def test_a_page_is_loaded_by_the_protocol_asked_for(http, tmp_path):
    record = assert_valid(loaded(http, artifacts=tmp_path))
    sizes = {one.path: one.bytes for one in record.spec.workload.page.objects}
    document, *objects = record.objects
    assert document.url.endswith(f"{hosts.HOST}/")
    assert {one.url.partition(hosts.HOST)[2]: one.bytes for one in objects} == sizes
    for connection in record.client_connections:
        assert connection.protocol == ALPN[http]
    assert record.provenance["chromium"] in record.browser.version


def test_both_ends_know_a_connection_by_the_same_port_and_it_has_the_runs_congestion_control():
    record = assert_valid(loaded("h2", cc="bbr"))
    ends = (record.client_connections, record.origin_connections)
    assert [[one.client_port for one in end] for end in ends] == [[ends[1][0].client_port]] * 2
    assert [one.congestion_control for end in ends for one in end] == ["bbr", "bbr"]


def test_instants_are_in_order_and_no_answer_comes_before_a_round_trip():
    record = assert_valid(loaded("h2"))
    (connection,) = record.client_connections
    assert (connection.connected_ns - connection.started_ns) / 1e9 >= RTT_S
    assert (connection.secured_ns - connection.connected_ns) / 1e9 >= RTT_S
    for one in record.objects:
        assert one.discovered_s <= one.request_s
        assert one.request_s + RTT_S <= one.first_byte_s <= one.last_byte_s
    browser = record.browser
    assert record.objects[0].last_byte_s <= browser.parsed_s <= browser.loaded_s
    assert record.metrics.plt_s <= browser.loaded_s < record.metrics.plt_s + 1
    assert browser.paint_fcp_s <= browser.paint_lcp_s


@pytest.mark.parametrize("http", ["h2", "h3"])
def test_the_first_flight_is_the_origin_s_initial_window(http):
    """RFC 6928, RFC 9002: ten packets. The document's exchange may have taken of them, or let more grow."""
    assert 5 * 1448 < assert_valid(loaded(http)).metrics.first_flight_bytes < 20 * 1500


def test_a_page_of_no_interest_is_loaded_before_and_does_not_cross_the_link(monkeypatch):
    logs = []

    def read(text, read=netlog.read):
        logs.append(read(text))
        return logs[-1]

    monkeypatch.setattr(netlog, "read", read)
    record = assert_valid(loaded("h2"))
    (log,) = logs
    before = log.urls[: log.urls.index(f"https://{hosts.HOST}/")]
    own = f"https://{warm_up.HOST}/"
    assert {own, f"{own}warm-up-1.jpg", f"{own}warm-up-2.jpg"} <= set(before)
    assert len(record.origin_connections) == 1


def test_pictures_show_the_page_as_it_appears(tmp_path):
    browser = assert_valid(loaded("h2", artifacts=tmp_path)).browser
    frames = browser.frames
    assert [frame.file for frame in frames] == sorted(path.name for path in tmp_path.glob("frame-*.jpg"))
    assert frames[-1].completeness == 1
    assert 0 < browser.speed_index_s <= frames[-1].time_s


def test_no_connection_is_opened_beside_a_slow_one():
    """Three round trips of TCP and TLS are longer than 250 ms; the origin counts what it accepts."""
    assert len(assert_valid(loaded("h2")).origin_connections) == 1


def test_a_scenario_can_study_the_second_connection():
    record = loaded("h2", tcp={"connect_retry": "250 ms"})
    assert len(record.origin_connections) > 1


def test_without_its_preference_a_second_socket_is_opened_ahead_of_need(monkeypatch):
    monkeypatch.setattr(chromium_switches.preferences, "__defaults__", ({},))
    record = loaded("h2")
    assert len(record.origin_connections) > 1


def most_in_flight(record):
    """Return the largest number of embedded objects that were asked for and had not come."""
    _, *objects = record.objects
    started = [one.request_s for one in objects]
    return max(sum(o.request_s <= at < o.last_byte_s for o in objects) for at in started)


def test_over_http_3_all_objects_are_asked_for_at_once():
    record = assert_valid(loaded("h3", page="uniform-500k"))
    assert most_in_flight(record) == len(record.objects) - 1 > PARALLEL


@pytest.fixture
def header_fields(monkeypatch):
    """Those of all responses of measured loads, by URL."""
    fields = {}

    def noting(requests, sightings=chromium_sighting.sightings, **others):
        for one in requests:
            fields[one.url] = {name.lower(): value for name, value in one.response_fields.items()}
        return sightings(requests, **others)

    monkeypatch.setattr(chromium_sighting, "sightings", noting)
    return fields


@pytest.mark.parametrize(("server", "cc"), [(None, "cubic"), ("caddy", "reno")])
def test_over_http_3_each_response_says_that_there_is_http_3(header_fields, server, cc):
    """A Chromium that does not know so has been seen to keep six images in flight."""
    if server is not None and (lack := third_party.missing_for(server)) is not None:
        pytest.skip(str(lack))
    assert_valid(loaded("h3", server=server, cc=cc))
    assert [fields["alt-svc"] for fields in header_fields.values()] == ['h3=":443"; ma=86400'] * 2


def told_otherwise(monkeypatch, change):
    """Start Chromium with the switches that `change` makes of its own."""
    of_run = chromium_switches.of_run
    monkeypatch.setattr(
        chromium_switches, "of_run", lambda *arguments, **named: change(of_run(*arguments, **named))
    )


def without_switch(monkeypatch, name):
    told_otherwise(
        monkeypatch, lambda told: {switch: value for switch, value in told.items() if switch != name}
    )


def with_names_looked_up(monkeypatch):
    """Names and addresses that are not of the page are not unknown to Chromium any more."""
    rules, unknown = "host-resolver-rules", "MAP * ~NOTFOUND,"

    def change(told):
        assert unknown in told[rules]
        return {**told, rules: told[rules].replace(unknown, "")}

    told_otherwise(monkeypatch, change)


QUIET_S = 8
"""Its makers' servers are asked for lists and updates within the first seconds."""


def heard_of_a_start():
    """Return packets, packets to nowhere, and the hosts it would ask, of a Chromium that waits."""
    with waiting(chromium.Chromium, spec("h2"), for_s=QUIET_S) as (client, heard, unroutable):
        urls = client._log().urls
    return heard, unroutable, {urlsplit(url).hostname for url in urls if url.startswith("http")}


def test_it_says_nothing_to_anybody_but_the_page():
    heard, unroutable, _ = heard_of_a_start()
    assert (heard, unroutable) == ([], 0)


def test_without_its_rules_for_names_it_would_ask_its_makers_for_updates(monkeypatch):
    """Version 156 does in spite of disable-component-update; nothing else is asked for."""
    with_names_looked_up(monkeypatch)
    _, unroutable, hosts = heard_of_a_start()
    assert unroutable > 0
    assert hosts == {warm_up.HOST, "update.googleapis.com"}


@pytest.mark.parametrize(
    ("http", "switch", "found"),
    [("h1s", "disable-http2", "h2"), ("h3", "origin-to-force-quic-on", "h2")],
)
def test_a_load_by_another_protocol_is_invalid(monkeypatch, http, switch, found):
    without_switch(monkeypatch, switch)
    record = loaded(http)
    assert record.status == "invalid"
    assert f"wrong protocol of 2 resources: expected {ALPN[http]}, found {found}" in said(record.reasons)


@pytest.mark.parametrize("http", ["h2", "h3"])
def test_a_certificate_error_is_invalid_although_an_error_page_has_times(monkeypatch, http):
    """The page of no interest has one, too, by another name: it is left out here."""
    monkeypatch.setattr(trust, "install", lambda *_: None)
    monkeypatch.setattr(chromium.Chromium, "_warm_up", lambda *_, **__: None)
    record = loaded(http)
    assert record.status == "invalid"
    assert f"the browser did not load https://{hosts.HOST}/" in said(record.reasons)
    # Of QUIC the browser says no more than that there was no connection.
    assert http == "h3" or any("ERR_CERT_AUTHORITY_INVALID" in reason for reason in said(record.reasons))


def test_what_is_asked_for_besides_the_page_is_known_by_the_network_log_and_makes_the_run_invalid(
    monkeypatch,
):
    """The icon of a page that declares none."""
    monkeypatch.setattr(icons, "of", lambda *_: [])
    record = loaded("h2")
    assert record.status == "invalid"
    stray = f"the browser asked for https://{hosts.HOST}/favicon.ico, which is not of the page"
    assert stray in said(record.reasons)


def test_a_packet_to_an_address_outside_makes_the_run_invalid(monkeypatch, tmp_path):
    with_names_looked_up(monkeypatch)
    record = loaded("h2", page=page_with(OUTSIDE, tmp_path))
    assert record.status == "invalid"
    assert any("packets to addresses outside the world" in reason for reason in said(record.reasons))


def test_a_load_that_takes_longer_than_its_timeout_fails():
    record = loaded("h2", "validity.timeout=1.2s")
    assert (record.status, said(record.reasons)) == ("failed", ["timed out after 1.2 s"])


OWN_FILES = {"profile", ".pki", "etc", "netlog.json"}
"""What is in its home, which it sees as /tmp."""


def test_its_files_are_nowhere_outside(monkeypatch):
    """All that it writes is in memory of its own, where it sees /tmp and others do not."""

    def names(folder):
        return {path.name for path in Path(folder).iterdir()}

    before, inside, outside = names("/tmp"), set(), set()

    def look_around(self, progress, sighted=chromium.Chromium._sighted):
        inside.update(names(self._process.folder))
        outside.update(names("/tmp"))
        return sighted(self, progress)

    monkeypatch.setattr(chromium.Chromium, "_sighted", look_around)
    assert_valid(loaded("h2"))
    assert inside >= OWN_FILES
    assert (outside - before) & OWN_FILES == set()
