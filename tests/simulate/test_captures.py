"""What a simulated run keeps besides its record is what an emulated one keeps."""

import json

import pytest

from bentpipe import _core
from bentpipe.engine.simulate import Simulator
from bentpipe.scenario import parse_override, resolve_document
from tests.support.qlog import events
from tests.support.tshark import CLIENT, SERVER, dissected, needs_tshark

OBJECTS = [f"/object-{number}.jpg" for number in range(1, 9)]


def simulated(run, folder, *settings):
    """Return the record of a run whose captures go to a folder."""
    scenario = resolve_document(
        {"repetitions": 1, "run": run},
        file="test",
        folder=folder,
        default_name="test",
        overrides=[parse_override(text) for text in ("capture.pcapng=true", "capture.qlog=true", *settings)],
    )
    spec = {**scenario.cells[0].spec, "seed": scenario.seed}
    record = Simulator().run(run_id="0123456789abcdef", spec=spec, artifacts=folder)
    assert record["status"] == "succeeded", record["reasons"]
    return record


@pytest.fixture(scope="module")
def captured(tmp_path_factory):
    """Records and folders of a page load with captures, by protocol."""
    found = {}
    for http in ("h1", "h1s", "h2", "h3"):
        folder = tmp_path_factory.mktemp(http)
        run = {"link": "geo-alshagri", "http": http, "cc": "cubic", "page": "uniform-100k"}
        found[http] = simulated(run, folder), folder
    return found


@needs_tshark
@pytest.mark.parametrize("http", ["h1", "h1s", "h2", "h3"])
def test_the_capture_holds_every_packet_at_both_ends_of_the_link(captured, http):
    record, folder = captured[http]
    metrics = record["metrics"]
    # The lossless link delivers what it is given.
    expected = metrics["wire_packets_down"] + metrics["wire_packets_up"]
    transport = "udp" if http == "h3" else "tcp"
    # tshark: 1 is a checksum that was verified.
    valid = f"ip.checksum.status == 1 && {transport}.checksum.status == 1"
    for end in (CLIENT, SERVER):
        assert len(dissected(folder, show="ip", end=end)) == expected
        assert len(dissected(folder, show=valid, end=end)) == expected
        lengths = dissected(folder, show="ip", end=end, field="ip.len")
        assert sum(map(int, lengths)) == metrics["wire_bytes_down"] + metrics["wire_bytes_up"]


@needs_tshark
@pytest.mark.parametrize("http", ["h1s", "h2", "h3"])
def test_wireshark_understands_every_packet(captured, http):
    _, folder = captured[http]
    for end in (CLIENT, SERVER):
        assert dissected(folder, show="_ws.malformed", end=end) == []


@needs_tshark
def test_the_first_packet_leaves_at_the_unix_epoch(captured):
    _, folder = captured["h2"]
    first, *_ = dissected(folder, show="ip", end=CLIENT, field="frame.time_epoch")
    assert float(first) == 0


@needs_tshark
def test_http1_in_clear_text_shows_its_requests(captured):
    _, folder = captured["h1"]
    shown = dissected(folder, show="http.request", end=SERVER, field="http.request.uri")
    assert set(shown) >= {"/", *OBJECTS}


@needs_tshark
@pytest.mark.parametrize(
    ("http", "field"), [("h1s", "http.request.uri"), ("h2", "http2.headers.path")], ids=["h1s", "h2"]
)
def test_requests_over_tls_are_decrypted_with_the_secrets_in_the_capture(captured, http, field):
    _, folder = captured[http]
    shown = dissected(folder, show=field, end=CLIENT, field=field)
    assert {path for paths in shown for path in paths.split(",")} >= {"/", *OBJECTS}


@needs_tshark
def test_http3_is_decrypted_with_the_secrets_in_the_capture(captured):
    _, folder = captured["h3"]
    # RFC 9114 sections 7.2.1 and 7.2.2.
    for name, frame_type in (("DATA", 0), ("HEADERS", 1)):
        assert dissected(folder, show=f"http3.frame_type == {frame_type}", end=CLIENT), f"no {name} frame"
    assert not dissected(folder, show="quic.decryption_failed", end=CLIENT)


@needs_tshark
def test_what_the_link_lost_was_captured_at_the_sender_alone(tmp_path):
    run = {"link": "lan", "cc": "cubic", "bulk": {"size": "1 MB"}}
    record = simulated(run, tmp_path, "link.forward.loss=1%")
    (lost,) = {sum(record["metrics"]["drops"]["forward"].values())}
    assert lost > 0
    source = "tcp.srcport < 32768"
    sent, delivered = (len(dissected(tmp_path, show=source, end=end)) for end in (SERVER, CLIENT))
    assert sent - delivered == lost


@pytest.mark.parametrize("end", ["client", "origin"])
def test_the_qlog_of_either_end_is_a_json_text_sequence_with_the_packets_sent(captured, end):
    record, folder = captured["h3"]
    (file,) = folder.glob(f"{end}-*.qlog")
    sent = sum(event["name"] == "quic:packet_sent" for event in events(file))
    on_the_wire = record["metrics"]["wire_packets_up" if end == "client" else "wire_packets_down"]
    # Several QUIC packets may share a datagram in the handshake (RFC 9000 section 12.2).
    assert on_the_wire <= sent <= on_the_wire + 5


def test_runs_over_tcp_leave_the_capture_alone(captured):
    _, folder = captured["h2"]
    assert {path.name for path in folder.iterdir()} - {"end-0.pcapng", "end-1.pcapng"} == {"packets.pcapng"}


@pytest.mark.parametrize("http", ["h1", "h1s", "h2", "h3"])
def test_the_har_has_an_entry_for_the_document_and_every_object(captured, http):
    record, _ = captured[http]
    log = json.loads(_core.har_of(json.dumps(record), record["provenance"]["started"]))["log"]
    assert len(log["entries"]) == len(OBJECTS) + 1
    assert {page["_engine"] for page in log["pages"]} == {"simulate"}
