"""What a run keeps besides its record opens in other people's programs."""

import json

import pytest

from tests.emulate.measuring import measured
from tests.support import artifacts
from tests.support.tshark import needs_tshark


@pytest.fixture(scope="module")
def captured(mark, tmp_path_factory):
    """Records and folders of a page load with captures, by protocol."""
    del mark  # Set before the first process starts.
    found = {}
    for http in ("h2", "h3"):
        folder = tmp_path_factory.mktemp(http)
        run = {"link": "lan", "http": http, "cc": "cubic", "page": artifacts.PAGE}
        # How punctual they are is tested elsewhere.
        settings = ("capture.pcapng=true", "capture.qlog=true", "validity.lateness=1 s")
        record = measured(run, *settings, artifacts=folder)
        found[http] = record, folder
    return found


@needs_tshark
@pytest.mark.parametrize("http", ["h2", "h3"])
def test_the_capture_holds_every_packet_at_both_ends_of_the_link(captured, http):
    record, folder = captured[http]
    artifacts.has_every_packet_at_both_ends(record, folder)
    artifacts.is_well_formed(folder)


@needs_tshark
def test_http2_is_decrypted_with_the_secrets_in_the_capture(captured):
    artifacts.shows_its_requests(captured["h2"][1], field="http2.headers.path")


@needs_tshark
def test_http3_is_decrypted_with_the_secrets_in_the_capture(captured):
    artifacts.shows_http3(captured["h3"][1])


@pytest.mark.parametrize("end", ["client", "origin"])
def test_the_qlog_of_either_end_is_a_json_text_sequence_with_the_packets_sent(captured, end):
    artifacts.has_the_packets_sent_in_its_qlog(*captured["h3"], end=end)


def test_runs_over_tcp_leave_no_qlog(captured):
    _, folder = captured["h2"]
    assert list(folder.glob("*qlog")) == []


@pytest.mark.parametrize("http", ["h2", "h3"])
def test_the_har_has_an_entry_for_the_document_and_every_object(captured, http):
    artifacts.has_every_object_in_its_har(captured[http][0])


SMALL_DISK = 'mount -t tmpfs -o size=256k none "$1" && shift && exec "$@"'


def test_a_capture_that_does_not_fit_on_the_disk_fails_its_run(bentpipe, tmp_path):
    """In a mount namespace: 300 kB are seen at both ends of a link, and the disk holds 256 kB."""
    bulk = ("bulk", "--engine", "emulate", "--link", "lan", "--size", "300kB", "--set", "capture.pcapng=true")
    mounted = ("unshare", "--mount", "sh", "-c", SMALL_DISK, "sh", tmp_path)
    status, out, errors = bentpipe(*bulk, "--out", tmp_path, "--json", prefix=mounted)
    assert status == 1, errors
    record = json.loads(out)
    assert record["status"] == "failed"
    assert any("No space left on device" in reason["error"] for reason in record["reasons"]), record[
        "reasons"
    ]
