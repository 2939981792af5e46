"""The time series of a record with the units of columns; a test compares them with simulated runs."""

from collections.abc import Mapping
from dataclasses import dataclass

from bentpipe.stats.units import unit_of
from tools.book.markdown import table

INTRODUCTION = """# Series of a run

Rows are 100 ms apart unless the text says otherwise. `time_s` counts from the start of the workload. A
value that does not exist, such as the round trip of a lost ping, is NaN, in JSON null. In a folder of
results series are Parquet files with the columns `run_id` and `attempt` besides;
`bentpipe export DIR --format parquet` writes them with units in the schema.
"""


@dataclass(frozen=True)
class Series:
    """A series: when a record has it, and the meaning of its columns."""

    of: str
    columns: Mapping[str, str]


TIME = {"time_s": "End of the row."}
SERIES = {
    "link": Series(
        "every run",
        TIME
        | {
            f"{direction}_{column}": meaning
            for direction in ("forward", "return")
            for column, meaning in {
                "sent_bytes": "IP bytes that entered the link.",
                "delivered_bytes": "IP bytes that the link delivered.",
                "queue_bytes": "Bytes queued at the end of the row.",
                "drops": "Packets lost on the link.",
            }.items()
        },
    ),
    "sender": Series(
        "flows and page loads",
        TIME
        | {
            "client_port": "The connection.",
            "cwnd_bytes": "Congestion window.",
            "in_flight_bytes": "Unacknowledged bytes in flight.",
            "srtt_s": "Smoothed RTT.",
            "delivery_rate_bps": "Delivery rate estimate.",
            "retransmitted_packets": "Segments retransmitted; of QUIC, packets declared lost.",
            "rwnd_limited_s": "Time for which the peer's window alone held data so far; not of QUIC.",
            "sndbuf_limited_s": "Time for which a full send buffer had nothing left to send; not of QUIC.",
        },
    ),
    "progress": Series(
        "flows", TIME | {"client_port": "The flow.", "received_bytes": "Payload received in the row."}
    ),
    "ping": Series(
        "pings, a row for each", {"sequence": "Number of the request.", "rtt_s": "Its round trip."}
    ),
    "path": Series(
        "links that change over time",
        TIME
        | {
            "handovers": "Handovers in the row.",
            "elevation_deg": "Elevation of the serving satellite, if known.",
            **{
                f"{direction}_{column}": meaning
                for direction in ("forward", "return")
                for column, meaning in {
                    "capacity_bps": "Mean capacity, zero in a silence.",
                    "delay_s": "One-way delay at the end of the row.",
                    "silence_s": "Time without transmission.",
                    "outage_s": "Time in which everything sent is lost.",
                }.items()
            },
        },
    ),
    "acm": Series(
        "DVB-S2 forward links",
        TIME
        | {
            "es_n0_db": "Es/N0 at the receiver.",
            "reported_es_n0_db": "Es/N0 that the gateway goes by.",
            "modcod": "MODCOD of packets without a class, 1 to 28.",
            "threshold_db": "Es/N0 that this MODCOD needs.",
            "frames": "Frames sent.",
            "frames_lost": "Frames lost.",
            "dummy_frames": "Dummy PLFRAMEs sent.",
            "fill": "Share of the frames' data fields that packets filled.",
        },
    ),
    "dama": Series(
        "DVB-RCS2 return links, a row for each superframe",
        {
            "time_s": "Start of the superframe.",
            "capacity_slots": "Traffic timeslots of the superframe.",
            "allocated_slots": "Assigned to all terminals.",
            "requested_rate_slots": "Requested as rate (RBDC).",
            "requested_volume_slots": "Requested as volume (VBDC, AVBDC).",
            "granted_cra_slots": "Constant rate assignment.",
            "granted_rbdc_slots": "Assigned on rate requests.",
            "granted_volume_slots": "Assigned on volume requests.",
            "granted_free_slots": "Free capacity assignment.",
            "used_slots": "Slots that carried data.",
            "backlog_bytes": "Queued at the terminal.",
            "es_n0_db": "Es/N0 at the hub.",
        },
    ),
    "classes": Series(
        "links with classes of service",
        TIME
        | {
            f"{direction}_CLASS_queue_bytes": "Bytes queued of the class, and of `other`."
            for direction in ("forward", "return")
        },
    ),
    "delays": Series(
        "satellite carriers; means of the packets that arrived in the row",
        TIME
        | {
            "forward_queue_s": "Until the first frame with a part of the packet starts.",
            "forward_framing_s": "From there until the last such frame ends.",
            "forward_propagation_s": "Propagation.",
            "return_queue_s": "Until the packet is the first of its class.",
            "return_request_s": "From there until the superframe of its first burst starts.",
            "return_slot_s": "From there until that burst.",
            "return_burst_s": "From there until its last burst ends.",
            "return_propagation_s": "Propagation.",
        },
    ),
}


def page() -> str:
    """Return the page: each series with its columns."""
    return "\n".join([INTRODUCTION, *(_section(name, series) for name, series in SERIES.items())])


def _section(name: str, series: Series) -> str:
    rows = [[f"`{column}`", unit_of(column) or "", text] for column, text in series.columns.items()]
    return f"## `{name}`\n\nOf {series.of}.\n\n{table(['Column', 'Unit', 'Meaning'], rows)}"
