"""From a cell as written to the run specification: SI units, nothing left open.

The only home of defaults; each says beside itself why it is what it is. Keys of the result are those of
`crates/run/src/spec.rs` and `link.rs`.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from bentpipe.scenario import iperf3, vocabulary
from bentpipe.scenario.catalogue import written_link
from bentpipe.scenario.flows import flow_specs
from bentpipe.scenario.jitter import jitter_spec
from bentpipe.scenario.loss import loss_spec
from bentpipe.scenario.overlay import merged_links, with_delays
from bentpipe.scenario.pages import page, page_spec
from bentpipe.scenario.quantity import LARGEST_BYTES, SECOND_NS, count, duration_ns, rate_bps, size_bytes
from bentpipe.scenario.queue import bdp_bytes, queue_spec
from bentpipe.scenario.schema import (
    BulkTable,
    CaptureTable,
    ForwardTable,
    Http2Table,
    JitterTable,
    LinkTable,
    PageTable,
    PingTable,
    QuicTable,
    RunTable,
    TcpTable,
    ValidityTable,
    validated,
)
from bentpipe.scenario.where import Where, shown

REPETITIONS = 3
"""The fewest that give a standard deviation worth the name; what alshagri2023 did."""
SEED = 1
"""Any number will do, as long as it stays."""
QUICK_REPETITIONS = 1
"""`--quick` shows that a scenario works; it is not for inference."""

CLIENT = "loader"
"""The one that both engines have."""
SERVER = "bentpipe"
"""The one that both engines have."""
PEP = "none"
"""End-to-end transport, as every QUIC connection sees it."""
RESUMPTION = "none"
"""A first visit."""
CONGESTION_CONTROL = "cubic"
"""Linux's default and that of most servers (RFC 9438 section 1)."""
CONNECTIONS = 6
"""HTTP/1.1 connections to one origin in Chromium and Firefox."""

MTU = "1500 B"
"""Ethernet's."""
QUEUE_BDP = 1
"""The classic rule for one flow (Villamizar, Song 1994)."""
QUEUE_LEAST_PACKETS = 10
"""The default queue holds an initial window (RFC 6928) even where the BDP is smaller."""
JITTER = JitterTable(sd="0 ms")
"""Loss and jitter are what a scenario asks for, never what it gets unasked."""
DAMA = "none"
"""A constant-rate return link."""

INITIAL_WINDOW_SEGMENTS = 10
"""RFC 6928, and Linux's default."""
BUFFER_BDP = 4
"""The congestion window alone shall limit: 1 BDP in flight, 1 BDP queued, and twice that in recovery."""
BUFFER_LEAST_BYTES = 6 * 1024 * 1024
"""Third value of Linux's default tcp_rmem: no link gets less than an untuned host has."""
SLOW_START_AFTER_IDLE = True
"""Linux's default (RFC 2861)."""
INITIAL_RTT = "333 ms"
"""RFC 9002 section 6.2.2. Below the RTT of a GEO link; the first probe timeout, three times it, is above."""
MAX_CONCURRENT_STREAMS = 100
"""The least that RFC 9113 section 6.5.2 and RFC 9114 section 6.1 recommend; what servers take."""
IPV4_HEADER_BYTES = 20
UDP_HEADER_BYTES = 8

BULK_TRANSPORT = "tcp"
"""The transport that a kernel has."""
BULK_DIRECTION = "down"
"""What most users of a satellite link wait for."""
FLOW_START = "0 s"
"""Flows that compete do so from the start, if nothing else is said."""
PING_COUNT = 20
"""Enough for a mean; 4 s at the default interval."""
PING_INTERVAL = "200 ms"
"""claypool2020."""
PING_SIZE = "20 B"
"""claypool2020; also the least that holds the sequence number and the time."""

LATENESS_NS = 1_000_000
"""Below the 1.2 ms that a full packet takes at 10 Mbit/s."""
LATENESS_OF_RTT = 1 / 200
"""What takes a number of round trips is then wrong by at most 1 %: either way is late by 0.5 % of the RTT."""
LATENESS_FAST_NS = 2_000_000
"""Above 100 Mbit/s packets leave in batches of 0.1 ms or less, and the machine has ten times the work."""
FAST_BPS = 100_000_000
TIMEOUT_PAGE_NS = 120 * SECOND_NS
"""Ten times what the slowest page of alshagri2023 takes."""
TIMEOUT_MARGIN_NS = 60 * SECOND_NS
"""Handshakes with lost packets and exponential back-off fit in."""
TIMEOUT_FACTOR = 5
"""A sender that uses a fifth of the link is slow, not stuck."""

