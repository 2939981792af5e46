"""From a cell as written to the run specification: SI units, nothing left open.

What a scenario does not say is in `defaults`. Keys of the result are those of `crates/run/src`:
spec.rs, link.rs and satellite.rs.
"""

from pathlib import Path
from typing import Literal

from bentpipe.scenario import defaults
from bentpipe.scenario.hosts import http, iperf3
from bentpipe.scenario.hosts.flows import flow_specs
from bentpipe.scenario.hosts.pep import check_use, host_mtu_bytes, pep_spec
from bentpipe.scenario.hosts.programs import check_programs, programs
from bentpipe.scenario.hosts.tcp import refuse_client_settings, tcp_spec
from bentpipe.scenario.hosts.tls import tls_spec
from bentpipe.scenario.link.resolved import (
    IPV4_HEADER_BYTES,
    LEAST_MTU_BYTES,
    LEAST_QUIC_BYTES,
    UDP_HEADER_BYTES,
    ResolvedLink,
    resolved_link,
)
from bentpipe.scenario.page.web_page import longest_wait_ns
from bentpipe.scenario.spec.hosts import QuicSpec
from bentpipe.scenario.spec.run import (
    BulkSpec,
    CaptureSpec,
    ExtentSpec,
    FlowsSpec,
    PingSpec,
    RunSpec,
    ValiditySpec,
    Workload,
)
from bentpipe.scenario.written import vocabulary
from bentpipe.scenario.written.dscp import code_point
from bentpipe.scenario.written.location import Location, quoted
from bentpipe.scenario.written.quantity import SECOND_NS, count, duration_ns, size_bytes, size_bytes_or
from bentpipe.scenario.written.schema import (
    BulkTable,
    CaptureTable,
    Http2Table,
    PepTable,
    PingTable,
    QuicTable,
    RunTable,
    TcpTable,
    TlsTable,
    ValidityTable,
)
from bentpipe.scenario.written.table import or_default, refuse

LEAST_QUIC_WINDOW = 2
"""Packets in the smallest window (RFC 9002 section 7.2)."""
LEAST_INITIAL_RTT_NS = 1_000_000
"""The granularity of QUIC's timers (RFC 9002 section 6.1.2). Starved flows that assume much less never come
out of their probe timeouts."""


def resolve_run(run: RunTable, where: Location, *, folder: Path) -> RunSpec:
    """Return a cell's run specification without its seed.

    Raises
    ------
    InputError
        When a key is missing, contradicts another or holds what does not exist (yet).
    """
    ends = programs(run, where)
    cc = vocabulary.CONGESTION_CONTROL.checked(
        or_default(run.cc, defaults.CONGESTION_CONTROL), where.at("cc")
    )
    if run.link is None:
        raise where.at("link").error(
            expected="a preset's name, a TOML file or an inline pipe", found="nothing"
        )
    link = resolved_link(run.link, where.at("link"), folder=folder)
    pep_place = where.at("pep")
    pep = pep_spec(
        or_default(run.pep, PepTable(kind=defaults.PEP)),
        pep_place,
        cc=cc,
        link=link,
        least_mtu_bytes=LEAST_MTU_BYTES,
    )
    payload_bytes = host_mtu_bytes(link.mtu_bytes, pep) - IPV4_HEADER_BYTES - UDP_HEADER_BYTES
    workload = _workload(run, where, folder=folder, most_ping_bytes=payload_bytes)
    check_use(pep, workload, pep_place)
    if ends.client == iperf3.NAME:
        workload = iperf3.flow(workload, where)
    check_programs(ends, run, workload, where, cc=cc)
    limit_bytes = link.buffer_bytes
    tcp = tcp_spec(or_default(run.tcp, TcpTable()), where.at("tcp"), buffer_bytes=limit_bytes)
    tls = tls_spec(or_default(run.tls, TlsTable()), workload, where.at("tls"))
    slow_start = _slow_start(run, cc, workload, where.at("slow_start"))
    dscp = None if run.dscp is None else code_point(run.dscp, where.at("dscp"))
    spec: RunSpec = {
        "link": link.spec,
        "cc": cc,
        "tcp": tcp,
        "quic": _quic(
            or_default(run.quic, QuicTable()),
            where.at("quic"),
            most_payload_bytes=payload_bytes,
            initial_window=tcp["initial_window"],
            limit_bytes=limit_bytes,
        ),
        "http2": http.http2_spec(
            or_default(run.http2, Http2Table()), where.at("http2"), buffer_bytes=limit_bytes
        ),
        "workload": workload,
        "validity": _validity(
            or_default(run.validity, ValidityTable()), link, workload, where.at("validity")
        ),
        "capture": _capture(or_default(run.capture, CaptureTable())),
    }
    # What is not in use is not in the specification: the run is what it was before there was such a thing.
    if tls is not None:
        spec["tls"] = tls
    if pep is not None:
        spec["pep"] = pep
    if ends.browser is not None:
        spec["client"] = ends.browser
    if ends.web_server is not None:
        spec["server"] = ends.web_server
    if slow_start is not None:
        spec["slow_start"] = slow_start
    if dscp is not None:
        spec["dscp"] = dscp
    return spec


