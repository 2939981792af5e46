"""Why a run failed or is invalid: a code and its fields.

Generated from the JSON schemas of crates/run by tools/generate_model.py (`make model`).
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field
from typing_extensions import TypeAliasType

from bentpipe.model.frozen import Frozen


class EngineFailedReason(Frozen):
    """The engine broke before there were reports."""

    code: Literal["engine-failed"] = "engine-failed"
    error: str
    """What it said."""


class EngineRaisedReason(Frozen):
    """An engine raised what it has no reason for: its defect."""

    code: Literal["engine-raised"] = "engine-raised"
    exception: str
    """The exception's class."""
    error: str
    """Its text."""
    function: str
    """Which function raised it."""
    line: int
    """Line in its file."""


class ProgramFailedReason(Frozen):
    """A server, iperf3 or another program of the run ended before its time."""

    code: Literal["program-failed"] = "program-failed"
    error: str
    """Its name, its exit status and its last words."""


class BrowserFailedReason(Frozen):
    """The browser did not do what it was told."""

    code: Literal["browser-failed"] = "browser-failed"
    browser: str
    """Its name."""
    error: str
    """What the connection to it said."""


class TimedOutReason(Frozen):
    """The workload did not end in its time."""

    code: Literal["timed-out"] = "timed-out"
    timeout_ns: int
    """The time that it had."""
    loaded_objects: int | None = None
    """Objects that had been loaded; none of a workload without objects."""


class VisitTimedOutReason(Frozen):
    """The visit before the load did not end in its time."""

    code: Literal["visit-timed-out"] = "visit-timed-out"
    timeout_ns: int
    """The time that it had."""


class VisitFailedReason(Frozen):
    """The connection of the visit before the load failed."""

    code: Literal["visit-failed"] = "visit-failed"
    error: str
    """Of the socket, TLS or HTTP."""


class PageUnreadableReason(Frozen):
    """The page could not be drawn or read."""

    code: Literal["page-unreadable"] = "page-unreadable"
    error: str
    """Why not."""


class FetchFailedReason(Frozen):
    """An object did not come."""

    code: Literal["fetch-failed"] = "fetch-failed"
    object: str
    """Its path, with the host where that is not the page's own."""
    error: str
    """Of the socket, TLS, QUIC or HTTP."""


class FlowFailedReason(Frozen):
    """A flow broke."""

    code: Literal["flow-failed"] = "flow-failed"
    flow: int
    """Its place, from 0."""
    flows: int
    """The number of flows."""
    error: str
    """Of the socket or QUIC."""


class PingFailedReason(Frozen):
    """The echoes broke."""

    code: Literal["ping-failed"] = "ping-failed"
    error: str
    """Of the socket."""


class OriginFailedReason(Frozen):
    """A service of the origin broke."""

    code: Literal["origin-failed"] = "origin-failed"
    error: str
    """Of the socket."""


class Iperf3IsForeignReason(Frozen):
    """The built-in endpoints were to run iperf3."""

    code: Literal["iperf3-is-foreign"] = "iperf3-is-foreign"


class NothingTransferredReason(Frozen):
    """iperf3 ended without having transferred a byte."""

    code: Literal["nothing-transferred"] = "nothing-transferred"


class ConnectionsUnreadableReason(Frozen):
    """The kernel did not tell of the server's connections."""

    code: Literal["connections-unreadable"] = "connections-unreadable"
    error: str
    """Of `sock_diag`."""


class ServerUnseenReason(Frozen):
    """A server had no connection, or its congestion control was not seen."""

    code: Literal["server-unseen"] = "server-unseen"
    server: str
    """Its name."""


class ObjectUnknownReason(Frozen):
    """A response is not of the page."""

    code: Literal["object-unknown"] = "object-unknown"
    object: str
    """Its path."""


class WrongStatusReason(Frozen):
    """A response has another status than 200."""

    code: Literal["wrong-status"] = "wrong-status"
    object: str
    """Its path."""
    expected_status: int
    """HTTP status code."""
    found_status: int
    """HTTP status code."""


class WrongLengthReason(Frozen):
    """A response is longer or shorter than the object."""

    code: Literal["wrong-length"] = "wrong-length"
    object: str
    """Its path."""
    expected_bytes: int
    """Of the page's object."""
    found_bytes: int
    """Of the body received."""


