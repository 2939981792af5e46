"""What any engine's run keeps besides its record: the same files, whoever wrote them."""

import json

import pytest

from bentpipe import _core
from tests.support.qlog import events
from tests.support.tshark import CLIENT, SERVER, dissected

PAGE = "uniform-100k"
OBJECTS = [f"/object-{number}.jpg" for number in range(1, 9)]


def has_every_packet_at_both_ends(record, folder):
    """Of a lossless link, which delivers what it is given."""
    metrics = record.metrics
    expected = metrics.wire_packets_down + metrics.wire_packets_up
    for end in (CLIENT, SERVER):
        assert len(dissected(folder, show="ip", end=end)) == expected


def is_well_formed(folder):
    """Wireshark understands every packet."""
    for end in (CLIENT, SERVER):
        assert dissected(folder, show="_ws.malformed", end=end) == []


def shows_its_requests(folder, *, field):
    """In clear text, or decrypted with the secrets in the capture."""
    shown = dissected(folder, show=field, end=CLIENT, field=field)
    assert {path for paths in shown for path in paths.split(",")} >= {"/", *OBJECTS}


def shows_http3(folder):
    """Decrypted with the secrets in the capture."""
    # RFC 9114 sections 7.2.1 and 7.2.2.
    for name, frame_type in (("DATA", 0), ("HEADERS", 1)):
        assert dissected(folder, show=f"http3.frame_type == {frame_type}", end=CLIENT), f"no {name} frame"
    assert not dissected(folder, show="quic.decryption_failed", end=CLIENT)


def has_the_packets_sent_in_its_qlog(record, folder, *, end):
    """A JSON text sequence."""
    (file,) = folder.glob(f"{end}-*.qlog")
    sent = sum(event["name"] == "quic:packet_sent" for event in events(file))
    on_the_wire = record.metrics.wire_packets_up if end == "client" else record.metrics.wire_packets_down
    # Several QUIC packets may share a datagram in the handshake (RFC 9000 section 12.2).
    assert on_the_wire <= sent <= on_the_wire + 5


def has_every_object_in_its_har(record):
    """HAR 1.2."""
    log = json.loads(_core.har_of(record.to_json(), record.provenance["started"]))["log"]
    assert log["version"] == "1.2"
    assert len(log["entries"]) == len(OBJECTS) + 1
    assert [page["_engine"] for page in log["pages"]] == [record.engine]
    for entry in log["entries"]:
        # -1 where a phase does not apply; the others add up to the entry's time in milliseconds.
        phases = [value for key, value in entry["timings"].items() if key != "ssl" and value != -1]
        assert entry["time"] == pytest.approx(sum(phases), abs=0.01)
