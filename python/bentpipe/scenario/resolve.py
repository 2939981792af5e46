"""From a cell as written to the run specification: SI units, nothing left open.

What a scenario does not say is in `defaults`. Keys of the result are those of `crates/run/src`:
spec.rs, link.rs and satellite.rs.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bentpipe import _core
from bentpipe.scenario import defaults
from bentpipe.scenario.hosts import http, iperf3
from bentpipe.scenario.hosts.flows import flow_specs
from bentpipe.scenario.hosts.pep import check_use, host_mtu_bytes, pep_spec
from bentpipe.scenario.hosts.programs import check_programs, programs
from bentpipe.scenario.hosts.tcp import refuse_client_settings, tcp_spec
from bentpipe.scenario.hosts.tls import tls_spec
from bentpipe.scenario.link.buffers import buffer_bytes, propagation_ns, rtt_ns
from bentpipe.scenario.link.catalogue import written_link
from bentpipe.scenario.link.direction import Surroundings, forward_spec, return_spec
from bentpipe.scenario.link.layout import superframe_ns
from bentpipe.scenario.link.nominal import nominal_bps
from bentpipe.scenario.link.refusal import refused
from bentpipe.scenario.page.web_page import longest_wait_ns
from bentpipe.scenario.written import vocabulary
from bentpipe.scenario.written.dscp import code_point
from bentpipe.scenario.written.link_schema import ForwardTable, LinkTable, ReturnTable
from bentpipe.scenario.written.overlay import merged_links, with_delays, with_folder
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
from bentpipe.scenario.written.table import given, refuse, validated
from bentpipe.scenario.written.where import Where, shown

CARRIERS = {"forward": "dvbs2", "return": "rcs2"}
"""What a direction may have in place of a constant rate."""
FLOWS = ("bulk", "flows", "iperf3")
"""Kinds of workload that are a flow, or several, of some length."""

IPV4_HEADER_BYTES = 20
UDP_HEADER_BYTES = 8

LEAST_QUIC_BYTES = 1200
"""UDP payloads that QUIC needs (RFC 9000 section 14)."""
LEAST_QUIC_WINDOW = 2
"""Packets in the smallest window (RFC 9002 section 7.2)."""
LEAST_INITIAL_RTT_NS = 1_000_000
"""The granularity of QUIC's timers (RFC 9002 section 6.1.2). Starved flows that assume much less never come
out of their probe timeouts."""
LEAST_MTU_BYTES = LEAST_QUIC_BYTES + IPV4_HEADER_BYTES + UDP_HEADER_BYTES
MOST_MTU_BYTES = 65_535


def resolve_run(run: RunTable, where: Where, *, folder: Path) -> dict[str, Any]:
    """Return a cell's run specification without its seed.

    Raises
    ------
    InputError
        When a key is missing, contradicts another or holds what does not exist (yet).
    """
    ends = programs(run, where)
    cc = vocabulary.CONGESTION_CONTROL.checked(given(run.cc, defaults.CONGESTION_CONTROL), where.at("cc"))
    if run.link is None:
        raise where.at("link").error(
            expected="a preset's name, a TOML file or an inline pipe", found="nothing"
        )
    link = link_spec(run.link, where.at("link"), folder=folder)
    pep_place = where.at("pep")
    pep = pep_spec(
        given(run.pep, PepTable(kind=defaults.PEP)),
        pep_place,
        cc=cc,
        link=link,
        least_mtu_bytes=LEAST_MTU_BYTES,
    )
    payload_bytes = host_mtu_bytes(link, pep) - IPV4_HEADER_BYTES - UDP_HEADER_BYTES
    workload = _workload(run, where, folder=folder, most_ping_bytes=payload_bytes)
    check_use(pep, workload, pep_place)
    if ends.client == iperf3.NAME:
        workload = iperf3.flow(workload, where)
    check_programs(ends, run, workload, where, cc=cc)
    limit_bytes = buffer_bytes(link)
    tcp = tcp_spec(given(run.tcp, TcpTable()), where.at("tcp"), buffer_bytes=limit_bytes)
    # What is not in use is not in the specification: the run is what it was before there was such a thing.
    rarer = {
        "tls": tls_spec(given(run.tls, TlsTable()), workload, where.at("tls")),
        "pep": pep,
        **ends.spec(),
        "slow_start": _slow_start(run, cc, workload, where.at("slow_start")),
        "dscp": None if run.dscp is None else code_point(run.dscp, where.at("dscp")),
    }
    return {
        "link": link,
        "cc": cc,
        "tcp": tcp,
        "quic": _quic(
            given(run.quic, QuicTable()),
            where.at("quic"),
            most_payload_bytes=payload_bytes,
            initial_window=tcp["initial_window"],
            limit_bytes=limit_bytes,
        ),
        "http2": http.http2_spec(given(run.http2, Http2Table()), where.at("http2"), buffer_bytes=limit_bytes),
        "workload": workload,
        "validity": _validity(given(run.validity, ValidityTable()), link, workload, where.at("validity")),
        "capture": _capture(given(run.capture, CaptureTable())),
        **{key: value for key, value in rarer.items() if value is not None},
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
    own = _own(table, where, folder)
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


def _own(table: LinkTable, where: Where, folder: Path) -> dict[str, Any]:
    """Return what a table itself says, so that it says the same wherever it is merged."""
    written = table.model_dump(by_alias=True, exclude_none=True)
    return with_folder(with_delays(written, where), folder)


def _flattened(table: LinkTable, where: Where, folder: Path) -> dict[str, Any]:
    """Return a table with its bases merged in."""
    own = _own(table, where, folder)
    base = own.pop("base", None)
    if base is None:
        return own
    found = written_link(base, where, folder=folder)
    below = validated(LinkTable, found.table, found.where)
    return merged_links(_flattened(below, found.where, found.folder), own)


def _complete_link(table: LinkTable, name: str, where: Where) -> dict[str, Any]:
    mtu = given(table.mtu, defaults.MTU)
    mtu_bytes = size_bytes(mtu, where.at("mtu"), least=LEAST_MTU_BYTES, most=MOST_MTU_BYTES)
    forward, return_ = given(table.forward, ForwardTable()), given(table.return_, ReturnTable())
    delays_ns = []
    for key, direction, carrier in (("forward", forward, forward.dvbs2), ("return", return_, return_.rcs2)):
        if direction.rate is None and carrier is None:
            expected = f'a rate such as "10 Mbit/s", or {CARRIERS[key]}'
            raise where.at(f"{key}.rate").error(expected=expected, found="nothing")
        if direction.delay is None:
            raise where.at("rtt").error(expected='a duration such as "600 ms"', found="nothing")
        delays_ns.append(duration_ns(direction.delay, where.at(f"{key}.delay")))
    there_ns, back_ns = delays_ns
    there = Surroundings(delay_ns=there_ns, opposite_delay_ns=back_ns, mtu_bytes=mtu_bytes)
    back = Surroundings(delay_ns=back_ns, opposite_delay_ns=there_ns, mtu_bytes=mtu_bytes)
    backward = return_spec(return_, back, where.at("return"))
    report_wait_ns = _report_wait_ns(backward["capacity"])
    onward = forward_spec(forward, there, where.at("forward"), report_wait_ns=report_wait_ns)
    link: dict[str, Any] = {"name": name, "mtu_bytes": mtu_bytes, "forward": onward, "return": backward}
    if any(link[key]["capacity"]["kind"] != "constant" for key in CARRIERS):
        _check_carriers(link, where)
    return link


def _report_wait_ns(capacity: Mapping[str, Any]) -> int:
    """Return how long a report of the terminal waits for its turn: at most a superframe, if there are any."""
    return superframe_ns(capacity["layout"]) if capacity["kind"] == "rcs2" else 0


def _check_carriers(link: Mapping[str, Any], where: Where) -> None:
    """Raise an InputError when parts of a link that are right by themselves are not together."""
    try:
        _core.check_link(json.dumps(link))
    except ValueError as error:
        raise refused(error, where, link=where) from None


def _slow_start(run: RunTable, cc: str, workload: Mapping[str, Any], where: Where) -> str | None:
    """Return how slow start ends, or None where that is each congestion control's own way."""
    way = vocabulary.SLOW_START.checked(given(run.slow_start, defaults.SLOW_START), where)
    if way == defaults.SLOW_START:
        return None
    ccs = [flow["cc"] for flow in workload.get("flows", ())] or [cc]
    other = next((cc for cc in ccs if cc not in vocabulary.LOSS_BASED), None)
    if other is not None:
        expected = f'"{defaults.SLOW_START}", as {other} is not one of {", ".join(vocabulary.LOSS_BASED)}'
        raise where.error(expected=expected, found=shown(way))
    return way