PCAPNG = False
"""Every packet twice is much to keep."""
QLOG = False
"""As above."""

FLOWS = ("bulk", "flows", "iperf3")
"""Kinds of workload that are a flow, or several, of some length."""

Value = TypeVar("Value")

LEAST_MTU_BYTES = 1228
"""QUIC needs UDP payloads of 1200 bytes (RFC 9000 section 14)."""
MOST_MTU_BYTES = 65_535
MOST_HTTP2_WINDOW_BYTES = 2**31 - 1
"""RFC 9113 section 6.9.1."""
MOST_STREAMS = 1_000_000
MOST_INITIAL_WINDOW = 10_000


def resolve_run(run: RunTable, where: Where, *, folder: Path) -> dict[str, Any]:
    """Return a cell's run specification without its seed.

    Raises
    ------
    InputError
        When a key is missing, contradicts another or holds what does not exist (yet).
    """
    is_by_iperf3 = _checked_programs(run, where)
    cc = vocabulary.CONGESTION_CONTROL.checked(_given(run.cc, CONGESTION_CONTROL), where.at("cc"))
    if run.link is None:
        raise where.at("link").error(
            expected="a preset's name, a TOML file or an inline pipe", found="nothing"
        )
    link = link_spec(run.link, where.at("link"), folder=folder)
    workload = _workload(run, link, where)
    if is_by_iperf3:
        workload = iperf3.flow(workload, where)
    tcp = _tcp(run.tcp or TcpTable(), link, where.at("tcp"))
    return {
        "link": link,
        "cc": cc,
        "tcp": tcp,
        "quic": _quic(run.quic or QuicTable(), link, tcp, where.at("quic")),
        "http2": _http2(run.http2 or Http2Table(), link, where.at("http2")),
        "workload": workload,
        "validity": _validity(run.validity or ValidityTable(), link, workload, where.at("validity")),
        "capture": _capture(run.capture or CaptureTable()),
    }


def link_spec(
    table: LinkTable, where: Where, *, folder: Path, within: tuple[Path, ...] = ()
) -> dict[str, Any]:
    """Return the link that a table describes.

    Parameters
    ----------
    table : LinkTable
        As written.
    where : Where
        Its place.
    folder : Path
        Where relative paths of link files start.
    within : tuple of Path
        The files that led here, against circles.
    """
    own = with_delays(table.model_dump(by_alias=True, exclude_none=True), where)
    name = table.name
    base = own.pop("base", None)
    if base is not None:
        found = written_link(base, where, folder=folder)
        identity = Path(found.where.file).resolve()
        if identity in within:
            raise where.error(expected="a base that does not lead back to itself", found=shown(base))
        base_table = validated(LinkTable, found.table, found.where)
        # The base must be a link by itself: its faults are then reported where they are.
        link_spec(base_table, found.where, folder=found.folder, within=(*within, identity))
        unchanged = not own
        own = merged_links(_flattened(base_table, found.where, found.folder), own)
        name = name or base_table.name or (found.name if unchanged else None)
    return _complete_link(validated(LinkTable, own, where), name or "custom", where)


def _flattened(table: LinkTable, where: Where, folder: Path) -> dict[str, Any]:
    """Return a table with its bases merged in."""
    own = with_delays(table.model_dump(by_alias=True, exclude_none=True), where)
    base = own.pop("base", None)
    if base is None:
        return own
    found = written_link(base, where, folder=folder)
    below = validated(LinkTable, found.table, found.where)
    return merged_links(_flattened(below, found.where, found.folder), own)


