"""What a link comes to, as the models of the link say: rates, frames, superframes, MODCODs and waits."""

import json
from collections.abc import Mapping
from functools import lru_cache

from pydantic import BaseModel, ConfigDict, Field

from bentpipe import _core
from bentpipe.scenario.spec.dvbs2 import Dvbs2Spec
from bentpipe.scenario.spec.link import CapacitySpec, LinkSpec
from bentpipe.scenario.spec.rcs2 import BurstSpec, LayoutSpec


class _Description(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)


class Modcod(_Description):
    """A modulation with a code rate (ETSI EN 302 307-1, tables 12 and 13).

    `bits` are those of a frame's data field, `spectral_efficiency` the same per symbol of the frame, and
    `symbols` the length of the frame.
    """

    number: int
    name: str
    threshold_db: float
    spectral_efficiency: float
    bits: int
    symbols: int

    @property
    def modulation(self) -> str:
        """The first half of the name."""
        return self.name.partition(" ")[0]


class Dvbs2Description(_Description):
    """A DVB-S2 carrier: its MODCODs, numbers of those that ACM ever takes, and in clear sky of each class.

    The last of `in_use` is that of packets of no class.
    """

    clear_sky_db: float
    modcods: tuple[Modcod, ...]
    ladder: tuple[int, ...]
    in_use: tuple[int, ...]

    def by_number(self) -> Mapping[int, Modcod]:
        """Return the MODCODs by their numbers."""
        return {modcod.number: modcod for modcod in self.modcods}


class BurstDescription(_Description):
    """What a burst is called, what it carries, and the Es/N0 at which one in 100 000 is lost."""

    name: str
    payload_bytes: int
    threshold_db: float


class SlotsDescription(_Description):
    """A superframe: its columns are the traffic slots of one carrier, as many as one terminal can use."""

    columns: int
    frame_symbols: int
    superframe_symbols: int
    superframe_ns: int
    burst: BurstDescription


class Rcs2Description(_Description):
    """A DVB-RCS2 return link: its slots, and in superframes the longest wait for one of the constant rate."""

    clear_sky_db: float
    slots: SlotsDescription
    longest_gap: float | None


class DirectionDescription(_Description):
    """One direction: rate of full IP packets in clear sky, and the longest wait of one when it is idle."""

    nominal_bps: int
    longest_wait_ns: int
    dvbs2: Dvbs2Description | None
    rcs2: Rcs2Description | None


class LinkDescription(_Description):
    """Both directions of a link."""

    forward: DirectionDescription
    return_: DirectionDescription = Field(alias="return")


def describe_link(link: LinkSpec) -> LinkDescription:
    """Check a link's specification and return what it comes to; limits of queues change nothing of that.

    Raises
    ------
    _core.SpecError
        When there can be no such link.
    """
    return _described_link(json.dumps(link))


def describe_slots(layout: LayoutSpec, burst: BurstSpec) -> SlotsDescription:
    """Return what the slots of a return link come to: rates in bit/s are counted in them.

    Raises
    ------
    _core.SpecError
        When there can be no such slots.
    """
    return _described_slots(json.dumps(layout), json.dumps(burst))


def modcods(carrier: Dvbs2Spec) -> Mapping[int, Modcod]:
    """The MODCODs of a carrier's specification (kind dvbs2) by their numbers."""
    return _modcods(carrier["fecframe"], carrier["pilots"])


def nominal_bps(capacity: CapacitySpec) -> int:
    """Return the rate that a complete specification has: bits of full IP packets per second in clear sky."""
    return capacity["rate_bps"] if capacity["kind"] == "constant" else capacity["nominal_bps"]


@lru_cache(maxsize=256)
def _described_link(link: str) -> LinkDescription:
    # Cells of a matrix mostly have the same.
    return LinkDescription.model_validate_json(_core.describe_link(link))


@lru_cache(maxsize=256)
def _described_slots(layout: str, burst: str) -> SlotsDescription:
    return SlotsDescription.model_validate_json(_core.describe_slots(layout, burst))


@lru_cache
def _modcods(fecframe: str, pilots: str) -> Mapping[int, Modcod]:
    rows = _core.modcods(fecframe=fecframe, pilots=pilots)
    return {row["number"]: Modcod(**row) for row in rows}
