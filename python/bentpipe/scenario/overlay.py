"""Link tables on top of each other: what the upper one writes replaces what the lower one says."""

from typing import Any

from bentpipe.scenario.quantity import duration_ns
from bentpipe.scenario.where import Where

DIRECTIONS = ("forward", "return")


def with_delays(table: dict[str, Any], where: Where) -> dict[str, Any]:
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


def merged_links(lower: dict[str, Any], upper: dict[str, Any]) -> dict[str, Any]:
    """Return the link table that `upper` makes of `lower`; neither has an `rtt` any more."""
    directions = {
        name: lower.get(name, {}) | upper.get(name, {})
        for name in DIRECTIONS
        if name in lower or name in upper
    }
    return lower | upper | directions