def _complete_link(table: LinkTable, name: str, where: Where) -> dict[str, Any]:
    mtu = _given(table.mtu, MTU)
    mtu_bytes = size_bytes(mtu, where.at("mtu"), least=LEAST_MTU_BYTES, most=MOST_MTU_BYTES)
    delays_ns = []
    for key, direction in (("forward", table.forward), ("return", table.return_)):
        if direction is None or direction.rate is None:
            raise where.at(f"{key}.rate").error(expected='a rate such as "10 Mbit/s"', found="nothing")
        if direction.delay is None:
            raise where.at("rtt").error(expected='a duration such as "600 ms"', found="nothing")
        delays_ns.append(duration_ns(direction.delay, where.at(f"{key}.delay")))
    assert table.forward is not None
    assert table.return_ is not None
    vocabulary.DAMA.checked(_given(table.return_.dama, DAMA), where.at("return.dama"))
    rtt_ns = sum(delays_ns)
    return {
        "name": name,
        "mtu_bytes": mtu_bytes,
        "forward": _direction(table.forward, delays_ns[0], rtt_ns, mtu_bytes, where.at("forward")),
        "return": _direction(table.return_, delays_ns[1], rtt_ns, mtu_bytes, where.at("return")),
    }


def _direction(
    table: ForwardTable, delay_ns: int, rtt_ns: int, mtu_bytes: int, where: Where
) -> dict[str, Any]:
    assert table.rate is not None
    rate = rate_bps(table.rate, where.at("rate"))
    bdp = bdp_bytes(rate, rtt_ns)
    if table.queue is None:
        limit_bytes = max(QUEUE_BDP * bdp, QUEUE_LEAST_PACKETS * mtu_bytes)
        queue: dict[str, Any] = {"kind": "bytes", "limit_bytes": limit_bytes}
    else:
        queue = queue_spec(table.queue, where.at("queue"), bdp_bytes=bdp, mtu_bytes=mtu_bytes)
    return {
        "capacity": {"kind": "constant", "rate_bps": rate},
        "delay_ns": delay_ns,
        "jitter": jitter_spec(_given(table.jitter, JITTER), where.at("jitter"), delay_ns=delay_ns),
        "queue": queue,
        "loss": {"kind": "none"} if table.loss is None else loss_spec(table.loss, where.at("loss")),
    }


def _checked_programs(run: RunTable, where: Where) -> bool:
    """Return whether client and server are iperf3."""
    client = vocabulary.CLIENT.checked(_given(run.client, CLIENT), where.at("client"))
    server = vocabulary.SERVER.checked(_given(run.server, SERVER), where.at("server"))
    vocabulary.PEP.checked(_given(run.pep, PEP), where.at("pep"))
    resumption = run.tls.resumption if run.tls is not None else None
    vocabulary.RESUMPTION.checked(_given(resumption, RESUMPTION), where.at("tls.resumption"))
    return iperf3.is_wanted(client=client, server=server, where=where)


def _workload(run: RunTable, link: Mapping[str, Any], where: Where) -> dict[str, Any]:
    kinds = {"page": run.page, "bulk": run.bulk, "ping": run.ping}
    given = [key for key, value in kinds.items() if value is not None]
    if len(given) != 1:
        found = " and ".join(given) or "none of them"
        raise where.error(expected="one workload: page, bulk or ping", found=found)
    if run.page is None:
        for key, value in (("http", run.http), ("connections", run.connections)):
            if value is not None:
                raise where.at(key).error(
                    expected=f"nothing, as {given[0]} does not use it", found=shown(value)
                )
    if run.page is not None:
        return _page_load(run, run.page, where)
    if run.bulk is not None:
        if run.bulk.flows is not None and run.cc is not None:
            expected = "nothing, as each of several flows has its own"
            raise where.at("cc").error(expected=expected, found=shown(run.cc))
        return _bulk(run.bulk, where.at("bulk"))
    assert run.ping is not None
    return _ping(run.ping, link, where.at("ping"))


def _page_load(run: RunTable, table: PageTable, where: Where) -> dict[str, Any]:
    expected = f"one of {', '.join(vocabulary.HTTP.available)}, as a page needs it"
    if run.http is None:
        raise where.at("http").error(expected=expected, found="nothing")
    http = vocabulary.HTTP.checked(run.http, where.at("http"))
    connections = _given(run.connections, CONNECTIONS)
    connections = count(connections, where.at("connections"), least=1, most=1000)
    if http in vocabulary.SINGLE_CONNECTION_HTTP:
        connections = 1
    place = where.at("page")
    if table.name is None:
        raise place.at("name").error(expected='a name such as "uniform-100k"', found="nothing")
    if table.objects is None:
        resolved = page(table.name, place)
    else:
        if not table.objects:
            raise place.at("objects").error(expected="at least one size", found="an empty list")
        sizes = [size_bytes(size, place.at(f"objects.{n}")) for n, size in enumerate(table.objects, start=1)]
        resolved = page_spec(table.name, sizes)
    return {"kind": "page-load", "http": http, "connections": connections, "page": resolved}