class WrongContentReason(Frozen):
    """A response has other bytes than the object."""

    code: Literal["wrong-content"] = "wrong-content"
    object: str
    """Its path."""


class ObjectMissingReason(Frozen):
    """An object of the page was not loaded."""

    code: Literal["object-missing"] = "object-missing"
    object: str
    """Its path."""


class PushUnknownReason(Frozen):
    """The origin pushed what the page does not have."""

    code: Literal["push-unknown"] = "push-unknown"
    url: str
    """The promised URL."""


class PushRepeatedReason(Frozen):
    """The origin promised an object twice."""

    code: Literal["push-repeated"] = "push-repeated"
    url: str
    """The promised URL."""


class PushUnusedReason(Frozen):
    """The origin pushed an object that the document does not name."""

    code: Literal["push-unused"] = "push-unused"
    object: str
    """Its path."""


class EmulatorLateReason(Frozen):
    """The link process released packets too late."""

    code: Literal["emulator-late"] = "emulator-late"
    p999_ns: int
    """99.9th percentile of the lateness of releases."""
    bound_ns: int
    """The run's bound for it."""
    latest_ns: int | None = None
    """Lateness of the latest release."""
    timer_ns: int | None = None
    """How much of that a bare timer on the same cores was late too, or the link woke late; none where nothing tells."""


class PacketsRefusedReason(Frozen):
    """A receiving device did not take packets."""

    code: Literal["packets-refused"] = "packets-refused"
    packets: int
    """How many."""


class PacketsUnreadReason(Frozen):
    """A device lost packets that the link process had not read."""

    code: Literal["packets-unread"] = "packets-unread"
    packets: int
    """How many."""


class CoreAwaitedReason(Frozen):
    """Origin, client or proxies had to wait for a core of the machine."""

    code: Literal["core-awaited"] = "core-awaited"
    waited_ns: int
    """The time that all waited."""
    bound_ns: int
    """The run's bound for it."""
    is_in_series: bool
    """Whether only waits count that follow one another, as in a flow."""


class SpareConnectionsReason(Frozen):
    """A browser opened connections that its protocol does not need."""

    code: Literal["spare-connections"] = "spare-connections"
    connections: int
    """Connections that the origin accepted."""
    most_connections: int
    """Connections that the protocol needs."""


class SharedPortReason(Frozen):
    """Two flows cannot be told apart."""

    code: Literal["shared-port"] = "shared-port"


class PageHiddenReason(Frozen):
    """The window of the browser was hidden."""

    code: Literal["page-hidden"] = "page-hidden"


class PacketsOutsideReason(Frozen):
    """A host sent packets to addresses that the testbed does not have."""

    code: Literal["packets-outside"] = "packets-outside"
    packets: int
    """How many."""


class ClockSteppedReason(Frozen):
    """The wall clock was set while instants were taken by it."""

    code: Literal["clock-stepped"] = "clock-stepped"
    step_ns: int
    """By how much, either way."""


class DocumentMissingReason(Frozen):
    """The browser did not load the document."""

    code: Literal["document-missing"] = "document-missing"
    url: str
    """The document's URL."""


class ResourcesMissingReason(Frozen):
    """The browser did not load resources of the page."""

    code: Literal["resources-missing"] = "resources-missing"
    resources: int
    """How many."""
    page_resources: int
    """Of how many of the page."""
    such_as: Sequence[str]
    """The first of them."""


class ResourcesUnknownReason(Frozen):
    """The browser loaded resources that are not of the page."""

    code: Literal["resources-unknown"] = "resources-unknown"
    resources: int
    """How many."""
    such_as: Sequence[str]
    """The first of them."""


class ResourcesRepeatedReason(Frozen):
    """The browser loaded resources more than once."""

    code: Literal["resources-repeated"] = "resources-repeated"
    resources: int
    """How many."""
    such_as: Sequence[str]
    """The first of them."""


class ResourcesByOtherProtocolReason(Frozen):
    """The browser loaded resources by another protocol."""

    code: Literal["resources-by-other-protocol"] = "resources-by-other-protocol"
    resources: int
    """How many."""
    expected: str
    """As browsers name the load's."""
    found: str | None = None
    """As the browser named it."""


