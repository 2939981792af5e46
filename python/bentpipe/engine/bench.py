"""The testbed's own fidelity and speed, measured on this machine."""

import subprocess
import sys
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

from bentpipe import _core
from bentpipe.engine import gigabits, provenance, wakeup
from bentpipe.engine.emulate import Emulator, configuration_of, open_link, open_world
from bentpipe.engine.host import timer_latency
from bentpipe.engine.loaded_link import loaded
from bentpipe.engine.process.part import START_TIMEOUT_S, PartError
from bentpipe.engine.simulate import Simulator
from bentpipe.engine.testbed import netns
from bentpipe.engine.testbed.netns import CLIENT_ADDRESS, SERVER_ADDRESS
from bentpipe.model.cc import Algorithm
from bentpipe.model.hosts import HostSpec, HostsSpec
from bentpipe.model.pep import PepPlace, SplitPepSpec
from bentpipe.model.record import RunRecord
from bentpipe.model.spec import RunSpec
from bentpipe.scenario import resolve_document
from bentpipe.scenario.link.description import nominal_bps
from bentpipe.scenario.written.quantity import SECOND_NS

Run = Mapping[str, object]
"""A [run] table as a scenario has it."""

Figures = Mapping[str, object]
"""Figures by name, each with its unit in the name."""

GOODPUT_RATES = ("10 Mbit/s", "144 Mbit/s", "500 Mbit/s", "1 Gbit/s", "2 Gbit/s")
"""Of a single flow over TCP; the last three with segmentation offload."""

LINK_TO_SLEEP_BESIDE = "flat:down=10Mbit/s,up=10Mbit/s,rtt=20ms"
"""One that a datagram of a hundred bytes does not fill."""

BLAST_S = 5.0
"""How long the link process is loaded for its throughput."""

RELAY_BUFFER_BYTES = 262_144
"""What a proxy holds of one direction of a connection."""

_BLASTER = """
import socket, sys, time
address, size, seconds = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
sink = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
sink.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
sink.bind(("", 9))
source = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
# Not connected: the peer's sink may not be there yet, and its refusals are not ours to handle.
payload, target = bytes(size), (address, 9)
send, clock = source.sendto, time.monotonic
end = clock() + seconds
while clock() < end:
    for _ in range(64):
        send(payload, target)
"""
"""Sends UDP datagrams to the discard port as fast as it can; its own sink takes what the peer sends."""


def run() -> Figures:
    """Measure everything; takes about ten minutes.

    Returns
    -------
    dict
        Figures by name, each with its unit in the name; `machine` says where they were measured, and
        `machine_lateness` how late a bare timer was meanwhile, on the core where it was later.
    """
    return {
        "machine": provenance.of_this_host(),
        "host": hosts(),
        "idle_ping": _idle_ping(),
        "goodput": [_goodput(rate) for rate in GOODPUT_RATES],
        "lateness_two_worlds_10mbit": _two_worlds(),
        "lateness_one_world_144mbit": _lateness(_flow("144 Mbit/s", "cubic", seconds=10)),
        "first_flight": [_first_flight(http) for http in ("h1", "h2", "h3")],
        "split_144mbit_600ms": _split(),
        "dvbs2_40msym": _full_chain(),
        "link_1500_bytes": _throughput(packet_bytes=1500),
        "link_100_bytes": _throughput(packet_bytes=100),
        "tcp_1gbit_both_ways": _gigabits("1Gbit/s", "down", "up"),
        "tcp_2gbit_both_ways": _gigabits("2Gbit/s", "down", "up"),
        "tcp_5gbit_down": _gigabits("5Gbit/s", "down"),
    }


