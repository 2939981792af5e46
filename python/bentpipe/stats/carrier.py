"""A satellite carrier over one run: what its frames carried, and what its terminal got of the slots.

Plain numbers: a series of one run is summed up sooner than NumPy is imported.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from bentpipe.model.description import ModcodDescription

GRANTS = ("granted_cra_slots", "granted_rbdc_slots", "granted_volume_slots", "granted_free_slots")
"""Columns of the series `dama`: the terminal's slots, in the order in which they are given."""

Table = Mapping[str, Iterable[float | None]]
"""Columns by name: lists or arrays; what is missing is None or NaN."""


@dataclass(frozen=True, kw_only=True)
class CarrierUse:
    """The frames of a carrier; `spectral_efficiency` is the mean over their symbols, None without frames."""

    frames: int
    frames_lost: int
    spectral_efficiency: float | None


@dataclass(frozen=True, kw_only=True)
class SlotUse:
    """The slots of the terminal: granted of those that there are, and used of those granted."""

    granted_share: float | None
    used_share: float | None


def carrier_use(acm: Table, modcods: Mapping[int, ModcodDescription]) -> CarrierUse:
    """Sum up the series `acm`; the frames of a bin count as of the MODCOD at its end."""
    frames, used = _column(acm, "frames"), [modcods[int(number)] for number in _column(acm, "modcod")]
    bits = sum(count * modcod.bits for count, modcod in zip(frames, used, strict=True))
    symbols = sum(count * modcod.symbols for count, modcod in zip(frames, used, strict=True))
    return CarrierUse(
        frames=int(sum(frames)),
        frames_lost=int(sum(_column(acm, "frames_lost"))),
        spectral_efficiency=_share(bits, symbols),
    )


def slot_use(dama: Table) -> SlotUse:
    """Sum up the series `dama`."""
    granted = sum(sum(_column(dama, name)) for name in GRANTS)
    return SlotUse(
        granted_share=_share(granted, sum(_column(dama, "capacity_slots"))),
        used_share=_share(sum(_column(dama, "used_slots")), granted),
    )


def _column(table: Table, name: str) -> list[float]:
    return [math.nan if value is None else float(value) for value in table[name]]


def _share(part: float, whole: float) -> float | None:
    return part / whole if whole > 0 else None
