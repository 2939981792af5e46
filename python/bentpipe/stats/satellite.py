"""A satellite link over one run: what its frames carried, what its terminal got, where its packets waited."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bentpipe.model.description import ModcodDescription

GRANTS = ("granted_cra_slots", "granted_rbdc_slots", "granted_volume_slots", "granted_free_slots")
"""Columns of the series `dama`: the terminal's slots, in the order in which they are given."""
FORWARD_PARTS = ("forward_queue_s", "forward_framing_s", "forward_propagation_s")
RETURN_PARTS = (
    "return_queue_s",
    "return_request_s",
    "return_slot_s",
    "return_burst_s",
    "return_propagation_s",
)
"""Columns of the series `delays`, in the order in which a packet meets them."""

Table = Mapping[str, ArrayLike]


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
    frames, numbers = _column(acm, "frames"), _column(acm, "modcod").astype(int)
    bits = sum(count * modcods[number].bits for count, number in zip(frames, numbers, strict=True))
    symbols = sum(count * modcods[number].symbols for count, number in zip(frames, numbers, strict=True))
    return CarrierUse(
        frames=int(frames.sum()),
        frames_lost=int(_column(acm, "frames_lost").sum()),
        spectral_efficiency=_share(bits, symbols),
    )


def slot_use(dama: Table) -> SlotUse:
    """Sum up the series `dama`."""
    granted = sum(float(_column(dama, name).sum()) for name in GRANTS)
    return SlotUse(
        granted_share=_share(granted, float(_column(dama, "capacity_slots").sum())),
        used_share=_share(float(_column(dama, "used_slots").sum()), granted),
    )


def delay_means(delays: Table) -> Mapping[str, float | None]:
    """Mean of each part of the delay over the bins in which packets arrived; None where none ever did."""
    return {name: _mean(_column(delays, name)) for name in (*FORWARD_PARTS, *RETURN_PARTS)}


def _column(table: Table, name: str) -> NDArray[np.float64]:
    # None, as JSON has it, becomes NaN.
    return np.asarray(table[name], dtype=float)


def _mean(values: NDArray[np.float64]) -> float | None:
    there = values[~np.isnan(values)]
    return float(there.mean()) if len(there) else None


def _share(part: float, whole: float) -> float | None:
    return float(part / whole) if whole > 0 else None
