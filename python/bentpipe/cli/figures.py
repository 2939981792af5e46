"""The figures of one run, for a reader who sees them for the first time."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from bentpipe.amounts import percent, rate, seconds, size
from bentpipe.cli.output import echo, echo_text, print_columns
from bentpipe.model.dvbs2 import Dvbs2CapacitySpec
from bentpipe.model.flow import BulkWorkload, FlowsWorkload, Iperf3Workload
from bentpipe.model.link import LinkSpec
from bentpipe.model.metrics import Metrics
from bentpipe.model.page import PageLoadWorkload
from bentpipe.model.record import ConnectionReport, FlowRecord, QueueRecord, RunRecord, Status, Table
from bentpipe.model.spec import PingWorkload
from bentpipe.reasons import causes, told

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def print_record(record: RunRecord, *, link: str) -> None:
    """Print how a run ended and its figures with their units and meanings; `link` as its user calls it."""
    spec, metrics = record.spec, record.metrics
    echo(f"{_headline(record)} over {link}: {record.status}")
    for reason in causes(record.reasons):
        echo_text(f"  {told(reason, record)}")
    # What a load that was given up had by then is not what its names say.
    is_broken = record.status is Status.FAILED
    rows = _broken(metrics) if is_broken else _ROWS[spec.workload.kind](metrics)
    rows = _name(record.client_connections) + rows
    rows += _browser(record)
    if "ping" in record.series:
        rows += _losses(record.series["ping"]["rtt_s"])
    rows += _satellite(spec.link, record.series)
    shown = [row for row in rows if row[1] != "-"]
    if shown:
        print_columns(shown)
    if "path" in record.series:
        _print_path(record.series["path"])
    if spec.workload.kind == "flows":
        _print_flows(record.flows)
    if record.queues:
        _print_queues(record.queues)


def _headline(record: RunRecord) -> str:
    cc = record.spec.cc
    match record.spec.workload:
        case PageLoadWorkload(page=page, http=http):
            browser = "" if record.browser is None else f" in {record.browser.version}"
            return f"{page.name} by {http} with {cc}{browser}"
        case FlowsWorkload(flows=flows, direction=direction):
            return f"{len(flows)} flows {direction}"
        case Iperf3Workload(direction=direction):
            return f"iperf3 {direction} with {cc}"
        case BulkWorkload(transport=transport, direction=direction):
            return f"{transport} {direction} with {cc}"
        case PingWorkload(count=count):
            return f"{count} echo requests"


def _name(connections: Sequence[ConnectionReport]) -> list[tuple[str, str, str]]:
    """What the address of the page's own host took; nothing of a run whose client knew it."""
    lookup_ns = connections[0].name_lookup_ns if connections else None
    return (
        [] if lookup_ns is None else [("Name lookup", seconds(lookup_ns / 1e9), "address of the page's host")]
    )


def _page_load(metrics: Metrics) -> list[tuple[str, str, str]]:
    return [
        ("Page load time", seconds(metrics.plt_s), "every object is complete"),
        ("First object (FCP)", seconds(metrics.fcp_s), "the first embedded object is complete"),
        ("Largest object (LCP)", seconds(metrics.lcp_s), "the largest embedded object is complete"),
        ("First byte", seconds(metrics.ttfb_s), "of the HTML document"),
        ("Connect", seconds(metrics.connect_s), "handshake of the first connection"),
        ("TLS", seconds(metrics.tls_s), "handshake on top of it; QUIC has it included"),
        *_traffic(metrics),
        *_emulator(metrics),
    ]


def _broken(metrics: Metrics) -> list[tuple[str, str, str]]:
    connect = ("Connect", seconds(metrics.connect_s), "handshake of the first connection")
    return [connect, *_traffic(metrics)[:2], *_emulator(metrics)]


def _browser(record: RunRecord) -> list[tuple[str, str, str]]:
    """What a browser saw of the page; nothing of a run without one."""
    browser = record.browser
    if browser is None:
        return []
    frames = len(browser.frames)
    return [
        ("First paint (FCP)", seconds(browser.paint_fcp_s), "the first text or picture is on the screen"),
        ("Largest paint (LCP)", seconds(browser.paint_lcp_s), "the largest text or picture is on the screen"),
        ("Speed Index", seconds(browser.speed_index_s), "the mean time at which the window's parts appear"),
        ("Parsed", seconds(browser.parsed_s), "DOMContentLoaded"),
        ("Loaded", seconds(browser.loaded_s), "the load event"),
        ("Pictures", f"{frames}" if frames else "-", "of the window as the page appeared"),
    ]


def _bulk(metrics: Metrics, *, since: str = "connect") -> list[tuple[str, str, str]]:
    return [
        ("Goodput", rate(metrics.goodput_bps), "payload per second"),
        ("Completion", seconds(metrics.completion_s), f"from {since} to the last byte"),
        (
            "Utilisation",
            percent(_hundredfold(metrics.utilisation)),
            "of the capacity in the data's direction",
        ),
        ("Mean RTT", seconds(metrics.rtt_mean_s), "as the sender saw it"),
        *_traffic(metrics),
        *_emulator(metrics),
    ]


def _flows(metrics: Metrics) -> list[tuple[str, str, str]]:
    index = metrics.jain_index
    meaning = "fairness while all flows ran: 1 when they got the same"
    return [
        ("Jain's index", "-" if index is None else f"{index:.3f}", meaning),
        *_bulk(metrics, since="the start"),
    ]


