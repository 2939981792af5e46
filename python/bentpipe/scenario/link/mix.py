"""What a class of a return link may have, from what is written to the run specification."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, TypeAlias

from bentpipe.model.draft.rcs2 import MixSpec, RbdcSpec, SlotRateSpec, VolumeSpec
from bentpipe.scenario import defaults
from bentpipe.scenario.written.location import Location, closest, quoted
from bentpipe.scenario.written.quantity import SECOND_NS, duration_ns, fraction, rate_bps
from bentpipe.scenario.written.satellite_schema import SLOTS, MixTable
from bentpipe.scenario.written.table import or_default, refuse

MOST_SUPERFRAMES = 10**12
"""Over which a rate may be a whole number of slots: 64 bits hold both, and 10^-12 slots are no capacity."""
ANY_CAPACITY = "some of cra, rbdc, vbdc or avbdc, and free"


@dataclass(frozen=True, kw_only=True)
class Supply:
    """What one terminal of a return link can send.

    Attributes
    ----------
    columns : int
        Its slots in a superframe at most, those of one carrier.
    payload_bytes : int
        What a burst carries.
    superframe_s : Fraction
        Length of a superframe.
    request_period : int
        Superframes from one request to the next.
    """

    columns: int
    payload_bytes: int
    superframe_s: Fraction
    request_period: int


MixByName: TypeAlias = Callable[[str, Location], MixSpec]
"""Finds a mix by the name that is written at a place."""


def mix_specs(tables: Mapping[str, MixTable] | None, where: Location, *, supply: Supply) -> MixByName:
    """Return what finds a mix by its name, those of the link and those that every link has.

    Raises
    ------
    InputError
        When a mix of the link is none; what is returned does so for unknown names.
    """
    known = {
        name: mix_spec(table, where.at(name), supply=supply)
        for name, table in {**defaults.MIXES, **(tables or {})}.items()
    }

    def named(name: str, place: Location) -> MixSpec:
        if name not in known:
            expected = f"one of {', '.join(known)}"
            raise place.error(expected=expected, found=quoted(name), suggestion=closest(name, known))
        return known[name]

    return named


def mix_spec(table: MixTable, where: Location, *, supply: Supply) -> MixSpec:
    """Return the capacity of one mix.

    Raises
    ------
    InputError
        For values that are no capacity, and for more than one carrier has.
    """
    free = or_default(table.free, False)
    if not free and not {"cra", "rbdc", "vbdc", "avbdc"} & set(table.written()):
        found = ", ".join(table.written()) or "an empty table"
        raise where.error(expected=ANY_CAPACITY, found=found)
    if table.vbdc is not None:
        refuse(table, ("avbdc",), where, why="vbdc asks for volumes")
    cra = Fraction(0) if table.cra is None else _slots(table.cra, where.at("cra"), supply=supply)
    return {
        "cra": _slot_rate(cra),
        "rbdc": _rbdc(table, where, supply=supply),
        "volume": _volume(table, where, supply=supply),
        "free": "fca" if free else "none",
    }


def _rbdc(table: MixTable, where: Location, *, supply: Supply) -> RbdcSpec | None:
    if table.rbdc is None:
        refuse(table, ("rbdc_timeout",), where, why="there is no rbdc")
        return None
    timeout = duration_ns(
        or_default(table.rbdc_timeout, defaults.RBDC_TIMEOUT), where.at("rbdc_timeout"), least_ns=1
    )
    superframes = -int(-Fraction(timeout, SECOND_NS) / supply.superframe_s // 1)
    if table.rbdc_timeout is None:
        # A terminal that asks rarely must not lose its rate before it may ask again.
        superframes = max(superframes, 2 * supply.request_period)
    return {
        "max": _slot_rate(_slots(table.rbdc, where.at("rbdc"), supply=supply)),
        "timeout_superframes": superframes,
    }


def _volume(table: MixTable, where: Location, *, supply: Supply) -> VolumeSpec | None:
    kinds: tuple[tuple[Literal["vbdc", "avbdc"], str | None], ...]
    kinds = (("vbdc", table.vbdc), ("avbdc", table.avbdc))
    for kind, text in kinds:
        if text is not None:
            slots = int(_slots(text, where.at(kind), supply=supply))
            if slots < 1:
                raise where.at(kind).error(expected="at least one slot of a superframe", found=quoted(text))
            return {"kind": kind, "max_slots": slots}
    return None


def _slots(text: str, where: Location, *, supply: Supply) -> Fraction:
    """Return slots of a superframe: a number of them, a share of a carrier's, or a rate of burst payload."""
    match = re.fullmatch(r"\s*([0-9]{1,9}(?:\.[0-9]{1,9})?)\s*slots?\s*", text)
    if match is not None:
        slots = Fraction(match[1])
    elif text.rstrip().endswith("%"):
        slots = Fraction(str(fraction(text, where))) * supply.columns
    elif text.rstrip().endswith("bit/s"):
        # R T_sf / (8 B), docs/models/dama.md.
        slots = rate_bps(text, where) * supply.superframe_s / (8 * supply.payload_bytes)
    else:
        raise where.error(expected=SLOTS, found=quoted(text))
    if slots > supply.columns:
        expected = f"at most {supply.columns} slots of a superframe, those of one carrier"
        raise where.error(expected=expected, found=f"{quoted(text)}, {float(slots):g} slots")
    return slots


def _slot_rate(slots: Fraction) -> SlotRateSpec:
    exact = slots.limit_denominator(MOST_SUPERFRAMES)
    return {"slots": exact.numerator, "superframes": exact.denominator}