def _bulk(table: BulkTable, where: Where) -> dict[str, Any]:
    if (table.size is None) == (table.duration is None):
        found = "neither" if table.size is None else "both"
        raise where.error(expected="either size or duration", found=found)
    transport = vocabulary.TRANSPORT.checked(_given(table.transport, BULK_TRANSPORT), where.at("transport"))
    extent: dict[str, Any] = {
        "direction": vocabulary.DIRECTION.checked(
            _given(table.direction, BULK_DIRECTION), where.at("direction")
        ),
        "bytes": None if table.size is None else size_bytes(table.size, where.at("size")),
        "duration_ns": None
        if table.duration is None
        else duration_ns(table.duration, where.at("duration"), least_ns=1),
    }
    if table.flows is None:
        return {"kind": "bulk", "transport": transport, **extent}
    flows = flow_specs(
        table.flows,
        where.at("flows"),
        transport=transport,
        start=FLOW_START,
        end_ns=extent["duration_ns"],
    )
    return {"kind": "flows", **extent, "flows": flows}


def _ping(table: PingTable, link: Mapping[str, Any], where: Where) -> dict[str, Any]:
    most_payload = link["mtu_bytes"] - IPV4_HEADER_BYTES - UDP_HEADER_BYTES
    requests = _given(table.count, PING_COUNT)
    return {
        "kind": "ping",
        "count": count(requests, where.at("count"), least=1, most=1_000_000),
        "interval_ns": duration_ns(_given(table.interval, PING_INTERVAL), where.at("interval"), least_ns=1),
        "payload_bytes": size_bytes(
            _given(table.size, PING_SIZE), where.at("size"), least=20, most=most_payload
        ),
    }


def _tcp(table: TcpTable, link: Mapping[str, Any], where: Where) -> dict[str, Any]:
    window = _given(table.initial_window, INITIAL_WINDOW_SEGMENTS)
    idle = _given(table.slow_start_after_idle, SLOW_START_AFTER_IDLE)
    buffer_bytes = _buffer_bytes(link)
    return {
        "initial_window": count(window, where.at("initial_window"), least=1, most=MOST_INITIAL_WINDOW),
        "receive_buffer_bytes": _size_or(table.receive_buffer, buffer_bytes, where.at("receive_buffer")),
        "send_buffer_bytes": _size_or(table.send_buffer, buffer_bytes, where.at("send_buffer")),
        "slow_start_after_idle": idle,
    }


def _quic(table: QuicTable, link: Mapping[str, Any], tcp: Mapping[str, Any], where: Where) -> dict[str, Any]:
    payload_bytes = link["mtu_bytes"] - IPV4_HEADER_BYTES - UDP_HEADER_BYTES
    # As many full packets as TCP sends, so that the first flights of both weigh the same on the wire.
    window_bytes = tcp["initial_window"] * payload_bytes
    buffer_bytes = _buffer_bytes(link)
    payload = where.at("udp_payload")
    return {
        "initial_window_bytes": _size_or(table.initial_window, window_bytes, where.at("initial_window")),
        "initial_rtt_ns": duration_ns(
            _given(table.initial_rtt, INITIAL_RTT), where.at("initial_rtt"), least_ns=1
        ),
        "stream_receive_window_bytes": _size_or(
            table.stream_receive_window, buffer_bytes, where.at("stream_receive_window")
        ),
        "receive_window_bytes": _size_or(table.receive_window, buffer_bytes, where.at("receive_window")),
        "send_window_bytes": _size_or(table.send_window, buffer_bytes, where.at("send_window")),
        "udp_payload_bytes": payload_bytes
        if table.udp_payload is None
        else size_bytes(table.udp_payload, payload, least=1200, most=payload_bytes),
        "max_concurrent_streams": _streams(table.max_concurrent_streams, where),
    }


