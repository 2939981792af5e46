"""What a simulated run keeps besides its record is what an emulated one keeps."""

import pytest

from bentpipe.engine.simulate import Simulator
from tests.support import artifacts
from tests.support.tshark import CLIENT, SERVER, dissected, needs_tshark
from tools.specs import spec_of


def simulated(run, folder, *settings):
    """Return the record of a run whose captures go to a folder."""
    spec = spec_of(run, "capture.pcapng=true", "capture.qlog=true", *settings)
    record = Simulator().run(run_id="0123456789abcdef", spec=spec, artifacts=folder)
    assert record.status == "succeeded", record.reasons
    return record


@pytest.fixture(scope="module")
def captured(tmp_path_factory):
    """Records and folders of a page load with captures, by protocol."""
    found = {}
    for http in ("h1", "h1s", "h2", "h3"):
        folder = tmp_path_factory.mktemp(http)
        run = {"link": "geo-alshagri-flat", "http": http, "cc": "cubic", "page": artifacts.PAGE}
        found[http] = simulated(run, folder), folder
    return found


@needs_tshark
@pytest.mark.parametrize("http", ["h1", "h1s", "h2", "h3"])
def test_the_capture_holds_every_packet_at_both_ends_of_the_link(captured, http):
    record, folder = captured[http]
    metrics = record.metrics
    expected = metrics.wire_packets_down + metrics.wire_packets_up
    artifacts.has_every_packet_at_both_ends(record, folder)
    transport = "udp" if http == "h3" else "tcp"
    # tshark: 1 is a checksum that was verified.
    valid = f"ip.checksum.status == 1 && {transport}.checksum.status == 1"
    for end in (CLIENT, SERVER):
        assert len(dissected(folder, show=valid, end=end)) == expected
        lengths = dissected(folder, show="ip", end=end, field="ip.len")
        assert sum(map(int, lengths)) == metrics.wire_bytes_down + metrics.wire_bytes_up


@needs_tshark
@pytest.mark.parametrize("http", ["h1s", "h2", "h3"])
def test_wireshark_understands_every_packet(captured, http):
    artifacts.is_well_formed(captured[http][1])


@needs_tshark
def test_the_first_packet_leaves_at_the_unix_epoch(captured):
    _, folder = captured["h2"]
    first, *_ = dissected(folder, show="ip", end=CLIENT, field="frame.time_epoch")
    assert float(first) == 0


@needs_tshark
@pytest.mark.parametrize(
    ("http", "field"),
    [("h1", "http.request.uri"), ("h1s", "http.request.uri"), ("h2", "http2.headers.path")],
    ids=["h1", "h1s", "h2"],
)
def test_requests_are_shown_over_tls_by_the_secrets_in_the_capture(captured, http, field):
    artifacts.shows_its_requests(captured[http][1], field=field)


@needs_tshark
def test_http3_is_decrypted_with_the_secrets_in_the_capture(captured):
    artifacts.shows_http3(captured["h3"][1])


@needs_tshark
def test_what_the_link_lost_was_captured_at_the_sender_alone(tmp_path):
    run = {"link": "lan", "cc": "cubic", "bulk": {"size": "1 MB"}}
    record = simulated(run, tmp_path, "link.forward.loss=1%")
    (lost,) = {sum(dict(record.metrics.drops.forward).values())}
    assert lost > 0
    source = "tcp.srcport < 32768"
    sent, delivered = (len(dissected(tmp_path, show=source, end=end)) for end in (SERVER, CLIENT))
    assert sent - delivered == lost


@pytest.mark.parametrize("end", ["client", "origin"])
def test_the_qlog_of_either_end_is_a_json_text_sequence_with_the_packets_sent(captured, end):
    artifacts.has_the_packets_sent_in_its_qlog(*captured["h3"], end=end)


def test_runs_over_tcp_leave_the_capture_alone(captured):
    _, folder = captured["h2"]
    assert {path.name for path in folder.iterdir()} - {"end-0.pcapng", "end-1.pcapng"} == {"packets.pcapng"}


@pytest.mark.parametrize("http", ["h1", "h1s", "h2", "h3"])
def test_the_har_has_an_entry_for_the_document_and_every_object(captured, http):
    artifacts.has_every_object_in_its_har(captured[http][0])
