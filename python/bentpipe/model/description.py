"""What a link comes to: rates, frames, MODCODs and waits.

Generated from the JSON schemas of crates/run by tools/generate_model.py (`make model`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from bentpipe.model.frozen import Frozen


class ModcodDescription(Frozen):
    """A MODCOD with frames of one kind."""

    number: int
    """In EN 302 307-1, table 12."""
    name: str
    """Such as `8PSK 3/4`."""
    threshold_db: float
    """Es/N0 at which reception is quasi-error-free."""
    spectral_efficiency: float
    """Bits of the data field per symbol on air."""
    bits: int
    """Of the data field."""
    symbols: int
    """Length of a PLFRAME."""


class BurstDescription(Frozen):
    """What one burst carries."""

    name: str
    """Such as `waveform 13, 8PSK 3/4` or `8 MPEG packets`."""
    payload_bytes: int
    """Payload of each."""
    threshold_db: float
    """Es/N0 at which one in 100 000 is lost."""


class Dvbs2Description(Frozen):
    """What a DVB-S2 carrier comes to."""

    clear_sky_db: float
    """Es/N0 at the receiver without attenuation, of both legs."""
    modcods: Sequence[ModcodDescription]
    """What frames of this kind can have, in the order of the numbers."""
    ladder: Sequence[int]
    """The numbers of those that ACM ever takes, from the most robust to the most efficient."""
    in_use: Sequence[int]
    """The number in clear sky of each class in their order, then that of all other packets."""


class SlotsDescription(Frozen):
    """What the slots of a superframe come to."""

    columns: int
    """Traffic slots of one carrier in a superframe: as many as one terminal can use."""
    frame_symbols: int
    """Length of a frame in symbols."""
    superframe_symbols: int
    """Length of a superframe in symbols."""
    superframe_ns: int
    """Length of a superframe, rounded up."""
    burst: BurstDescription
    """What a traffic slot carries."""


class Rcs2Description(Frozen):
    """What a DVB-RCS2 return link comes to."""

    clear_sky_db: float
    """Es/N0 at the hub without attenuation, of both legs."""
    slots: SlotsDescription
    """Its slots."""
    longest_gap: float | None = None
    """
    In superframes, how long a slot of the constant rate of packets of no class is away at most, where the terminal
    is alone; none without such a rate.
    """


class DirectionDescription(Frozen):
    """What one direction comes to."""

    nominal_bps: int
    """Rate of full IP packets in clear sky."""
    longest_wait_ns: int
    """
    How long a packet may wait and be sent for when the direction is idle, a generous bound; nothing at a constant
    rate, at which it waits for nobody and is sent soon.
    """
    mean_bps: int | None = None
    """Mean rate of a schedule that starts again and says it throughout; none of others."""
    shortest_delay_ns: int
    """Shortest propagation delay by the schedule, without jitter; the delay itself where there is none."""
    longest_delay_ns: int
    """Longest propagation delay likewise."""
    dvbs2: Dvbs2Description | None = None
    """Of a DVB-S2 carrier."""
    rcs2: Rcs2Description | None = None
    """Of a DVB-RCS2 return link."""


class LinkDescription(Frozen):
    """What both directions of a link come to."""

    forward: DirectionDescription
    """From server to client."""
    return_: Annotated[DirectionDescription, Field(alias="return")]
    """From client to server."""
