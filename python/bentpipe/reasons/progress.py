"""How far a run had come when its time was over."""

from bentpipe import _core
from bentpipe.model.flow import BulkWorkload, Direction, FlowsWorkload, Iperf3Workload
from bentpipe.model.page import PageLoadWorkload
from bentpipe.model.reason import Reason, TimedOutReason
from bentpipe.model.record import RunRecord
from bentpipe.model.spec import PingWorkload, Workload

_ROUNDED = 3
"""Significant digits of what was sent."""


def progress(reason: Reason, record: RunRecord) -> str:
    """Return what had happened by the end of a run that timed out; empty of others and of pings."""
    if not isinstance(reason, TimedOutReason):
        return ""
    workload = record.spec.workload
    total_bytes = payload_bytes(workload)
    if total_bytes is None or isinstance(workload, PingWorkload):
        return ""
    sent = f"{_size(sent_of(record))} had been sent of {_core.format_size(total_bytes)}"
    if not isinstance(workload, PageLoadWorkload):
        return sent
    loaded = reason.loaded_objects if reason.loaded_objects is not None else len(record.objects)
    # The document is an object of the record, too.
    return f"{loaded} of {len(workload.page.objects) + 1} objects had been loaded, {sent}"


def sent_of(record: RunRecord) -> int:
    """Return the IP bytes that went into the link in the payload's direction; of pings those down."""
    workload, metrics = record.spec.workload, record.metrics
    is_up = not isinstance(workload, PageLoadWorkload | PingWorkload) and workload.direction is Direction.UP
    return metrics.wire_bytes_up if is_up else metrics.wire_bytes_down


def payload_bytes(workload: Workload) -> int | None:
    """Return the payload that a workload has to move at least; None where it is not limited by length."""
    match workload:
        case PageLoadWorkload(page=page):
            return (page.document_bytes or 0) + sum(item.bytes for item in page.objects)
        case FlowsWorkload(bytes=int(each), flows=flows):
            return each * len(flows)
        case BulkWorkload(bytes=int(each)) | Iperf3Workload(bytes=int(each)):
            return each
        case _:
            return None


def _size(number: int) -> str:
    """Write a measured number of bytes, rounded."""
    return _core.format_size(int(float(f"{number:.{_ROUNDED}g}")))