def _workload(run: RunTable, where: Where, *, folder: Path, most_ping_bytes: int) -> dict[str, Any]:
    kinds = {"page": run.page, "bulk": run.bulk, "ping": run.ping}
    written = [key for key, value in kinds.items() if value is not None]
    if len(written) != 1:
        found = " and ".join(written) or "none of them"
        raise where.error(expected="one workload: page, bulk or ping", found=found)
    if run.page is not None:
        return http.page_load_spec(run, run.page, where, folder=folder)
    why = f"{written[0]} does not use it"
    refuse(run, http.KEYS, where, why=why)
    refuse_client_settings(given(run.tcp, TcpTable()), where.at("tcp"), why=why)
    if run.bulk is not None:
        if run.bulk.flows is not None and run.cc is not None:
            expected = "nothing, as each of several flows has its own"
            raise where.at("cc").error(expected=expected, found=shown(run.cc))
        return _bulk(run.bulk, where.at("bulk"))
    assert run.ping is not None
    return _ping(run.ping, where.at("ping"), most_bytes=most_ping_bytes)


def _bulk(table: BulkTable, where: Where) -> dict[str, Any]:
    if (table.size is None) == (table.duration is None):
        found = "neither" if table.size is None else "both"
        raise where.error(expected="either size or duration", found=found)
    transport = vocabulary.TRANSPORT.checked(
        given(table.transport, defaults.BULK_TRANSPORT), where.at("transport")
    )
    extent: dict[str, Any] = {
        "direction": vocabulary.DIRECTION.checked(
            given(table.direction, defaults.BULK_DIRECTION), where.at("direction")
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


def _ping(table: PingTable, where: Where, *, most_bytes: int) -> dict[str, Any]:
    requests = given(table.count, defaults.PING_COUNT)
    return {
        "kind": "ping",
        "count": count(requests, where.at("count"), least=1, most=1_000_000),
        "interval_ns": duration_ns(
            given(table.interval, defaults.PING_INTERVAL), where.at("interval"), least_ns=1
        ),
        "payload_bytes": size_bytes(
            given(table.size, defaults.PING_SIZE), where.at("size"), least=20, most=most_bytes
        ),
    }


def _quic(
    table: QuicTable, where: Where, *, most_payload_bytes: int, initial_window: int, limit_bytes: int
) -> dict[str, Any]:
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
            given(table.initial_rtt, defaults.INITIAL_RTT),
            where.at("initial_rtt"),
            least_ns=LEAST_INITIAL_RTT_NS,
        ),
        "stream_receive_window_bytes": window(table.stream_receive_window, "stream_receive_window"),
        "receive_window_bytes": window(table.receive_window, "receive_window"),
        "send_window_bytes": window(table.send_window, "send_window"),
        "udp_payload_bytes": payload_bytes,
        "max_concurrent_streams": http.max_concurrent_streams(table.max_concurrent_streams, where),
    }