def _slow_start(run: RunTable, cc: str, workload: Workload, where: Location) -> Literal["hystart++"] | None:
    """Return how slow start ends, or None where that is each congestion control's own way."""
    way = vocabulary.SLOW_START.checked(or_default(run.slow_start, defaults.SLOW_START), where)
    if way == "linux":
        return None
    ccs = [flow["cc"] for flow in workload["flows"]] if workload["kind"] == "flows" else [cc]
    other = next((cc for cc in ccs if cc not in vocabulary.LOSS_BASED), None)
    if other is not None:
        expected = f'"{defaults.SLOW_START}", as {other} is not one of {", ".join(vocabulary.LOSS_BASED)}'
        raise where.error(expected=expected, found=quoted(way))
    return way


def _workload(run: RunTable, where: Location, *, folder: Path, most_ping_bytes: int) -> Workload:
    kinds = {"page": run.page, "bulk": run.bulk, "ping": run.ping}
    written = [key for key, value in kinds.items() if value is not None]
    if len(written) != 1:
        found = " and ".join(written) or "none of them"
        raise where.error(expected="one workload: page, bulk or ping", found=found)
    if run.page is not None:
        return http.page_load_spec(run, run.page, where, folder=folder)
    why = f"{written[0]} does not use it"
    refuse(run, http.KEYS, where, why=why)
    refuse_client_settings(or_default(run.tcp, TcpTable()), where.at("tcp"), why=why)
    if run.bulk is not None:
        if run.bulk.flows is not None and run.cc is not None:
            expected = "nothing, as each of several flows has its own"
            raise where.at("cc").error(expected=expected, found=quoted(run.cc))
        return _bulk(run.bulk, where.at("bulk"))
    assert run.ping is not None
    return _ping(run.ping, where.at("ping"), most_bytes=most_ping_bytes)


