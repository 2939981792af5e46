"""Flows, and what sends them.

Generated from the JSON schemas of crates/run by tools/generate_model.py (`make model`).
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Literal

from bentpipe.model.frozen import Frozen

from .cc import Algorithm


class Transport(StrEnum):
    """Transport of a bulk flow."""

    TCP = "tcp"
    """The kernel's TCP, or the simulator's."""
    QUIC = "quic"
    """QUIC version 1."""


class Direction(StrEnum):
    """Direction of a bulk flow, seen from the client."""

    DOWN = "down"
    """Server to client, over the forward link unless the server is behind the terminal."""
    UP = "up"
    """Client to server, over the return link likewise."""


class FlowSpec(Frozen):
    """What tells a flow from those beside it."""

    cc: Algorithm
    """Congestion control of both its ends."""
    transport: Transport
    """Transport protocol."""
    start_ns: int
    """When it begins, from the start of the workload."""
    dscp: int | None = None
    """Marks its packets, both ways, in place of the run's mark."""


class BulkWorkload(Frozen):
    """Transfer one flow."""

    kind: Literal["bulk"] = "bulk"
    transport: Transport
    """Transport protocol."""
    direction: Direction
    """Who sends."""
    bytes: int | None = None
    """Length of the transfer, when it is limited by length."""
    duration_ns: int | None = None
    """Length of the transfer, when it is limited by time."""


class FlowsWorkload(Frozen):
    """Transfer several flows at once."""

    kind: Literal["flows"] = "flows"
    direction: Direction
    """Who sends, in all of them."""
    bytes: int | None = None
    """Length of each transfer, when they are limited by length."""
    duration_ns: int | None = None
    """The end that they have in common, when they are limited by time."""
    flows: Sequence[FlowSpec]
    """The flows."""


class Iperf3Workload(Frozen):
    """Transfer one flow over TCP by iperf3, which is client and server then (emulate only)."""

    kind: Literal["iperf3"] = "iperf3"
    transport: Transport
    """Transport protocol."""
    direction: Direction
    """Who sends."""
    bytes: int | None = None
    """Length of the transfer, when it is limited by length."""
    duration_ns: int | None = None
    """Length of the transfer, when it is limited by time."""
