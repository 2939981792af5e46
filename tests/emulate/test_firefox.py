"""Firefox over the emulated link: the protocol asked for, nothing besides, and nothing left behind."""

import pytest

from bentpipe.engine.emulate import Emulator
from bentpipe.engine.programs import third_party
from bentpipe.engine.programs.browser import firefox, firefox_preferences, trust
from tests.emulate.measuring import in_time
from tests.emulate.overhearing import waiting
from tests.support.folders import OUTSIDE, page_with
from tests.support.models import changed, said
from tools.specs import spec_of

LACK = third_party.missing_for("firefox")
pytestmark = [pytest.mark.alone, pytest.mark.skipif(LACK is not None, reason=str(LACK))]

LINK = "geo-alshagri"
"""One round trip (some 0.5 s) is longer than any of Firefox's timers for second attempts (0.1 s to 0.3 s)."""

PROTOCOLS = {"h1": "http/1.1", "h1s": "http/1.1", "h2": "h2", "h3": "h3"}

CLOCKS_S = 10e-3
"""How far its clocks may be apart: the page, and each request in the parent process, pair a reading of the
wall clock with one of the monotonic clock when they begin (performance.timeOrigin; HttpBaseChannel,
mChannelCreationTime), and the thread may lose its core between the two. What a page may read is rounded to
20 us besides (privacy.reduceTimerPrecision)."""

LATE_OR_NOT = "1 min"
"""How punctual runs are is tested elsewhere; Firefox has two dozen threads that wait for a core."""


def spec(http, *settings, page="single-100k"):
    run = {"link": LINK, "http": http, "page": page, "validity": {"lateness": LATE_OR_NOT}}
    return changed(spec_of(run, *settings), client="firefox")


def loaded(http, *settings, **run):
    return in_time(
        lambda: Emulator().run(run_id="0123456789abcdef", spec=spec(http, *settings, **run), artifacts=None)
    )


@pytest.fixture(scope="module")
def loads():
    """Loads of the same page, one for each protocol, made when they are asked for first."""
    made = {}

    def load(http):
        if http not in made:
            made[http] = loaded(http)
        return made[http]

    return load


@pytest.mark.parametrize(("http", "protocol"), PROTOCOLS.items())
def test_a_page_comes_by_the_one_protocol_that_is_asked_for_from_its_first_request_on(loads, http, protocol):
    """At both ends: HTTP/3 fails this without a request beforehand, where the run's own authority is held
    for a spy's, and where TCP is tried beside a handshake that takes longer than 100 ms.
    """
    record = loads(http)
    ends = record.client_connections, record.origin_connections
    assert [[one.protocol for one in connections] for connections in ends] == [[protocol], [protocol]]
    (ports, same) = ([one.client_port for one in connections] for connections in ends)
    assert ports == same


@pytest.mark.parametrize("http", PROTOCOLS)
def test_all_objects_come_whole_and_no_others_are_asked_for(loads, http):
    """No icon, nothing of its makers, and in clear text what is asked for in clear text."""
    host = f"{'http' if http == 'h1' else 'https'}://origin.bentpipe.test"
    objects = [(one.url, one.bytes, one.status) for one in loads(http).objects]
    assert [url for url, _, _ in objects] == [f"{host}/", f"{host}/object-1.jpg"]
    assert objects[1][1:] == (100_000, 200)


@pytest.mark.parametrize("http", PROTOCOLS)
def test_its_instants_are_by_the_clock_of_the_run_and_in_order(loads, http):
    record = loads(http)
    (ours,), (theirs,) = record.client_connections, record.origin_connections
    up_ns = record.spec.link.return_.delay_ns
    # What it sends first arrives one way later; with TCP what ends the handshake, two ways after that.
    assert up_ns <= theirs.started_ns - ours.started_ns <= 4 * up_ns
    browser, (document, image) = record.browser, record.objects
    assert document.request_s < document.first_byte_s <= document.last_byte_s
    assert document.last_byte_s - CLOCKS_S <= browser.paint_fcp_s
    assert document.last_byte_s < image.request_s < image.first_byte_s < image.last_byte_s
    assert browser.parsed_s <= browser.loaded_s
    assert image.last_byte_s - CLOCKS_S <= browser.loaded_s <= image.last_byte_s + 1
    assert image.last_byte_s - CLOCKS_S <= browser.paint_lcp_s


@pytest.mark.parametrize("http", PROTOCOLS)
def test_handshakes_take_the_round_trips_of_their_protocols(loads, http):
    """TCP one (RFC 9293), TLS 1.3, where it is used, one more (RFC 8446), QUIC one for both (RFC 9001)."""
    record = loads(http)
    (connection,) = record.client_connections
    link = record.spec.link
    round_trip_ns = link.forward.delay_ns + link.return_.delay_ns
    connected_ns = connection.connected_ns - connection.started_ns
    assert round_trip_ns < connected_ns < 2 * round_trip_ns
    if http in ("h1", "h3"):
        assert connection.secured_ns is None
    else:
        assert round_trip_ns < connection.secured_ns - connection.connected_ns < 2 * round_trip_ns