def _bulk(table: BulkTable, where: Location) -> BulkSpec | FlowsSpec:
    if (table.size is None) == (table.duration is None):
        found = "neither" if table.size is None else "both"
        raise where.error(expected="either size or duration", found=found)
    transport = vocabulary.TRANSPORT.checked(
        or_default(table.transport, defaults.BULK_TRANSPORT), where.at("transport")
    )
    extent: ExtentSpec = {
        "direction": vocabulary.DIRECTION.checked(
            or_default(table.direction, defaults.BULK_DIRECTION), where.at("direction")
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
        start=defaults.FLOW_START,
        end_ns=extent["duration_ns"],
    )
    return {"kind": "flows", **extent, "flows": flows}


def _ping(table: PingTable, where: Location, *, most_bytes: int) -> PingSpec:
    requests = or_default(table.count, defaults.PING_COUNT)
    return {
        "kind": "ping",
        "count": count(requests, where.at("count"), least=1, most=1_000_000),
        "interval_ns": duration_ns(
            or_default(table.interval, defaults.PING_INTERVAL), where.at("interval"), least_ns=1
        ),
        "payload_bytes": size_bytes(
            or_default(table.size, defaults.PING_SIZE), where.at("size"), least=20, most=most_bytes
        ),
    }


def _quic(
    table: QuicTable, where: Location, *, most_payload_bytes: int, initial_window: int, limit_bytes: int
) -> QuicSpec:
    """Return the settings of QUIC; windows that are not written are `limit_bytes`."""

    def window(text: str | None, key: str) -> int:
        return size_bytes_or(text, limit_bytes, where.at(key))

    payload_bytes = most_payload_bytes
    if table.udp_payload is not None:
        place = where.at("udp_payload")
        payload_bytes = size_bytes(table.udp_payload, place, least=LEAST_QUIC_BYTES, most=most_payload_bytes)
    return {
        # As many full packets as TCP sends, so that the first flights of both weigh the same on the wire.
        "initial_window_bytes": size_bytes_or(
            table.initial_window,
            max(initial_window, LEAST_QUIC_WINDOW) * most_payload_bytes,
            where.at("initial_window"),
            least=LEAST_QUIC_WINDOW * payload_bytes,
        ),
        "initial_rtt_ns": duration_ns(
            or_default(table.initial_rtt, defaults.INITIAL_RTT),
            where.at("initial_rtt"),
            least_ns=LEAST_INITIAL_RTT_NS,
        ),
        "stream_receive_window_bytes": window(table.stream_receive_window, "stream_receive_window"),
        "receive_window_bytes": window(table.receive_window, "receive_window"),
        "send_window_bytes": window(table.send_window, "send_window"),
        "udp_payload_bytes": payload_bytes,
        "max_concurrent_streams": http.max_concurrent_streams(table.max_concurrent_streams, where),
    }


def _validity(table: ValidityTable, link: ResolvedLink, workload: Workload, where: Location) -> ValiditySpec:
    is_fast = link.down_bps > defaults.FAST_BPS
    least_ns = defaults.LATENESS_FAST_NS if is_fast else defaults.LATENESS_NS
    lateness_ns = max(least_ns, int(link.propagation_ns * defaults.LATENESS_OF_RTT))
    if table.lateness is not None:
        lateness_ns = duration_ns(table.lateness, where.at("lateness"), least_ns=1)
    timeout_ns = _timeout_ns(link, workload)
    if table.timeout is not None:
        timeout_ns = duration_ns(table.timeout, where.at("timeout"), least_ns=1)
    return {
        "lateness_p999_ns": lateness_ns,
        "timeout_ns": timeout_ns,
    }


def _capture(table: CaptureTable) -> CaptureSpec:
    return {
        "pcapng": or_default(table.pcapng, defaults.PCAPNG),
        "qlog": or_default(table.qlog, defaults.QLOG),
    }


def _timeout_ns(link: ResolvedLink, workload: Workload) -> int:
    round_trip_ns = link.rtt_ns
    if workload["kind"] == "page-load":
        page = workload["page"]
        sizes = [item["bytes"] for item in page["objects"]]
        transfer_ns = _transfer_ns(sum(sizes), link.down_bps)
        ideal_ns = transfer_ns + len(sizes) * round_trip_ns + longest_wait_ns(page)
        return max(defaults.TIMEOUT_PAGE_NS, defaults.TIMEOUT_MARGIN_NS + defaults.TIMEOUT_FACTOR * ideal_ns)
    if workload["kind"] == "ping":
        flows, span_ns = 1, workload["count"] * workload["interval_ns"]
    else:
        starts_ns = [flow["start_ns"] for flow in workload["flows"]] if workload["kind"] == "flows" else [0]
        flows = len(starts_ns)
        if workload["bytes"] is not None:
            rate = link.down_bps if workload["direction"] == "down" else link.up_bps
            ideal_ns = _transfer_ns(flows * workload["bytes"], rate) + round_trip_ns
            return defaults.TIMEOUT_MARGIN_NS + max(starts_ns) + defaults.TIMEOUT_FACTOR * ideal_ns
        # What `_bulk` has seen to: without a size there is a duration.
        span_ns = workload["duration_ns"] or 0
    # What lasts as long as it was asked to: a flow limited by time, and pings. Each flow up has a send buffer
    # to empty when its time is over.
    return defaults.TIMEOUT_MARGIN_NS + span_ns + defaults.TIMEOUT_FACTOR * flows * round_trip_ns


def _transfer_ns(size: int, rate: int) -> int:
    return size * 8 * SECOND_NS // rate