def _validity(
    table: ValidityTable, link: Mapping[str, Any], workload: Mapping[str, Any], where: Where
) -> dict[str, Any]:
    is_fast = nominal_bps(link["forward"]["capacity"]) > defaults.FAST_BPS
    least_ns = defaults.LATENESS_FAST_NS if is_fast else defaults.LATENESS_NS
    lateness_ns = max(least_ns, int(propagation_ns(link) * defaults.LATENESS_OF_RTT))
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
        "pcapng": given(table.pcapng, defaults.PCAPNG),
        "qlog": given(table.qlog, defaults.QLOG),
    }


def _timeout_ns(link: Mapping[str, Any], workload: Mapping[str, Any]) -> int:
    round_trip_ns = rtt_ns(link)
    down_bps, up_bps = (nominal_bps(link[direction]["capacity"]) for direction in CARRIERS)
    if workload["kind"] == "page-load":
        page = workload["page"]
        sizes: list[int] = [item["bytes"] for item in page["objects"]]
        ideal_ns = _transfer_ns(sum(sizes), down_bps) + len(sizes) * round_trip_ns + longest_wait_ns(page)
        return max(defaults.TIMEOUT_PAGE_NS, defaults.TIMEOUT_MARGIN_NS + defaults.TIMEOUT_FACTOR * ideal_ns)
    flows = len(workload.get("flows", [workload]))
    if workload["kind"] in FLOWS and workload["bytes"] is not None:
        rate = down_bps if workload["direction"] == "down" else up_bps
        last_start_ns = max((flow["start_ns"] for flow in workload.get("flows", ())), default=0)
        ideal_ns = _transfer_ns(flows * workload["bytes"], rate) + round_trip_ns
        return defaults.TIMEOUT_MARGIN_NS + last_start_ns + defaults.TIMEOUT_FACTOR * ideal_ns
    # What lasts as long as it was asked to: a flow limited by time, and pings.
    is_flow = workload["kind"] in FLOWS
    span_ns: int = workload["duration_ns"] if is_flow else workload["count"] * workload["interval_ns"]
    # Each flow up has a send buffer to empty when its time is over.
    return defaults.TIMEOUT_MARGIN_NS + span_ns + defaults.TIMEOUT_FACTOR * flows * round_trip_ns


def _transfer_ns(size: int, rate: int) -> int:
    return size * 8 * SECOND_NS // rate
