"""One load of the study's page: what claims, tables and figures take from its record, which is read once."""

from dataclasses import dataclass

from bentpipe.model.record import ConnectionReport, RunRecord
from bentpipe.studies.caviglione2014.published import REQUESTS_PER_CONNECTION
from bentpipe.studies.loads import content_bytes
from bentpipe.studies.study import Run

_NS = 1e-9


@dataclass(frozen=True, kw_only=True)
class Load:
    """What a load came to; None is what it did not have.

    Attributes
    ----------
    time_s : float or None
        From the first GET to the end of the last object (section 4).
    first_connection_s : float or None
        From the first packet of the document's connection to its end, or to that of the load.
    data_down_bytes, data_up_bytes : float or None
        What TCP carried to the client and from it.
    wire_bytes : int
        All IP bytes, both directions.
    connections, late_connections : int
        How many were opened, and how many of them after one had had as many requests as it takes.
    late_objects : int
        How many objects came over the latter.
    """

    time_s: float | None
    first_connection_s: float | None
    data_down_bytes: float | None
    data_up_bytes: float | None
    wire_bytes: int
    connections: int
    late_connections: int
    late_objects: int


def load(run: Run) -> Load:
    """Return what a load came to."""
    return run.derived(_load)


def _load(run: Run) -> Load:
    record = run.record
    objects, opened = record.objects, record.client_connections
    first = _before_any_is_full(record)
    return Load(
        time_s=(
            max(each.last_byte_s for each in objects) - min(each.request_s for each in objects)
            if objects
            else None
        ),
        first_connection_s=_first_connection_s(record),
        data_down_bytes=content_bytes(record, direction="down"),
        data_up_bytes=content_bytes(record, direction="up"),
        wire_bytes=record.metrics.wire_bytes_down + record.metrics.wire_bytes_up,
        connections=len(opened),
        late_connections=len(opened) - len(first),
        late_objects=sum(each.connection not in first for each in objects),
    )


def _first_connection_s(record: RunRecord) -> float | None:
    if not record.objects:
        return None
    document = min(record.objects, key=lambda each: each.request_s)
    opened = record.client_connections[document.connection]
    return _closed_s(opened, document.last_byte_s) - opened.started_ns * _NS


def _closed_s(connection: ConnectionReport, otherwise_s: float) -> float:
    return otherwise_s if connection.closed_ns is None else connection.closed_ns * _NS


def _before_any_is_full(record: RunRecord) -> set[int]:
    """The connections that were opened before the last request of any that took as many as it may."""
    requests: dict[int, list[float]] = {}
    for each in record.objects:
        requests.setdefault(each.connection, []).append(each.request_s)
    full_s = [max(times) for times in requests.values() if len(times) >= REQUESTS_PER_CONNECTION]
    opened = record.client_connections
    if not full_s:
        return set(range(len(opened)))
    return {place for place, each in enumerate(opened) if each.started_ns * _NS <= min(full_s)}
