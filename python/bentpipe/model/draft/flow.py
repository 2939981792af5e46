"""Flows, and what sends them.

Generated from the JSON schemas of crates/run by tools/generate_model.py (`make model`).
"""

from __future__ import annotations

from typing import Literal, NotRequired, TypeAlias, TypedDict

from .cc import Algorithm

Transport: TypeAlias = Literal["tcp", "quic"]
"""Transport of a bulk flow."""


Direction: TypeAlias = Literal["down", "up"]
"""Direction of a bulk flow, seen from the client."""


class FlowSpec(TypedDict):
    """What tells a flow from those beside it."""

    cc: Algorithm
    """Congestion control of both its ends."""
    transport: Transport
    """Transport protocol."""
    start_ns: int
    """When it begins, from the start of the workload."""
    dscp: NotRequired[int | None]
    """Marks its packets, both ways, in place of the run's mark."""


class BulkWorkload(TypedDict):
    """Transfer one flow."""

    kind: Literal["bulk"]
    transport: Transport
    """Transport protocol."""
    direction: Direction
    """Who sends."""
    bytes: NotRequired[int | None]
    """Length of the transfer, when it is limited by length."""
    duration_ns: NotRequired[int | None]
    """Length of the transfer, when it is limited by time."""


class FlowsWorkload(TypedDict):
    """Transfer several flows at once."""

    kind: Literal["flows"]
    direction: Direction
    """Who sends, in all of them."""
    bytes: NotRequired[int | None]
    """Length of each transfer, when they are limited by length."""
    duration_ns: NotRequired[int | None]
    """The end that they have in common, when they are limited by time."""
    flows: list[FlowSpec]
    """The flows."""


class Iperf3Workload(TypedDict):
    """Transfer one flow over TCP by iperf3, which is client and server then (emulate only)."""

    kind: Literal["iperf3"]
    transport: Transport
    """Transport protocol."""
    direction: Direction
    """Who sends."""
    bytes: NotRequired[int | None]
    """Length of the transfer, when it is limited by length."""
    duration_ns: NotRequired[int | None]
    """Length of the transfer, when it is limited by time."""
