"""What the atmosphere takes off a link's signal over time, as its specification says."""

from collections.abc import Mapping
from typing import Any

from matplotlib.axes import Axes

from bentpipe.figures import style

HEIGHT_IN = 1.6

_LEGS = {
    ("forward", "up"): "forward, to the satellite",
    ("forward", "down"): "forward, to the terminal",
    ("return", "up"): "return, to the satellite",
    ("return", "down"): "return, to the hub",
}


def legs(spec: Mapping[str, Any]) -> Mapping[str, Mapping[str, Any]]:
    """The attenuation of each leg of a link that has any, by what the leg is called."""
    found = {}
    for (way, leg), label in _LEGS.items():
        capacity = spec[way]["capacity"]
        if "es_n0" in capacity and capacity["es_n0"][leg]["attenuation"]["points"]:
            found[label] = capacity["es_n0"][leg]["attenuation"]
    return found


def draw_on(axis: Axes, attenuations: Mapping[str, Mapping[str, Any]]) -> None:
    """Draw a line for each leg, one period of it or until a while after its last change."""
    end_s = max(_end_s(each) for each in attenuations.values())
    for (label, each), colour in zip(attenuations.items(), style.PALETTE, strict=False):
        points = [(point["at_ns"] / 1e9, point["db"]) for point in each["points"]]
        times, values = zip(*points, strict=True)
        axis.plot([0.0, *times, end_s], [values[0], *values, values[-1]], color=colour, label=label)
    axis.set_xlim(0.0, end_s)
    axis.set_ylabel("dB")
    axis.set_xlabel("Time since the start of the workload in s")
    axis.set_title("Attenuation")
    axis.legend(loc="best", fontsize=8)
    style.from_zero(axis)


def _end_s(attenuation: Mapping[str, Any]) -> float:
    period_ns = attenuation["period_ns"]
    last_s = attenuation["points"][-1]["at_ns"] / 1e9
    return float(period_ns / 1e9) if period_ns else max(1.15 * last_s, last_s + 1.0)