def _print_flows(flows: Sequence[FlowRecord]) -> None:
    """Print what each flow got; how long 99 % of its round trips took at most where a queue marks packets."""
    is_marked = any(flow.rtt_under_load is not None for flow in flows)
    p99 = ("P99 RTT",) if is_marked else ()
    rows: list[tuple[str, ...]] = [
        ("FLOW", "START", "GOODPUT", "SHARE", "RECEIVED", "MEAN RTT", *p99, "RETRANSMITTED")
    ]
    for flow in flows:
        under_load = flow.rtt_under_load
        p99 = (seconds(None if under_load is None else under_load.p99_s),) if is_marked else ()
        rows.append(
            (
                f"{flow.cc} over {flow.transport}",
                f"{flow.start_s:g} s",
                rate(flow.goodput_bps),
                percent(_hundredfold(flow.share)),
                size(flow.bytes),
                seconds(flow.rtt_mean_s),
                *p99,
                f"{flow.retransmitted_packets}",
            )
        )
    echo()
    print_columns(rows)


def _print_queues(queues: Sequence[QueueRecord]) -> None:
    """Print what the classes of queues that mark packets did."""
    rows = [("QUEUE", "PACKETS", "MARKED", "DROPPED", "MEDIAN WAIT", "P99 WAIT")]
    for queue in queues:
        rows.append(
            (
                f"{queue.class_} {queue.direction}",
                f"{queue.packets}",
                f"{queue.marked_packets}",
                f"{queue.dropped_packets}",
                seconds(queue.wait_p50_s),
                seconds(queue.wait_p99_s),
            )
        )
    echo()
    print_columns(rows)


def _print_path(path: Table) -> None:
    """Print what the path was like, where it changed."""
    from bentpipe.cli.path import summary_lines
    from bentpipe.stats import path_summary

    found = path_summary(_columns(path))
    if found is not None:
        for place, line in enumerate(summary_lines(found)):
            echo(f"  {'' if place else 'path:':<5} {line}")


def _ping(metrics: Metrics) -> list[tuple[str, str, str]]:
    return [
        ("Mean RTT", seconds(metrics.rtt_mean_s), ""),
        ("Standard deviation", seconds(metrics.rtt_sd_s), ""),
        ("Least RTT", seconds(metrics.rtt_min_s), ""),
        ("Greatest RTT", seconds(metrics.rtt_max_s), ""),
        ("Lost", percent(_hundredfold(metrics.ping_loss_fraction)), "requests without an answer"),
        *_emulator(metrics),
    ]


_ROWS: Mapping[str, Callable[[Metrics], list[tuple[str, str, str]]]] = {
    "page-load": _page_load,
    "bulk": _bulk,
    "flows": _flows,
    "iperf3": partial(_bulk, since="the beginning of the test"),
    "ping": _ping,
}


def _losses(rtts_s: Sequence[float | None]) -> list[tuple[str, str, str]]:
    if None not in rtts_s:
        return []
    # It imports NumPy, which a link without losses does not need.
    from bentpipe.stats import loss_runs

    runs = loss_runs([rtts_s])
    kinds = f"runs of lost requests, {runs.single} of them of one request"
    return [
        ("Loss events", f"{runs.events}", kinds),
        ("Longest", f"{runs.longest}", "requests lost in a row"),
    ]


def _satellite(link: LinkSpec, tables: Mapping[str, Table]) -> list[tuple[str, str, str]]:
    """What frames and slots of a satellite link did, where the run has their series."""
    from bentpipe.scenario.link.description import modcods
    from bentpipe.stats import carrier_use, slot_use

    rows = []
    if "acm" in tables:
        assert isinstance(link.forward.capacity, Dvbs2CapacitySpec)
        use = carrier_use(tables["acm"], modcods(link.forward.capacity))
        lost = f"{use.frames}, {use.frames_lost} lost"
        efficiency = "-" if use.spectral_efficiency is None else f"{use.spectral_efficiency:.3f} bit/symbol"
        rows += [
            ("Forward frames", lost, "during the workload"),
            ("Efficiency", efficiency, "of the data fields of these frames"),
        ]
    if "dama" in tables:
        slots = slot_use(tables["dama"])
        rows += [
            ("Slots granted", percent(_hundredfold(slots.granted_share)), "of all slots of the return link"),
            ("Slots used", percent(_hundredfold(slots.used_share)), "of the slots granted"),
        ]
    return rows


def _columns(table: Table) -> "dict[str, NDArray[np.float64]]":
    """The columns of a series, each of shape (rows,); what is missing is NaN."""
    import numpy as np

    return {name: np.asarray(values, dtype=np.float64) for name, values in table.items()}


def _traffic(metrics: Metrics) -> list[tuple[str, str, str]]:
    retransmitted = metrics.retransmitted_packets
    return [
        ("Sent down", size(metrics.wire_bytes_down), "IP bytes from the server into the link"),
        ("Sent up", size(metrics.wire_bytes_up), "IP bytes from the client into the link"),
        ("Overhead", percent(metrics.overhead_percent), "of both directions above the payload"),
        ("Retransmitted", "-" if retransmitted is None else f"{retransmitted}", "packets"),
    ]


def _emulator(metrics: Metrics) -> list[tuple[str, str, str]]:
    late = seconds(metrics.lateness_p999_s)
    return [("Emulator lateness", late, "99.9 % of packets were released at most this late")]


def _hundredfold(fraction: float | None) -> float | None:
    return None if fraction is None else 100 * fraction
