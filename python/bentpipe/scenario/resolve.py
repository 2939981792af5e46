"""From a cell as written to the run specification: SI units, nothing left open.

What a scenario does not say is in `defaults`, and the shape of the result in `spec`. Three passes:
link, proxy and workload; whether they and the programs go together; what both ends have besides.
"""

from dataclasses import replace
from pathlib import Path

from bentpipe.model.draft.spec import CaptureSpec, CellSpec, TerrestrialSpec, ValiditySpec, Workload
from bentpipe.scenario import defaults
from bentpipe.scenario.hosts import http, iperf3
from bentpipe.scenario.hosts.bbr import bbr_spec
from bentpipe.scenario.hosts.dns import dns_spec
from bentpipe.scenario.hosts.pep import (
    check_place,
    check_use,
    host_mtu_bytes,
    most_quic_bytes,
    pep_spec,
    tunnel_header_bytes,
)
from bentpipe.scenario.hosts.processor import hosts_spec
from bentpipe.scenario.hosts.programs import check_programs, programs
from bentpipe.scenario.hosts.quic import quic_spec
from bentpipe.scenario.hosts.quic_split import check_quic_split_ends
from bentpipe.scenario.hosts.resume import resume_spec
from bentpipe.scenario.hosts.senders import check_over_tcp, senders
from bentpipe.scenario.hosts.slow_start import slow_start_choice
from bentpipe.scenario.hosts.tcp import tcp_spec
from bentpipe.scenario.hosts.tls import key_exchange, tls_spec
from bentpipe.scenario.hosts.workload import workload_spec
from bentpipe.scenario.link.channel import loss_spec
from bentpipe.scenario.link.resolved import (
    IPV4_HEADER_BYTES,
    LEAST_MTU_BYTES,
    UDP_HEADER_BYTES,
    ResolvedLink,
    resolved_link,
)
from bentpipe.scenario.page.web_page import longest_wait_ns
from bentpipe.scenario.written import vocabulary
from bentpipe.scenario.written.dscp import code_point
from bentpipe.scenario.written.link_schema import TerrestrialTable
from bentpipe.scenario.written.location import Location
from bentpipe.scenario.written.quantity import SECOND_NS, duration_ns
from bentpipe.scenario.written.schema import (
    BbrTable,
    CaptureTable,
    HostsTable,
    Http2Table,
    PepTable,
    QuicTable,
    RunTable,
    TcpTable,
    TlsTable,
    ValidityTable,
)
from bentpipe.scenario.written.table import or_default


def resolve_run(run: RunTable, where: Location, *, folder: Path) -> CellSpec:
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
    server_behind = vocabulary.SERVER_BEHIND.checked(
        or_default(run.server_behind, defaults.SERVER_BEHIND), where.at("server_behind")
    )
    link = replace(
        resolved_link(run.link, where.at("link"), folder=folder), is_exchanged=server_behind == "terminal"
    )
    pep_place = where.at("pep")
    pep = pep_spec(
        or_default(run.pep, PepTable(kind=defaults.PEP)),
        pep_place,
        cc=cc,
        link=link,
        least_mtu_bytes=LEAST_MTU_BYTES,
    )
    host_mtu = host_mtu_bytes(link.mtu_bytes, header_bytes=tunnel_header_bytes(pep))
    payload_bytes = host_mtu - IPV4_HEADER_BYTES - UDP_HEADER_BYTES
    workload = workload_spec(run, where, folder=folder, most_ping_bytes=payload_bytes)

    check_use(pep, workload, pep_place)
    check_place(pep, pep_place, server_behind=server_behind)
    if ends.client == iperf3.NAME:
        workload = iperf3.flow(workload, where)
    check_programs(ends, run, workload, where, cc=cc)

    limit_bytes = link.buffer_bytes
    tcp = tcp_spec(or_default(run.tcp, TcpTable()), where.at("tcp"), buffer_bytes=limit_bytes)
    tls_table = or_default(run.tls, TlsTable())
    tls = tls_spec(tls_table, workload, where.at("tls"))
    if pep is not None and pep["kind"] == "quic-split":
        check_quic_split_ends(where, ends=ends, tls=tls, resume=run.resume)
    exchange = key_exchange(tls_table, workload, where.at("tls"), tls=tls)
    dns = dns_spec(
        run.dns, where.at("dns"), workload=workload, ends=ends, pep=pep, server_behind=server_behind
    )
    hosts = hosts_spec(or_default(run.host, HostsTable()), where.at("host"))
    pep_has_own = run.pep is not None and run.pep.cc is not None
    check_over_tcp(workload, where, cc=cc, pep=pep, pep_has_own=pep_has_own)
    sending = senders(workload, cc=cc, pep=pep)
    slow_start = slow_start_choice(
        or_default(run.slow_start, defaults.SLOW_START),
        where.at("slow_start"),
        cc=cc,
        workload=workload,
        senders=sending,
    )
    bbr = bbr_spec(or_default(run.bbr, BbrTable()), sending)
    resume = resume_spec(
        run.resume, where.at("resume"), link=link, workload=workload, senders=sending, ends=ends
    )
    dscp = None if run.dscp is None else code_point(run.dscp, where.at("dscp"))
    spec: CellSpec = {
        "link": link.spec,
        "cc": cc,
        "tcp": tcp,
        "quic": quic_spec(
            or_default(run.quic, QuicTable()),
            where.at("quic"),
            most_payload_bytes=most_quic_bytes(pep, payload_bytes),
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
    if server_behind == "terminal":
        spec["server_behind"] = server_behind
    terrestrial = _terrestrial(run.terrestrial, where.at("terrestrial"), server_behind=server_behind)
    if terrestrial is not None:
        spec["terrestrial"] = terrestrial
    if tls is not None:
        spec["tls"] = tls
    if exchange is not None:
        spec["key_exchange"] = exchange
    if dns is not None:
        spec["dns"] = dns
    if hosts is not None:
        spec["host"] = hosts
    if pep is not None:
        spec["pep"] = pep
    if ends.browser is not None:
        spec["client"] = ends.browser
    if ends.web_server is not None:
        spec["server"] = ends.web_server
    if slow_start is not None:
        spec["slow_start"] = slow_start
    if bbr is not None:
        spec["bbr"] = bbr
    if resume is not None:
        spec["resume"] = resume
    if dscp is not None:
        spec["dscp"] = dscp
    return spec


def _terrestrial(
    table: TerrestrialTable | None, where: Location, *, server_behind: str
) -> TerrestrialSpec | None:
    """Return the network between gateway and server; None where it loses nothing."""
    if table is None or table.loss is None:
        return None
    loss = loss_spec(table.loss, where.at("loss"))
    if loss["kind"] == "none":
        return None
    if server_behind == "terminal":
        expected = "nothing, as the server is behind the terminal (server_behind)"
        raise where.at("loss").error(expected=expected, found="losses")
    return {"loss": loss}


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