class ResourceDiffersReason(Frozen):
    """A resource came with another status or length than it has."""

    code: Literal["resource-differs"] = "resource-differs"
    url: str
    """Its URL."""
    status: int
    """HTTP status code."""
    found_bytes: int
    """Of the body received."""
    expected_bytes: int
    """Of the page's object."""


class FurtherResourcesDifferReason(Frozen):
    """More resources than are named differ."""

    code: Literal["further-resources-differ"] = "further-resources-differ"
    resources: int
    """How many."""


class ResourceFailedReason(Frozen):
    """The browser could not get a resource."""

    code: Literal["resource-failed"] = "resource-failed"
    url: str
    """Its URL."""
    error: str
    """As the browser says it."""


class RequestUnknownReason(Frozen):
    """The browser asked for what is not of the page."""

    code: Literal["request-unknown"] = "request-unknown"
    url: str
    """The URL."""


class LoadEventMissingReason(Frozen):
    """The browser did not say when the page was loaded."""

    code: Literal["load-event-missing"] = "load-event-missing"


class SeriesLostReason(Frozen):
    """A series of an attempt is not in the ledger as it was written."""

    code: Literal["series-lost"] = "series-lost"
    series: str
    """The series' name."""
    attempt: int
    """Number of the attempt."""
    expected_bytes: int
    """As it was written."""
    found_bytes: int | None = None
    """As it is; none where it is not there."""


class End(StrEnum):
    """An end of a connection."""

    CLIENT = "client"
    """Who opened it."""
    ORIGIN = "origin"
    """Who accepted it."""


class WrongCongestionControlReason(Frozen):
    """A connection has another congestion control than its flow."""

    code: Literal["wrong-congestion-control"] = "wrong-congestion-control"
    end: End
    """Whose."""
    expected: str
    """Of the spec."""
    found: str
    """Of the kernel or of QUIC."""


class WrongProtocolReason(Frozen):
    """A connection has another application protocol than the load."""

    code: Literal["wrong-protocol"] = "wrong-protocol"
    end: End
    """Whose."""
    expected: str
    """Its name in ALPN."""
    found: str
    """Its name in ALPN."""


class WrongHandshakeReason(Frozen):
    """A TLS handshake went another way than the settings want."""

    code: Literal["wrong-handshake"] = "wrong-handshake"
    end: End
    """Whose."""
    expected: str
    """The way that the settings want."""
    found: str
    """The way that it went."""


class WrongKeyExchangeReason(Frozen):
    """TLS or QUIC has agreed on keys by another way than the run asks for."""

    code: Literal["wrong-key-exchange"] = "wrong-key-exchange"
    end: End
    """Whose."""
    expected: str
    """Of the spec."""
    found: str
    """Of the library."""


Reason = TypeAliasType(
    "Reason",
    Annotated[
        EngineFailedReason
        | EngineRaisedReason
        | ProgramFailedReason
        | BrowserFailedReason
        | TimedOutReason
        | VisitTimedOutReason
        | VisitFailedReason
        | PageUnreadableReason
        | FetchFailedReason
        | FlowFailedReason
        | PingFailedReason
        | OriginFailedReason
        | Iperf3IsForeignReason
        | NothingTransferredReason
        | ConnectionsUnreadableReason
        | ServerUnseenReason
        | ObjectUnknownReason
        | WrongStatusReason
        | WrongLengthReason
        | WrongContentReason
        | ObjectMissingReason
        | PushUnknownReason
        | PushRepeatedReason
        | PushUnusedReason
        | EmulatorLateReason
        | PacketsRefusedReason
        | PacketsUnreadReason
        | CoreAwaitedReason
        | WrongCongestionControlReason
        | WrongProtocolReason
        | WrongHandshakeReason
        | WrongKeyExchangeReason
        | SpareConnectionsReason
        | SharedPortReason
        | PageHiddenReason
        | PacketsOutsideReason
        | ClockSteppedReason
        | DocumentMissingReason
        | ResourcesMissingReason
        | ResourcesUnknownReason
        | ResourcesRepeatedReason
        | ResourcesByOtherProtocolReason
        | ResourceDiffersReason
        | FurtherResourcesDifferReason
        | ResourceFailedReason
        | RequestUnknownReason
        | LoadEventMissingReason
        | SeriesLostReason,
        Field(discriminator="code"),
    ],
)
"""Why a run failed or is invalid. `Display` is its sentence."""
