"""What Firefox says of its requests (firefox_watch.js), as sightings."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from bentpipe.engine.programs.browser.remote import Json
from bentpipe.engine.programs.browser.sighting import (
    ConnectionSighting,
    FrameSighting,
    ObjectSighting,
    Sighting,
)
from bentpipe.engine.programs.server.sockets import Sample
from bentpipe.model.reason import Reason, ResourceFailedReason

Entry = Json
"""One request that has ended, as firefox_watch.js tells it."""

_Key = tuple[str, int, str]
"""What tells a connection from others: the server's address, the client's port, the protocol."""


@dataclass(frozen=True, kw_only=True)
class Requests:
    """The requests of a load.

    Attributes
    ----------
    objects : sequence of ObjectSighting
        What came, in order of completion, the document first.
    connections : sequence of ConnectionSighting
        What they came by, in order of their beginnings.
    failures : sequence of Reason
        What did not come.
    """

    objects: Sequence[ObjectSighting]
    connections: Sequence[ConnectionSighting]
    failures: Sequence[Reason]


def requests(
    entries: Sequence[Entry], *, epoch_ns: int, samples: Mapping[int, Sample] | None = None
) -> Requests:
    """Return what some entries say.

    Parameters
    ----------
    entries
        Of one load; the first to start is the document's.
    epoch_ns
        The beginning of the year 1970 by CLOCK_MONOTONIC, before 0.
    samples
        TCP connections of the client's namespace as its kernel has them, by their ports there.
    """
    arrived = [entry for entry in entries if _has_arrived(entry)]
    document = min(arrived, key=lambda one: one["opened_us"], default=None)
    arrived.sort(key=lambda one: (one is not document, one["last_byte_us"]))
    carried: dict[_Key, list[Entry]] = {}
    for entry in arrived:
        carried.setdefault(_key(entry), []).append(entry)
    starts = {key: _start_us(group) for key, group in carried.items()}
    keys = sorted(carried, key=starts.__getitem__)
    return Requests(
        objects=[_object(entry, connection=keys.index(_key(entry)), epoch_ns=epoch_ns) for entry in arrived],
        connections=[_connection(carried[key], epoch_ns=epoch_ns, samples=samples or {}) for key in keys],
        failures=[_failure(entry) for entry in entries if not _has_arrived(entry)],
    )


def sighting(
    requests: Requests,
    seen: Json,
    *,
    version: str,
    started_ns: int,
    epoch_ns: int,
    frames: Sequence[FrameSighting],
) -> Sighting:
    """Return what was seen of a load.

    Parameters
    ----------
    requests
        What came over the network.
    seen
        What the page's clock saw (measure.js); empty when it was never asked.
    version
        Of Firefox.
    started_ns
        When it was told to start.
    epoch_ns
        As of `requests`.
    frames
        Pictures taken meanwhile.
    """
    origin_ms = seen.get("time_origin_ms")
    navigated_ns = started_ns if origin_ms is None else _ns(origin_ms * 1000, epoch_ns)
    document, others = requests.objects[:1], requests.objects[1:]

    def instant_ns(name: str) -> int | None:
        offset_ms = seen.get(name)
        return None if offset_ms is None else navigated_ns + round(offset_ms * 1e6)

    return Sighting(
        version=version,
        started_ns=navigated_ns,
        # The document was known of when the navigation started.
        objects=[*(replace(one, discovered_ns=navigated_ns) for one in document), *others],
        connections=requests.connections,
        parsed_ns=instant_ns("parsed_ms"),
        loaded_ns=instant_ns("loaded_ms"),
        first_contentful_paint_ns=instant_ns("first_contentful_paint_ms"),
        largest_contentful_paint_ns=instant_ns("largest_contentful_paint_ms"),
        frames=frames,
        doubts=requests.failures,
    )


def _has_arrived(entry: Entry) -> bool:
    return bool(entry["error"] == 0 and entry["last_byte_us"] > 0)


def _key(entry: Entry) -> _Key:
    return entry["server_address"], entry["client_port"], entry["protocol"]


def _opener(entries: Sequence[Entry]) -> Entry | None:
    """Return the request for which a connection was opened.

    One that took a connection which another had ordered has no times for it, or some of them.
    """
    complete = [one for one in entries if one["connect_started_us"] and one["connect_ended_us"]]
    return min(complete, key=lambda one: one["connect_started_us"], default=None)


def _start_us(entries: Sequence[Entry]) -> int:
    opener = _opener(entries)
    start_us: int = (
        min(one["requested_us"] for one in entries) if opener is None else opener["connect_started_us"]
    )
    return start_us


def _object(entry: Entry, *, connection: int, epoch_ns: int) -> ObjectSighting:
    return ObjectSighting(
        url=entry["url"],
        protocol=entry["protocol"],
        connection=connection,
        discovered_ns=_ns(entry["opened_us"], epoch_ns),
        requested_ns=_ns(entry["requested_us"], epoch_ns),
        first_byte_ns=_ns(entry["first_byte_us"], epoch_ns),
        last_byte_ns=_ns(entry["last_byte_us"], epoch_ns),
        status=entry["status"],
        body_bytes=entry["body_bytes"],
        request_header_bytes=entry["request_header_bytes"],
        response_header_bytes=entry["response_header_bytes"],
    )


def _connection(
    entries: Sequence[Entry], *, epoch_ns: int, samples: Mapping[int, Sample]
) -> ConnectionSighting:
    entry, opener = entries[0], _opener(entries)
    is_quic = entry["protocol"] == "h3"
    is_tls = entry["url"].startswith("https:")

    def instant_ns(name: str) -> int | None:
        return _ns(opener[name], epoch_ns) if opener is not None and opener[name] else None

    return ConnectionSighting(
        transport="quic" if is_quic else "tcp",
        protocol=entry["protocol"],
        client_port=entry["client_port"],
        kernel=None if is_quic else samples.get(entry["client_port"]),
        started_ns=_ns(_start_us(entries), epoch_ns),
        connected_ns=instant_ns("connect_ended_us" if is_quic else "tcp_connected_us"),
        secured_ns=instant_ns("connect_ended_us") if is_tls and not is_quic else None,
    )


def _failure(entry: Entry) -> Reason:
    # An nsresult (xpcom/base/ErrorList.py).
    return ResourceFailedReason(url=entry["url"], error=f"error {entry['error']:#x}")


def _ns(instant_us: float, epoch_ns: int) -> int:
    return round(instant_us) * 1000 + epoch_ns