def hosts() -> Figures:
    """Measure what encryption takes of a core of this machine and how late programs wake; half a minute.

    Returns
    -------
    dict
        What a scenario's [run.host] has, in seconds: the times of client and server, and sleeps with their
        latencies.
    """
    spec = _spec({"link": "lan", "cc": "cubic", "bulk": {"transport": "quic", "size": "36 MB"}})
    # The ports of another program are its own.
    with open_world(spec) as world, netns.inside(world.client):
        measured = HostsSpec.model_validate_json(_core.measure_hosts(spec.to_json()))
    latencies_s = wakeup.latencies_s(_spec({"link": LINK_TO_SLEEP_BESIDE, "ping": {"count": 1}}))
    return {
        "client": _host_figures(measured.client),
        "server": _host_figures(measured.server),
        "wakeup_latency_s": [list(step) for step in latencies_s.items()],
    }


def _host_figures(host: HostSpec) -> Figures:
    return {
        "tls_handshake_s": host.tls_handshake_ns / SECOND_NS,
        "tls_record_s": host.tls_record_ns / SECOND_NS,
        "quic_packet_s": host.quic_packet_ns / SECOND_NS,
    }


def _idle_ping() -> Figures:
    record = _measure({"link": "geo-alshagri-flat", "ping": {"count": 100, "interval": "100 ms"}})
    metrics = record.metrics
    return {key: getattr(metrics, key) for key in ("rtt_mean_s", "rtt_sd_s", "rtt_min_s", "rtt_max_s")}


def _goodput(rate: str) -> Figures:
    record = _measure(_flow(rate, "cubic", seconds=60))
    goodput_bps = record.metrics.goodput_bps or 0.0
    capacity_bps = nominal_bps(record.spec.link.forward.capacity)
    return {
        "rate_bps": capacity_bps,
        "goodput_bps": goodput_bps,
        "of_possible": goodput_bps / (capacity_bps * gigabits.PAYLOAD_SHARE),
        **_lateness_of(record),
    }


def _two_worlds() -> Figures:
    """Two bulk flows at once, each in a world of its own: the worse of the two."""
    with ThreadPoolExecutor(max_workers=2) as pool:
        flow = _flow("10 Mbit/s", "cubic", seconds=20)
        records = list(pool.map(_measure, [flow, flow]))
    return _lateness_of(max(records, key=lambda record: record.metrics.lateness_p999_s or 0.0))


def _lateness(run: Run) -> Figures:
    return _lateness_of(_measure(run))


def _first_flight(http: str) -> Figures:
    run = {"link": "geo-alshagri-flat", "http": http, "cc": "cubic", "page": "single-100k"}
    return {"http": http, "first_flight_bytes": _measure(run).metrics.first_flight_bytes}


def _split() -> Figures:
    """A flow through proxies at both ends of a GEO link: goodput once it has started up, and its cost."""
    rate_bps, started_s, seconds = 144_000_000, 30, 60
    flow = {"transport": "tcp", "direction": "down", "duration": f"{seconds} s"}
    link = f"flat:down={rate_bps}bit/s,up={rate_bps}bit/s,rtt=600ms,queue=1BDP"
    spec = _spec({"link": link, "cc": "cubic", "bulk": flow})
    split = SplitPepSpec(
        place=PepPlace.BOTH,
        cc=Algorithm.CUBIC,
        tcp=spec.tcp,
        relay_buffer_bytes=RELAY_BUFFER_BYTES,
    )
    record = Emulator().run(run_id="bench", spec=spec.model_copy(update={"pep": split}), artifacts=None)
    progress = record.series["progress"]
    received_bytes = sum(
        received or 0
        for time_s, received in zip(progress["time_s"], progress["received_bytes"], strict=True)
        if started_s < (time_s or 0) <= seconds
    )
    goodput_bps = received_bytes * 8 / (seconds - started_s)
    return {
        "rate_bps": rate_bps,
        "goodput_bps": goodput_bps,
        "of_possible": goodput_bps / (rate_bps * gigabits.PAYLOAD_SHARE),
        "link_and_proxies_cores": float(record.provenance["link_and_proxies_cores"]),
        **_lateness_of(record),
    }