@pytest.mark.parametrize("http", PROTOCOLS)
def test_the_first_flight_is_the_origin_s_initial_window(loads, http):
    """RFC 6928, RFC 9002: ten packets. The document's exchange may have taken of them, or let more grow."""
    assert 5 * 1448 < loads(http).metrics.first_flight_bytes < 20 * 1500


def whole_milliseconds(record):
    """Which of the instants that the page's own clock saw are such."""
    browser = record.browser
    instants_ns = [round(getattr(browser, name) * 1e9) for name in ("parsed_s", "loaded_s", "paint_fcp_s")]
    return [instant_ns % 1_000_000 == 0 for instant_ns in instants_ns]


def test_the_page_s_clock_is_finer_than_milliseconds(loads):
    assert not all(whole_milliseconds(loads("h2")))


def test_without_its_preference_the_page_s_clock_is_in_whole_milliseconds(monkeypatch):
    without(monkeypatch, "privacy.reduceTimerPrecision")
    assert all(whole_milliseconds(attempted("h2")))


def test_a_run_may_want_fewer_connections_than_firefox_has():
    record = loaded("h1s", "connections=3", page="uniform-500k")
    assert len(record.origin_connections) == len(record.client_connections) == 3


def test_it_opens_as_many_connections_as_the_run_allows_and_no_spare_ones():
    """Its own timer for a spare one, 250 ms, would make ten of six here."""
    record = loaded("h1s", page="uniform-500k")
    assert len(record.origin_connections) == len(record.client_connections) == 6
    assert {one.connection for one in record.objects} == set(range(6))


def test_a_run_may_want_spare_connections():
    record = loaded("h1s", "tcp.connect_retry=250ms", page="uniform-500k")
    assert len(record.origin_connections) > 6


QUIET_S = 15
"""Its makers' servers are asked for lists within the first seconds, for codecs and updates after ten."""


def test_it_says_nothing_to_anybody_but_the_page():
    """Not even the name of anything else is looked up. It fails without ENVIRONMENT, and without the name of
    the machine among those that it can resolve.
    """
    with waiting(firefox.Firefox, spec("h2"), for_s=QUIET_S) as (_, heard, unroutable):
        assert unroutable == 0
    assert heard == []


def without(monkeypatch, name):
    told = firefox_preferences.preferences

    def preferences(spec, *, hosts):
        return {key: value for key, value in told(spec, hosts=hosts).items() if key != name}

    monkeypatch.setattr(firefox_preferences, "preferences", preferences)


def attempted(http, **run):
    return Emulator().run(run_id="0123456789abcdef", spec=spec(http, **run), artifacts=None)


OTHER = "expected h3, found http/1.1"
"""HTTP/2 is off then as well."""


def test_without_a_request_beforehand_http3_is_not_used_and_the_run_is_invalid(monkeypatch):
    monkeypatch.setattr(firefox.Firefox, "_warm_up", lambda _: None)
    record = attempted("h3")
    assert record.status == "invalid"
    assert OTHER in " ".join(said(record.reasons))


def test_with_roots_that_are_not_its_makers_http3_is_not_used_and_the_run_is_invalid(monkeypatch):
    without(monkeypatch, "network.http.http3.disable_when_third_party_roots_found")
    record = attempted("h3")
    assert record.status == "invalid"
    assert OTHER in " ".join(said(record.reasons))


def test_its_own_timer_would_have_tcp_beside_quic(monkeypatch):
    without(monkeypatch, "network.http.http3.backup_timer_delay")
    connections = attempted("h3").origin_connections
    assert sorted(one.transport for one in connections) == ["quic", "tcp"]


def test_a_packet_to_an_address_outside_makes_the_run_invalid(tmp_path):
    record = attempted("h2", page=page_with(OUTSIDE, tmp_path))
    assert record.status == "invalid"
    assert any("packets to addresses outside the world" in reason for reason in said(record.reasons))


def test_a_server_that_it_does_not_trust_makes_the_run_invalid(monkeypatch):
    """Although the page that says so has times. The page of no interest is left out: it had one, too."""
    monkeypatch.setattr(trust, "install", lambda *_: None)
    monkeypatch.setattr(firefox.Firefox, "_warm_up", lambda _: None)
    record = attempted("h2")
    assert record.status == "invalid"
    assert "the browser did not load https://origin.bentpipe.test/" in said(record.reasons)


def test_pictures_show_the_page_as_it_appears(tmp_path):
    record = Emulator().run(run_id="0123456789abcdef", spec=spec("h2"), artifacts=tmp_path)
    assert record.status == "succeeded", record.reasons
    frames = record.browser.frames
    assert {frame.file for frame in frames} <= {path.name for path in tmp_path.iterdir()}
    # Empty, the title, the image.
    assert frames[0].completeness < 0.5
    assert frames[-1].completeness == 1.0
    assert frames[-1].time_s >= record.browser.loaded_s
