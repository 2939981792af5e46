"""The object of a page that took the longest, and what it waited for."""

from dataclasses import dataclass
from enum import Enum
from urllib.parse import urlsplit

from bentpipe.addresses import path_of
from bentpipe.model.page import Http, ObjectSpec, PageLoadWorkload, PageSpec
from bentpipe.model.record import ConnectionReport, ObjectTiming, RunRecord

_NS = 1e-9
_NOTICEABLE_S = 0.05
"""A wait below is none."""
_ROUND_TRIPS = 1.5
"""A first byte after more of them than these had to wait at the server or to be retransmitted."""


class Wait(Enum):
    """Why an object was not requested, or did not come, at once."""

    NAME = "the address of its host was asked for"
    CONNECTION = "its connection had to be set up"
    BUSY = "its connection was busy with the object before it"
    CLIENT = "the client held the request back"
    ROUND_TRIP = "the round trip of its request"
    FIRST_BYTE = "others went first on its connection, or a packet was retransmitted"
    TRANSFER = "its bytes came slowly, beside those of others"


@dataclass(frozen=True, kw_only=True)
class Delay:
    """A part of an object's time, and what it was spent on."""

    wait: Wait
    time_s: float


@dataclass(frozen=True, kw_only=True)
class LongestObject:
    """The object with the longest time from being known to being complete.

    Attributes
    ----------
    path, bytes
        Of the object.
    known_s, complete_s : float
        Instants from the start of the workload, in s.
    named_by : str
        The path of what names it; empty of the document and of what that names.
    client_port : int or None
        Of its connection, as captures have it.
    delays : tuple of Delay
        Where its time went, the longest first.
    """

    path: str
    bytes: int
    known_s: float
    complete_s: float
    named_by: str
    client_port: int | None
    delays: tuple[Delay, ...]


def longest_object(record: RunRecord) -> LongestObject | None:
    """Return the object that took the longest; None where none was loaded."""
    workload = record.spec.workload
    if not isinstance(workload, PageLoadWorkload) or not record.objects:
        return None
    timing = max(record.objects, key=lambda one: one.last_byte_s - one.discovered_s)
    connections = record.client_connections
    connection = connections[timing.connection] if timing.connection < len(connections) else None
    path = path_of(timing.url)
    return LongestObject(
        path=path,
        bytes=timing.bytes,
        known_s=timing.discovered_s,
        complete_s=timing.last_byte_s,
        named_by=_named_by(timing, workload.page),
        client_port=None if connection is None else connection.client_port,
        delays=_delays(timing, record, connection, workload.http),
    )


def _delays(
    timing: ObjectTiming, record: RunRecord, connection: ConnectionReport | None, http: Http
) -> tuple[Delay, ...]:
    before_request_s = timing.request_s - timing.discovered_s
    ready_s = _ready_s(connection)
    connecting_s = min(max(ready_s - timing.discovered_s, 0.0), before_request_s)
    named_s = min(_named_after_s(connection, timing.discovered_s), connecting_s)
    held = Wait.BUSY if _is_one_by_one(http) else Wait.CLIENT
    rtt_s = record.metrics.rtt_min_s or 0.0
    first_byte_s = timing.first_byte_s - timing.request_s
    late_s = first_byte_s - rtt_s if first_byte_s > _ROUND_TRIPS * rtt_s else 0.0
    parts = (
        Delay(wait=Wait.NAME, time_s=named_s),
        Delay(wait=Wait.CONNECTION, time_s=connecting_s - named_s),
        Delay(wait=held, time_s=before_request_s - connecting_s),
        Delay(wait=Wait.ROUND_TRIP, time_s=first_byte_s - late_s),
        Delay(wait=Wait.FIRST_BYTE, time_s=late_s),
        Delay(wait=Wait.TRANSFER, time_s=timing.last_byte_s - timing.first_byte_s),
    )
    noticeable = (part for part in parts if part.time_s >= _NOTICEABLE_S)
    return tuple(sorted(noticeable, key=lambda part: -part.time_s))


def _ready_s(connection: ConnectionReport | None) -> float:
    """Return when a connection could carry requests; 0 where nobody knows."""
    if connection is None:
        return 0.0
    ready_ns = connection.secured_ns if connection.secured_ns is not None else connection.connected_ns
    return (ready_ns or 0) * _NS


def _named_after_s(connection: ConnectionReport | None, known_s: float) -> float:
    """Return how long the address of its host was still asked for after an object was known."""
    if connection is None or connection.name_lookup_ns is None:
        return 0.0
    started_s = connection.started_ns * _NS
    return max(started_s - max(known_s, started_s - connection.name_lookup_ns * _NS), 0.0)


def _is_one_by_one(http: Http) -> bool:
    return http in (Http.H1, Http.H1S, Http.HTTP10, Http.HTTP10S)


def _named_by(timing: ObjectTiming, page: PageSpec) -> str:
    """Return the path of the style sheet or script that names an object."""
    found = next((item for item in page.objects if _is_of(timing, item, page)), None)
    return "" if found is None or found.after is None else page.objects[found.after].path


def _is_of(timing: ObjectTiming, item: ObjectSpec, page: PageSpec) -> bool:
    host = item.host or page.host
    return path_of(timing.url) == item.path and (host is None or urlsplit(timing.url).hostname == host)
