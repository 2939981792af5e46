"""Link tables on top of each other: what the upper one writes replaces what the lower one says."""

from pathlib import Path
from typing import Any

from bentpipe.scenario.written.location import Location
from bentpipe.scenario.written.quantity import duration_ns

DIRECTIONS = ("forward", "return")
CARRIERS = ("dvbs2", "rcs2")
MERGED = (*CARRIERS, "acm", "clear_sky", "attenuation", "mixes")
ALTERNATIVES = {
    "symbol_rate": ("bandwidth", "roll_off"),
    "bandwidth": ("symbol_rate",),
    "waveform": ("burst",),
    "burst": ("waveform",),
}
"""Keys of a carrier that take the place of others."""


def with_delays(table: dict[str, Any], where: Location) -> dict[str, Any]:
    """Return the table with its `rtt` as delays of the directions, half each; a written delay stays."""
    rest = dict(table)
    rtt = rest.pop("rtt", None)
    if rtt is None:
        return rest
    rtt_ns = duration_ns(rtt, where.at("rtt"))
    halves_ns = (rtt_ns - rtt_ns // 2, rtt_ns // 2)
    for direction, delay_ns in zip(DIRECTIONS, halves_ns, strict=True):
        rest[direction] = {"delay": f"{delay_ns} ns", **rest.get(direction, {})}
    return rest


def with_folder(table: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Return the table with paths of files that hold wherever it is merged."""

    def anchored(value: Any) -> Any:
        if isinstance(value, dict):
            return {
                key: str(folder / below) if key == "file" and isinstance(below, str) else anchored(below)
                for key, below in value.items()
            }
        return [anchored(item) for item in value] if isinstance(value, list) else value

    return {key: anchored(value) if key in DIRECTIONS else value for key, value in table.items()}


def merged_links(lower: dict[str, Any], upper: dict[str, Any]) -> dict[str, Any]:
    """Return the link table that `upper` makes of `lower`; neither has an `rtt` any more.

    A part whose keys decide on its kind, such as a queue, is replaced; `MERGED` ones are changed key by key.
    """
    directions = {
        name: _merged_direction(lower.get(name, {}), upper.get(name, {}))
        for name in DIRECTIONS
        if name in lower or name in upper
    }
    return lower | upper | directions


def _merged_direction(lower: dict[str, Any], upper: dict[str, Any]) -> dict[str, Any]:
    lower = _without_alternatives(lower, upper)
    parts = {key: lower.get(key, {}) | upper.get(key, {}) for key in MERGED if key in lower or key in upper}
    return lower | upper | parts


def _without_alternatives(lower: dict[str, Any], upper: dict[str, Any]) -> dict[str, Any]:
    """Return what remains of the lower table when the upper one chooses another way to say the same."""
    kept = dict(lower)
    chosen = {key for part in CARRIERS for key in upper.get(part, {})}
    dropped = {other for key in chosen for other in ALTERNATIVES.get(key, ())}
    if "acm" in upper:
        dropped.add("modcod")
    if "modcod" in chosen:
        kept.pop("acm", None)
    if any(part in upper for part in CARRIERS):
        kept.pop("rate", None)
    for part in CARRIERS:
        if part in kept:
            kept[part] = {key: value for key, value in kept[part].items() if key not in dropped}
    return kept
