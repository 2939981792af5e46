"""What Chromium says of its requests (CDP, domain Network), as sightings.

Its instants are seconds of CLOCK_MONOTONIC, as base::TimeTicks are on Linux.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from bentpipe.engine.programs.browser.remote import Event, Json
from bentpipe.engine.programs.browser.sighting import ConnectionSighting, ObjectSighting, header_bytes
from bentpipe.engine.programs.server.sockets import Sample
from bentpipe.model.reason import Reason, ResourceFailedReason

_QUIC = "h3"
_KEPT_BACK = "inspector"
"""By Network.setBlockedURLs."""

_NONE = -1
"""Of an instant of `ResourceTiming`: it did not happen."""


@dataclass(kw_only=True)
class Request:
    """One request, as far as it has come."""

    url: str
    discovered_s: float
    response: Json | None = None
    request_fields: Mapping[str, str] = field(default_factory=dict)
    response_fields: Mapping[str, str] = field(default_factory=dict)
    body_bytes: int = 0
    ended_s: float | None = None
    failure: str | None = None

    @property
    def timing(self) -> Mapping[str, float] | None:
        """When it did what; None of one that used no connection."""
        return None if self.response is None else self.response.get("timing")

    @property
    def has_ended(self) -> bool:
        """Whether nothing more will come of it."""
        return self.ended_s is not None or self.failure is not None


class Requests:
    """The requests of a tab, by its events."""

    def __init__(self) -> None:
        self._requests: dict[str, Request] = {}
        self._fields: dict[str, dict[str, Mapping[str, str]]] = {}

    @property
    def all(self) -> list[Request]:
        """Every one so far, in order of their beginnings; those for `data:` and the like excepted."""
        return [one for one in self._requests.values() if one.url.startswith("http")]

    def take(self, event: Event) -> None:
        """Take note of an event; of other domains than Network it is none."""
        params = event.params
        match event.method:
            case "Network.requestWillBeSent":
                url = params["request"]["url"].partition("#")[0]
                self._requests[params["requestId"]] = Request(url=url, discovered_s=params["timestamp"])
            case "Network.requestWillBeSentExtraInfo":
                self._fields.setdefault(params["requestId"], {})["request"] = params["headers"]
            case "Network.responseReceivedExtraInfo":
                self._fields.setdefault(params["requestId"], {})["response"] = params["headers"]
            case "Network.responseReceived":
                if (request := self._requests.get(params["requestId"])) is not None:
                    request.response = params["response"]
            case "Network.dataReceived":
                if (request := self._requests.get(params["requestId"])) is not None:
                    request.body_bytes += params["dataLength"]
            case "Network.loadingFinished":
                if (request := self._requests.get(params["requestId"])) is not None:
                    request.ended_s = params["timestamp"]
            case "Network.loadingFailed" if params.get("blockedReason") == _KEPT_BACK:
                # It was never sent.
                self._requests.pop(params["requestId"], None)
            case "Network.loadingFailed":
                if (request := self._requests.get(params["requestId"])) is not None:
                    request.failure = params["errorText"]

    def finished(self) -> list[Request]:
        """Return those that came, in order of completion, with their header fields."""
        for number, fields in self._fields.items():
            if (request := self._requests.get(number)) is not None:
                request.request_fields = fields.get("request", {})
                request.response_fields = fields.get("response", {})
        came = [one for one in self.all if one.ended_s is not None and one.timing is not None]
        return sorted(came, key=lambda one: one.ended_s or 0.0)


def sightings(
    requests: Sequence[Request],
    *,
    ports: Mapping[int, int],
    samples: Mapping[int, Sample],
    started_ns: int,
) -> tuple[list[ObjectSighting], list[ConnectionSighting]]:
    """Return the objects and connections of some requests.

    Parameters
    ----------
    requests
        Those that came, in order of completion; the first to start is the document's.
    ports
        Of the connections, by their numbers.
    samples
        What the kernel says of them, by their ports.
    started_ns
        When the navigation started.
    """
    used: dict[int, list[Request]] = {}
    for request in requests:
        used.setdefault(_number(request), []).append(request)
    connections = {
        number: _connection(group, port=ports.get(number, 0), sample=samples.get(ports.get(number, 0)))
        for number, group in used.items()
    }
    order = sorted(connections, key=lambda number: connections[number].started_ns)
    document = min(requests, key=lambda one: one.discovered_s, default=None)
    objects = [
        _object(
            one,
            connection=order.index(_number(one)),
            discovered_ns=started_ns if one is document else _ns(one.discovered_s),
        )
        for one in sorted(requests, key=lambda one: one is not document)
    ]
    return objects, [connections[number] for number in order]


def failures(requests: Iterable[Request]) -> list[Reason]:
    """Return why some did not come."""
    return [
        ResourceFailedReason(url=one.url, error=one.failure) for one in requests if one.failure is not None
    ]


def _number(request: Request) -> int:
    assert request.response is not None
    return int(request.response["connectionId"])


def _object(request: Request, *, connection: int, discovered_ns: int) -> ObjectSighting:
    response, timing = request.response, request.timing
    assert response is not None and timing is not None and request.ended_s is not None
    return ObjectSighting(
        url=request.url,
        protocol=response.get("protocol", ""),
        connection=connection,
        discovered_ns=discovered_ns,
        requested_ns=_instant_ns(timing, "sendStart"),
        first_byte_ns=_instant_ns(timing, "receiveHeadersEnd"),
        last_byte_ns=_ns(request.ended_s),
        status=response["status"],
        body_bytes=request.body_bytes,
        request_header_bytes=header_bytes(request.request_fields),
        response_header_bytes=header_bytes(request.response_fields or response["headers"]),
    )


def _connection(requests: Sequence[Request], *, port: int, sample: Sample | None) -> ConnectionSighting:
    response = requests[0].response
    assert response is not None
    # The one for which it was opened tells when; all others found it.
    timings = [one.timing for one in requests if one.timing is not None]
    opened = next((timing for timing in timings if timing["connectStart"] != _NONE), None)
    protocol: str = response.get("protocol", "")
    is_quic = protocol == _QUIC
    connected_ns = secured_ns = None
    started_ns = min(_instant_ns(timing, "sendStart") for timing in timings)
    if opened is not None:
        started_ns = _instant_ns(opened, "connectStart")
        is_tls = opened["sslStart"] != _NONE and not is_quic
        connected_ns = _instant_ns(opened, "sslStart" if is_tls else "connectEnd")
        secured_ns = _instant_ns(opened, "sslEnd") if is_tls else None
    return ConnectionSighting(
        transport="quic" if is_quic else "tcp",
        protocol=protocol,
        client_port=port,
        started_ns=started_ns,
        connected_ns=connected_ns,
        secured_ns=secured_ns,
        kernel=None if is_quic else sample,
    )


def _instant_ns(timing: Mapping[str, float], name: str) -> int:
    return _ns(timing["requestTime"] + timing[name] / 1e3)


def _ns(instant_s: float) -> int:
    return round(instant_s * 1e9)
