"""What a browser saw of a page load, whichever browser it was. Instants are of CLOCK_MONOTONIC."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bentpipe.engine.programs.server.sockets import Sample
from bentpipe.model import report
from bentpipe.model.reason import Reason
from bentpipe.model.record import ConnectionReport


@dataclass(frozen=True, kw_only=True)
class ObjectSighting:
    """One resource.

    Attributes
    ----------
    url : str
        Absolute, without a fragment.
    protocol : str
        What brought it, as `PerformanceResourceTiming.nextHopProtocol` names it: `http/1.1`, `h2`, `h3`;
        empty when nothing did.
    connection : int
        Index into the connections of the load.
    discovered_ns : int
        When the browser knew of it; of the document, when the navigation started.
    requested_ns : int
        When the request was handed to the connection.
    first_byte_ns, last_byte_ns : int
        When the response's header and the last byte of its body had arrived.
    status : int
        Of HTTP.
    body_bytes : int
        Of the body, decoded.
    request_header_bytes, response_header_bytes : int
        Of the header fields as text: name, value, colon, blank and CRLF.
    """

    url: str
    protocol: str
    connection: int
    discovered_ns: int
    requested_ns: int
    first_byte_ns: int
    last_byte_ns: int
    status: int
    body_bytes: int
    request_header_bytes: int
    response_header_bytes: int

    def report(self) -> report.ObjectSighting:
        """Return it as the record's maker takes it."""
        return report.ObjectSighting(
            url=self.url,
            bytes=self.body_bytes,
            connection=self.connection,
            discovered=self.discovered_ns,
            requested=self.requested_ns,
            first_byte=self.first_byte_ns,
            last_byte=self.last_byte_ns,
            status=self.status,
            response_header_bytes=self.response_header_bytes,
            request_header_bytes=self.request_header_bytes,
        )


@dataclass(frozen=True, kw_only=True)
class ConnectionSighting:
    """One connection that carried a resource; of others a browser says nothing.

    Attributes
    ----------
    transport : str
        `tcp` or `quic`.
    protocol : str
        As an object's.
    client_port : int
        Where it comes from; 0 where the browser does not tell.
    started_ns : int
        When the first packet was sent.
    connected_ns, secured_ns : int or None
        When TCP and TLS were established; QUIC's handshake is the former.
    kernel : Sample or None
        TCP as the kernel had it when the load was over.
    """

    transport: str
    protocol: str
    started_ns: int
    connected_ns: int | None
    secured_ns: int | None
    client_port: int = 0
    kernel: Sample | None = None

    def report(self) -> ConnectionReport:
        """Return it as the record's maker takes it; of QUIC the kernel knows nothing."""
        tcp = self.kernel
        return ConnectionReport(
            transport=self.transport,
            protocol=self.protocol,
            client_port=self.client_port,
            started_ns=self.started_ns,
            connected_ns=self.connected_ns,
            secured_ns=self.secured_ns,
            congestion_control="" if tcp is None else tcp.congestion_control,
            retransmitted_packets=None if tcp is None else tcp.retransmitted_packets,
            srtt_ns=None if tcp is None else _ns(tcp.srtt_s),
            min_rtt_ns=None if tcp is None else _ns(tcp.min_rtt_s),
        )


@dataclass(frozen=True, kw_only=True)
class FrameSighting:
    """One picture of the window.

    Attributes
    ----------
    at_ns : int
        When it was shown.
    file : str
        Its name among the run's artifacts.
    completeness : float
        How much of what the last picture shows it shows already, from 0 to 1.
    """

    at_ns: int
    file: str
    completeness: float

    def report(self) -> report.FrameSighting:
        """Return it as the record's maker takes it."""
        return report.FrameSighting(at_ns=self.at_ns, file=self.file, completeness=self.completeness)


@dataclass(frozen=True, kw_only=True)
class Sighting:
    """One load.

    Attributes
    ----------
    version : str
        Name and version as the browser gives them, such as `Chromium 156.0.8078.79`.
    started_ns : int
        When the navigation started.
    objects : sequence of ObjectSighting
        In order of completion, the document first.
    connections : sequence of ConnectionSighting
        In order of their beginnings.
    parsed_ns, loaded_ns : int or None
        DOMContentLoaded and the load event.
    first_contentful_paint_ns, largest_contentful_paint_ns : int or None
        As the W3C's Paint Timing and Largest Contentful Paint define them.
    frames : sequence of FrameSighting
        In order of time; empty where no pictures were asked for.
    faults, doubts : sequence of Reason
        Why there is no number, and why it cannot be trusted.
    """

    version: str
    started_ns: int
    objects: Sequence[ObjectSighting] = ()
    connections: Sequence[ConnectionSighting] = ()
    parsed_ns: int | None = None
    loaded_ns: int | None = None
    first_contentful_paint_ns: int | None = None
    largest_contentful_paint_ns: int | None = None
    frames: Sequence[FrameSighting] = ()
    faults: Sequence[Reason] = ()
    doubts: Sequence[Reason] = ()

    def report(self) -> report.ClientReport:
        """Return it as the record's maker takes it."""
        return report.ClientReport(
            started=self.started_ns,
            objects=[one.report() for one in self.objects],
            connections=[one.report() for one in self.connections],
            transfers=[],
            browser=report.BrowserReport(
                version=self.version,
                parsed_ns=self.parsed_ns,
                loaded_ns=self.loaded_ns,
                first_contentful_paint_ns=self.first_contentful_paint_ns,
                largest_contentful_paint_ns=self.largest_contentful_paint_ns,
                frames=[one.report() for one in self.frames],
            ),
            sender={},
            faults=self.faults,
            doubts=self.doubts,
            tls_secrets=[],
        )


def header_bytes(fields: Mapping[str, str]) -> int:
    """Return the length of header fields as text (RFC 9112 section 5): `name: value` CRLF."""
    return sum(len(name) + len(value) + 4 for name, value in fields.items())


def _ns(duration_s: float | None) -> int | None:
    return None if duration_s is None else round(duration_s * 1e9)
