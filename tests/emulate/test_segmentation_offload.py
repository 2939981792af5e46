"""Segmentation offload changes what a fast link costs, and not what is measured: runs with and without."""

import statistics
import tempfile
from itertools import groupby, pairwise
from pathlib import Path

import pytest

from bentpipe import _core
from bentpipe.engine import gigabits
from tests.emulate.measuring import measured
from tests.support.tshark import CLIENT, SERVER, dissected, needs_tshark
from tools.specs import spec_of

pytestmark = pytest.mark.alone

FAST = "flat:down=500Mbit/s,up=500Mbit/s,rtt=40ms,queue=2BDP"
"""The slowest link with offload: without it, too, one core passes what a flow sends."""

IN_TIME = "validity.lateness=20 ms"
"""How punctual the link is, is tested elsewhere."""

MTU_BYTES, SEGMENT_BYTES = 1500, 1448
"""MSS with timestamps (RFC 7323)."""

SENT_BYTES = 20_000_000
ATTEMPTS = 3


def run(**workload):
    return {"link": FAST, "cc": "cubic", **workload}


def flow(cc="cubic"):
    return run(bulk={"transport": "tcp", "direction": "down", "size": f"{SENT_BYTES} B"}) | {"cc": cc}


@pytest.fixture
def with_and_without(monkeypatch, tmp_path):
    """Measure a run with offload, and as a link does that is too slow for it; return records and folders."""

    def measure(run, *settings):
        found = {}
        for offload in ("on", "off"):
            with monkeypatch.context() as patch:
                if offload == "off":
                    patch.setattr(_core, "has_segmentation_offload", lambda _spec: False)
                folder = Path(tempfile.mkdtemp(prefix=offload, dir=tmp_path))
                record = measured(run, IN_TIME, *settings, artifacts=folder)
            assert record.provenance["segmentation_offload"] == offload
            found[offload] = record, folder
        return found["on"], found["off"]

    return measure


@pytest.mark.parametrize(
    ("down", "up", "expected"),
    [("499Mbit/s", "499Mbit/s", False), ("500Mbit/s", "2Mbit/s", True), ("2Mbit/s", "1Gbit/s", True)],
)
def test_links_have_it_from_500_mbit_on_in_either_direction(down, up, expected):
    spec = spec_of({"link": f"flat:down={down},up={up},rtt=40ms", "ping": {}})
    assert _core.has_segmentation_offload(spec.to_json()) is expected


@needs_tshark
def test_a_page_is_the_same_packets_to_the_byte(with_and_without):
    pages = with_and_without(run(http="h1", page="single-100k"), "capture.pcapng=true")
    lists = []
    for record, folder in pages:
        for end in (SERVER, CLIENT):
            # Of both directions: the checksum of a packet is right where it is sent and where it comes out.
            assert (
                dissected(folder, show="ip.checksum.status != 1 || tcp.checksum.status != 1", end=end) == []
            )
            lengths = dissected(folder, show="tcp.srcport == 80 && tcp.len > 0", end=end, field="ip.len")
            assert max(map(int, lengths)) == MTU_BYTES
            lists.append(lengths)
        # RFC 6928: ten segments.
        assert record.metrics.first_flight_bytes == pages[0][0].metrics.first_flight_bytes
    assert all(lengths == lists[0] for lengths in lists)


def test_a_flow_is_as_many_packets_and_as_many_acknowledgements(with_and_without):
    acknowledgements = []
    for _ in range(ATTEMPTS):
        records = [record for record, _ in with_and_without(flow())]
        for record in records:
            assert record.metrics.drops.forward.queue == 0
            # What is sent once is so many full segments, and a few that are not full.
            assert record.metrics.wire_packets_down == pytest.approx(SENT_BYTES / SEGMENT_BYTES, rel=0.02)
        acknowledgements.append([record.metrics.wire_packets_up for record in records])
    # A train is two segments here, and a receiver acknowledges every second one (RFC 9293 section 3.8.6.3).
    # One that waits for a core acknowledges less often, so the most of several attempts are compared.
    with_it, without = map(max, zip(*acknowledgements, strict=True))
    # Trains of four would halve them.
    assert with_it > 0.6 * without


@needs_tshark
def test_a_paced_flow_leaves_its_sender_in_bursts_of_the_same_size(with_and_without):
    """A burst is what the pacing rate sends in a millisecond (`sk_pacing_shift`), some 30 packets here.

    Two become one where the sender waits for a core, so that the closest of several attempts is judged.
    """
    ratios = []
    for _ in range(ATTEMPTS):
        (_, with_it), (_, without) = with_and_without(flow("bbr"), "capture.pcapng=true")
        ratios.append(mean_burst(with_it) / mean_burst(without))
    # Whole super-segments would be 45 packets.
    assert min(abs(ratio - 1) for ratio in ratios) < 0.2, ratios


def mean_burst(folder):
    """Return how many packets a sender hands over at once.

    Within a burst they are read one after another, with at most 0.1 ms between them where the link has
    something else to do.
    """
    shown = dissected(folder, show="tcp.srcport == 5001 && tcp.len > 0", end=SERVER, field="frame.time_epoch")
    breaks = [second - first > 200e-6 for first, second in pairwise(map(float, shown))]
    return statistics.mean(
        sum(1 for _ in packets) + 1 for is_break, packets in groupby(breaks) if not is_break
    )


def test_the_bench_loads_the_direction_that_it_is_told_to(monkeypatch):
    monkeypatch.setattr(gigabits, "LOADED_S", 1.0)
    spec = spec_of({"link": "flat:down=100Mbit/s,up=100Mbit/s,rtt=20ms,queue=4BDP", "ping": {}})
    figures = gigabits.load(spec, ["down"])
    assert figures["delivered_down_bps"] == pytest.approx(100e6, rel=0.1)
    # An acknowledgement of 52 bytes for each of two segments at the most.
    assert 0 < figures["delivered_up_bps"] < 100e6 * 52 / 1500
