"""All that is known of one run, put together."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bentpipe.diagnosis.losses import Losses, losses
from bentpipe.diagnosis.path_facts import path_facts
from bentpipe.diagnosis.time_spent import Share, end_of, mean_rate_bps, rate_bps, shares
from bentpipe.diagnosis.waits import LongestObject, longest_object
from bentpipe.ledger import Entry
from bentpipe.model.page import PageLoadWorkload
from bentpipe.model.record import RunRecord, Status
from bentpipe.model.spec import PingWorkload
from bentpipe.reasons import causes, told

Series = Mapping[str, NDArray[np.float64]]

_SERIES = ("link", "sender", "acm", "delays", "path")


@dataclass(frozen=True, kw_only=True)
class Diagnosis:
    """Why a run was slow, or has no number.

    Attributes
    ----------
    status : str
        How it ended.
    reasons : tuple of str
        Why it did not succeed, each with how far it had come and what helps.
    time_s : float or None
        How long it took, or when it was given up.
    ideal_s : float or None
        What its payload takes at the link's nominal rate, or at the mean of one that changed, without
        anything else; None where nobody knows it.
    mean_rate_bps : float or None
        That mean over the time that the run took, silences included; None of a rate that did not change.
    shares : tuple of Share
        Where the time went.
    losses : Losses
        What was lost and retransmitted.
    longest : LongestObject or None
        The object of a page that took the longest.
    facts : tuple of str
        What else is to be known of the path and the machine.
    filters : tuple of str
        Display filters of Wireshark and tshark that show what is above.
    """

    status: str
    reasons: tuple[str, ...]
    time_s: float | None
    ideal_s: float | None
    mean_rate_bps: float | None
    shares: tuple[Share, ...]
    losses: Losses
    longest: LongestObject | None
    facts: tuple[str, ...]
    filters: tuple[str, ...]


def diagnose(entry: Entry, read: Callable[[str], Series]) -> Diagnosis:
    """Return the diagnosis of a run.

    Parameters
    ----------
    entry
        Its attempt.
    read
        Returns one of its series by name, each column of shape (rows,); empty where it has none of that name.
    """
    record = entry.record
    series = {name: read(name) for name in _SERIES}
    found, longest = losses(record, series["sender"]), longest_object(record)
    time_s = end_of(record)
    mean_bps = None if time_s is None else mean_rate_bps(record.spec, series["path"], to_s=time_s)
    return Diagnosis(
        status=str(record.status),
        reasons=tuple(told(reason, record) for reason in causes(record.reasons)),
        time_s=time_s,
        ideal_s=_ideal_s(record, rate_bps(record.spec) if mean_bps is None else mean_bps),
        mean_rate_bps=mean_bps,
        shares=shares(record, series),
        losses=found,
        longest=longest,
        facts=path_facts(record, series),
        filters=_filters(record, found, longest),
    )


def _ideal_s(record: RunRecord, rate: float) -> float | None:
    payload_bytes = record.metrics.payload_bytes
    if record.status is not Status.SUCCEEDED or payload_bytes is None:
        return None
    return payload_bytes * 8 / rate if rate else None


def _filters(record: RunRecord, lost: Losses, longest: LongestObject | None) -> tuple[str, ...]:
    """Return display filters, each for one end: tshark takes a packet's copy for a retransmission."""
    is_quic = any(connection.transport == "quic" for connection in record.client_connections)
    protocol = "udp" if is_quic or isinstance(record.spec.workload, PingWorkload) else "tcp"
    found = []
    if lost.retransmitted_packets and not is_quic:
        found.append("frame.interface_id == 1 && tcp.analysis.retransmission")
    if longest is not None and longest.client_port is not None:
        found.append(f"frame.interface_id == 0 && {protocol}.port == {longest.client_port}")
    if not found:
        found.append(f"frame.interface_id == 0 && {protocol}")
    if isinstance(record.spec.workload, PageLoadWorkload):
        names = {"h2": "http2", "h2c": "http2", "h3": "http3", "spdy": "spdy"}
        found.append(f"frame.interface_id == 0 && {names.get(record.spec.workload.http, 'http')}")
    return tuple(found)