def _full_chain() -> Figures:
    """A flow that fills 32APSK 9/10 at 40 Msymbol/s with ACM, ACKs in DVB-RCS2 slots, by both engines."""
    seconds = 60
    link = {
        "base": "geo-alshagri",
        "forward": {"dvbs2": {"symbol_rate": "40 Msym/s"}},
        "return": {"dama": "cra"},
    }
    flow = {"transport": "tcp", "direction": "down", "duration": f"{seconds} s"}
    run = {
        "link": link,
        "cc": "bbr",
        "bulk": flow,
        "tcp": {"receive_buffer": "256 MB", "send_buffer": "256 MB"},
        "validity": {"lateness": "2 ms"},
    }
    with timer_latency.watched() as machine:
        record = _measure(run)
    used_s = time.process_time()
    simulated = Simulator().run(run_id="bench", spec=_spec(run), artifacts=None)
    used_s = time.process_time() - used_s
    return {
        "nominal_bps": nominal_bps(record.spec.link.forward.capacity),
        "goodput_bps": record.metrics.goodput_bps,
        "simulated_goodput_bps": simulated.metrics.goodput_bps,
        "link_cores": float(record.provenance["link_and_proxies_cores"]),
        "simulated_s_per_core_s": seconds / used_s,
        **_lateness_of(record),
        "machine_lateness_p999_s": machine.quantile_s(0.999),
        "machine_lateness_max_s": machine.quantile_s(1.0),
    }


def _throughput(*, packet_bytes: int) -> Figures:
    """Load both directions of one link process beyond its rate and count what it delivers."""
    spec = _spec({"link": "flat:down=1Gbit/s,up=1Gbit/s,rtt=20ms", "ping": {"count": 1}})
    udp_payload = packet_bytes - 28
    with ExitStack() as stack:
        world = stack.enter_context(open_world(spec))
        link = stack.enter_context(open_link(world, configuration_of(spec, None))).part
        link.answer(timeout_s=START_TIMEOUT_S)
        blasters = []
        for name, peer in ((world.client, SERVER_ADDRESS), (world.server, CLIENT_ADDRESS)):
            with netns.inside(name):
                command = [sys.executable, "-I", "-c", _BLASTER, peer, str(udp_payload), str(BLAST_S + 1)]
                blasters.append(subprocess.Popen(command))
        time.sleep(0.5)
        seen = loaded(link, seconds=BLAST_S)
        if any(blaster.wait() for blaster in blasters):
            raise PartError("a sender of datagrams ended with an error")
    counters, span_s = {"down": seen.report.forward, "up": seen.report.return_}, seen.span_s
    return {
        **{f"delivered_{name}_bps": each.delivered_bytes * 8 / span_s for name, each in counters.items()},
        **{f"delivered_{name}_pps": each.delivered_packets / span_s for name, each in counters.items()},
        "offered_pps": sum(each.offered_packets for each in counters.values()) / span_s,
        "link_cores": seen.link_cores,
    }


def _gigabits(rate: str, *ways: gigabits.Way) -> Figures:
    """Streams that never fill the queue, whose windows are four times what is on the way."""
    link = f"flat:down={rate},up={rate},rtt=20ms,queue=4BDP"
    return gigabits.load(_spec({"link": link, "ping": {"count": 1}}), ways)


def _flow(rate: str, cc: str, *, seconds: int) -> Figures:
    flow = {"transport": "tcp", "direction": "down", "duration": f"{seconds} s"}
    return {
        "link": f"flat:down={rate},up={rate},rtt=20ms,queue=2BDP".replace(" ", ""),
        "cc": cc,
        "bulk": flow,
    }


def _measure(run: Run) -> RunRecord:
    return Emulator().run(run_id="bench", spec=_spec(run), artifacts=None)


def _spec(run: Run) -> RunSpec:
    scenario = resolve_document(
        {"repetitions": 1, "run": run}, file="bench", folder=Path(), default_name="bench", overrides=[]
    )
    return RunSpec.model_validate({**scenario.cells[0].spec, "seed": 1})


def _lateness_of(record: RunRecord) -> Figures:
    metrics = record.metrics
    return {key: getattr(metrics, key) for key in ("lateness_p50_s", "lateness_p999_s", "lateness_max_s")}
