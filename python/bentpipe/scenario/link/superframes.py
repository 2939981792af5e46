"""A return link's superframe and what a terminal may have of it, as a link's specification says."""

from collections.abc import Mapping
from typing import Any, TypeAlias

Layout: TypeAlias = Mapping[str, Any]


def frame_symbols(layout: Layout) -> int:
    """Length of a frame: request slots, traffic slots, each with its guard time, and what remains."""
    guard = layout["guard_symbols"]
    requests = layout["request_slots"] * (layout["request_symbols"] + guard)
    traffic = layout["traffic_slots"] * (layout["burst_symbols"] + guard)
    return int(requests + traffic + layout["idle_symbols"])


def superframe_s(layout: Layout) -> float:
    """Length of a superframe."""
    return float(layout["frames"] * frame_symbols(layout) / layout["symbols_per_s"])


def mix_slots(mix: Mapping[str, Any]) -> list[tuple[str, float]]:
    """The kinds of capacity of a mix with their slots per superframe; of all but CRA, the most."""
    kinds = [("CRA", mix["cra"]["slots"] / mix["cra"]["superframes"])]
    if mix["rbdc"]:
        kinds.append(("RBDC", mix["rbdc"]["max"]["slots"] / mix["rbdc"]["max"]["superframes"]))
    if mix["volume"]:
        kinds.append((mix["volume"]["kind"].upper(), float(mix["volume"]["max_slots"])))
    return [(kind, slots) for kind, slots in kinds if slots]


def mix_words(mix: Mapping[str, Any]) -> str:
    """A mix as people write it: "CRA 18 + RBDC up to 105"."""
    words = [f"{kind} {'' if kind == 'CRA' else 'up to '}{slots:.4g}" for kind, slots in mix_slots(mix)]
    return " + ".join([*words, *(["left-overs (FCA)"] if mix["free"] == "fca" else [])])


def counted(count: int, noun: str) -> str:
    """A number of things: "1 frame", "4 frames"."""
    return f"{count} {noun}" + ("" if count == 1 else "s")