def _http2(table: Http2Table, link: Mapping[str, Any], where: Where) -> dict[str, Any]:
    most = MOST_HTTP2_WINDOW_BYTES
    # Not below TCP's buffers, so that the congestion window alone limits here too.
    window_bytes = min(_buffer_bytes(link), most)
    return {
        "stream_window_bytes": _size_or(
            table.stream_window, window_bytes, where.at("stream_window"), most=most
        ),
        "connection_window_bytes": _size_or(
            table.connection_window, window_bytes, where.at("connection_window"), most=most
        ),
        "max_concurrent_streams": _streams(table.max_concurrent_streams, where),
    }


def _streams(written: int | None, where: Where) -> int:
    streams = _given(written, MAX_CONCURRENT_STREAMS)
    return count(streams, where.at("max_concurrent_streams"), least=1, most=MOST_STREAMS)


def _validity(
    table: ValidityTable, link: Mapping[str, Any], workload: Mapping[str, Any], where: Where
) -> dict[str, Any]:
    is_fast = link["forward"]["capacity"]["rate_bps"] > FAST_BPS
    lateness_ns = max(LATENESS_FAST_NS if is_fast else LATENESS_NS, int(_rtt_ns(link) * LATENESS_OF_RTT))
    if table.lateness is not None:
        lateness_ns = duration_ns(table.lateness, where.at("lateness"), least_ns=1)
    timeout_ns = _timeout_ns(link, workload)
    if table.timeout is not None:
        timeout_ns = duration_ns(table.timeout, where.at("timeout"), least_ns=1)
    return {
        "lateness_p999_ns": lateness_ns,
        "timeout_ns": timeout_ns,
    }


def _capture(table: CaptureTable) -> dict[str, Any]:
    return {
        "pcapng": _given(table.pcapng, PCAPNG),
        "qlog": _given(table.qlog, QLOG),
    }


def _timeout_ns(link: Mapping[str, Any], workload: Mapping[str, Any]) -> int:
    rtt_ns = _rtt_ns(link)
    down_bps: int = link["forward"]["capacity"]["rate_bps"]
    up_bps: int = link["return"]["capacity"]["rate_bps"]
    if workload["kind"] == "page-load":
        sizes: list[int] = [item["bytes"] for item in workload["page"]["objects"]]
        ideal_ns = _transfer_ns(sum(sizes), down_bps) + len(sizes) * rtt_ns
        return max(TIMEOUT_PAGE_NS, TIMEOUT_MARGIN_NS + TIMEOUT_FACTOR * ideal_ns)
    flows = len(workload.get("flows", [workload]))
    if workload["kind"] in FLOWS and workload["bytes"] is not None:
        rate = down_bps if workload["direction"] == "down" else up_bps
        last_start_ns = max((flow["start_ns"] for flow in workload.get("flows", ())), default=0)
        ideal_ns = _transfer_ns(flows * workload["bytes"], rate) + rtt_ns
        return TIMEOUT_MARGIN_NS + last_start_ns + TIMEOUT_FACTOR * ideal_ns
    # What lasts as long as it was asked to: a flow limited by time, and pings.
    is_flow = workload["kind"] in FLOWS
    span_ns: int = workload["duration_ns"] if is_flow else workload["count"] * workload["interval_ns"]
    # Each flow up has a send buffer to empty when its time is over.
    return TIMEOUT_MARGIN_NS + span_ns + TIMEOUT_FACTOR * flows * rtt_ns


def _transfer_ns(size: int, rate: int) -> int:
    return size * 8 * SECOND_NS // rate


def _buffer_bytes(link: Mapping[str, Any]) -> int:
    rates: list[int] = [link[direction]["capacity"]["rate_bps"] for direction in ("forward", "return")]
    return max(BUFFER_BDP * bdp_bytes(max(rates), _rtt_ns(link)), BUFFER_LEAST_BYTES)


def _rtt_ns(link: Mapping[str, Any]) -> int:
    delays_ns: list[int] = [link[direction]["delay_ns"] for direction in ("forward", "return")]
    return sum(delays_ns)


def _size_or(text: str | None, default_bytes: int, where: Where, *, most: int = LARGEST_BYTES) -> int:
    return default_bytes if text is None else size_bytes(text, where, most=most)


def _given(written: Value | None, default: Value) -> Value:
    return default if written is None else written
