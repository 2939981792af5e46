"""What a run keeps besides its record opens in other people's programs."""

import json

import pytest

from bentpipe import _core
from tests.emulate.measuring import measured
from tests.support.qlog import events
from tests.support.tshark import CLIENT, SERVER, dissected, needs_tshark

PAGE = "uniform-100k"
OBJECTS = [f"/object-{number}.jpg" for number in range(1, 9)]


@pytest.fixture(scope="module")
def captured(mark, tmp_path_factory):
    """Records and folders of a page load with captures, by protocol."""
    del mark  # Set before the first process starts.
    found = {}
    for http in ("h2", "h3"):
        folder = tmp_path_factory.mktemp(http)
        run = {"link": "lan", "http": http, "cc": "cubic", "page": PAGE}
        # How punctual they are is tested elsewhere.
        settings = ("capture.pcapng=true", "capture.qlog=true", "validity.lateness=1 s")
        record = measured(run, *settings, artifacts=folder)
        found[http] = record, folder
    return found


@needs_tshark
@pytest.mark.parametrize("http", ["h2", "h3"])
def test_the_capture_holds_every_packet_at_both_ends_of_the_link(captured, http):
    record, folder = captured[http]
    metrics = record["metrics"]
    # The lossless link delivers what it is given.
    expected = metrics["wire_packets_down"] + metrics["wire_packets_up"]
    for end in (CLIENT, SERVER):
        assert len(dissected(folder, show="ip", end=end)) == expected
        assert dissected(folder, show="_ws.malformed", end=end) == []


@needs_tshark
def test_http2_is_decrypted_with_the_secrets_in_the_capture(captured):
    _, folder = captured["h2"]
    shown = dissected(folder, show="http2.headers.path", end=CLIENT, field="http2.headers.path")
    assert {path for paths in shown for path in paths.split(",")} >= {"/", *OBJECTS}


@needs_tshark
def test_http3_is_decrypted_with_the_secrets_in_the_capture(captured):
    _, folder = captured["h3"]
    assert dissected(folder, show="http3.frame_type == 1", end=CLIENT), (
        "no HEADERS frame (RFC 9114 section 7.2.2)"
    )
    assert dissected(folder, show="http3.frame_type == 0", end=CLIENT), (
        "no DATA frame (RFC 9114 section 7.2.1)"
    )
    assert not dissected(folder, show="quic.decryption_failed", end=CLIENT)


@pytest.mark.parametrize("end", ["client", "origin"])
def test_the_qlog_of_either_end_is_a_json_text_sequence_with_the_packets_sent(captured, end):
    record, folder = captured["h3"]
    (file,) = folder.glob(f"{end}-*.qlog")
    sent = sum(event["name"] == "quic:packet_sent" for event in events(file))
    on_the_wire = record["metrics"]["wire_packets_up" if end == "client" else "wire_packets_down"]
    # Several QUIC packets may share a datagram in the handshake (RFC 9000 section 12.2).
    assert on_the_wire <= sent <= on_the_wire + 5


def test_runs_over_tcp_leave_no_qlog(captured):
    _, folder = captured["h2"]
    assert list(folder.glob("*qlog")) == []


@pytest.mark.parametrize("http", ["h2", "h3"])
def test_the_har_has_an_entry_for_the_document_and_every_object(captured, http):
    record, _ = captured[http]
    text = _core.har_of(json.dumps(record), record["provenance"]["started"])
    log = json.loads(text)["log"]
    assert log["version"] == "1.2"
    assert len(log["entries"]) == len(OBJECTS) + 1
    assert len(log["pages"]) == 1
    for entry in log["entries"]:
        # HAR 1.2: -1 where a phase does not apply; the others add up to the entry's time in milliseconds.
        phases = [value for key, value in entry["timings"].items() if key != "ssl" and value != -1]
        assert entry["time"] == pytest.approx(sum(phases), abs=0.01)
