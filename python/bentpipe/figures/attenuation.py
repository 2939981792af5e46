"""What the atmosphere takes off a link's signal over time, as its specification says."""

from collections.abc import Mapping

from matplotlib.axes import Axes

from bentpipe.figures import style
from bentpipe.model.dvbs2 import AttenuationSpec
from bentpipe.model.link import ConstantCapacitySpec, LinkSpec

HEIGHT_IN = 1.6


def legs(spec: LinkSpec) -> Mapping[str, AttenuationSpec]:
    """The attenuation of each leg of a link that has any, by what the leg is called."""
    found = {}
    for name, capacity, receiver in (
        ("forward", spec.forward.capacity, "terminal"),
        ("return", spec.return_.capacity, "hub"),
    ):
        if not isinstance(capacity, ConstantCapacitySpec):
            found[f"{name}, to the satellite"] = capacity.es_n0.up.attenuation
            found[f"{name}, to the {receiver}"] = capacity.es_n0.down.attenuation
    return {label: attenuation for label, attenuation in found.items() if attenuation.points}


def draw_on(axis: Axes, attenuations: Mapping[str, AttenuationSpec]) -> None:
    """Draw a line for each leg, one period of it or until a while after its last change."""
    end_s = max(_end_s(each) for each in attenuations.values())
    for (label, each), colour in zip(attenuations.items(), style.PALETTE, strict=False):
        points = [(point.at_ns / 1e9, point.db) for point in each.points]
        times, values = zip(*points, strict=True)
        axis.plot([0.0, *times, end_s], [values[0], *values, values[-1]], color=colour, label=label)
    axis.set_xlim(0.0, end_s)
    axis.set_ylabel("dB")
    axis.set_xlabel("Time since the start of the workload in s")
    axis.set_title("Attenuation")
    axis.legend(loc="best", fontsize=8)
    style.from_zero(axis)


def _end_s(attenuation: AttenuationSpec) -> float:
    last_s = attenuation.points[-1].at_ns / 1e9
    return attenuation.period_ns / 1e9 if attenuation.period_ns else max(1.15 * last_s, last_s + 1.0)
