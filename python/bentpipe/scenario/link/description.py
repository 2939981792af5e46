"""What a link comes to, as the models of the link say: rates, frames, superframes, MODCODs and waits."""

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache

from bentpipe import _core
from bentpipe.model.description import (
    Dvbs2Description,
    LinkDescription,
    ModcodDescription,
    SlotsDescription,
)
from bentpipe.model.draft.link import LinkSpec as LinkDraft
from bentpipe.model.draft.rcs2 import BurstSpec, LayoutSpec
from bentpipe.model.dvbs2 import Dvbs2CapacitySpec
from bentpipe.model.link import CapacitySpec, ConstantCapacitySpec, LinkSpec


def describe_link(link: LinkSpec) -> LinkDescription:
    """Check a link's specification and return what it comes to.

    Raises
    ------
    _core.SpecError
        When there can be no such link.
    """
    return _described_link(link.to_json())


def describe_draft(link: LinkDraft) -> LinkDescription:
    """Return what a link comes to whose queues have no limits yet, which change nothing of that.

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


def schedule_series(link: LinkSpec, *, seed: int, span_ns: int) -> Mapping[str, Sequence[float]]:
    """Return the series `path` that a run of that length would have; empty of a link that stands still.

    Raises
    ------
    _core.SpecError
        When there can be no such link.
    """
    return _core.schedule_series(link.to_json(), seed, span_ns)


def modcods(carrier: Dvbs2CapacitySpec) -> Mapping[int, ModcodDescription]:
    """Return the MODCODs of a carrier by their numbers."""
    return _modcods(carrier.fecframe, carrier.pilots)


def modulation_of(modcod: ModcodDescription) -> str:
    """Return the first half of a MODCOD's name."""
    return modcod.name.partition(" ")[0]


def by_number(carrier: Dvbs2Description) -> Mapping[int, ModcodDescription]:
    """Return the MODCODs that a carrier can have by their numbers."""
    return {modcod.number: modcod for modcod in carrier.modcods}


def nominal_bps(capacity: CapacitySpec) -> int:
    """Return the rate that a complete specification has: bits of full IP packets per second in clear sky."""
    return capacity.rate_bps if isinstance(capacity, ConstantCapacitySpec) else capacity.nominal_bps


@lru_cache(maxsize=256)
def _described_link(link: str) -> LinkDescription:
    # Cells of a matrix mostly have the same.
    return LinkDescription.model_validate_json(_core.describe_link(link))


@lru_cache(maxsize=256)
def _described_slots(layout: str, burst: str) -> SlotsDescription:
    return SlotsDescription.model_validate_json(_core.describe_slots(layout, burst))


@lru_cache
def _modcods(fecframe: str, pilots: str) -> Mapping[int, ModcodDescription]:
    rows = _core.modcods(fecframe=fecframe, pilots=pilots)
    return {row["number"]: ModcodDescription(**row) for row in rows}
