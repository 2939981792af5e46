"""Link tables on top of each other: what the upper one writes replaces what the lower one says."""

from collections.abc import Collection
from pathlib import Path
from typing import TypeVar

from bentpipe.scenario.written.link_schema import DirectionTable, ForwardTable, LinkTable, ReturnTable
from bentpipe.scenario.written.location import Location
from bentpipe.scenario.written.path_schema import EpochsTable, GeometryTable
from bentpipe.scenario.written.quantity import duration_ns
from bentpipe.scenario.written.satellite_schema import (
    CarrierTable,
    FadeTable,
    ForwardBackgroundTable,
    ReturnBackgroundTable,
)
from bentpipe.scenario.written.table import AnyTable, or_default

ALTERNATIVES = {
    "symbol_rate": ("bandwidth", "roll_off"),
    "bandwidth": ("symbol_rate",),
    "waveform": ("burst",),
    "burst": ("waveform",),
}
"""Keys of a carrier that take the place of others."""

SATELLITES = ("shells", "tle", "geostationary")
"""Keys of a geometry that take the place of each other."""

AnyDirection = TypeVar("AnyDirection", bound=DirectionTable)
AnyTraced = TypeVar("AnyTraced", ForwardTable, ReturnTable, LinkTable)
AnyCarrier = TypeVar("AnyCarrier", bound=CarrierTable)
AnyFile = TypeVar("AnyFile", FadeTable, ForwardBackgroundTable, ReturnBackgroundTable)


def with_delays(table: LinkTable, where: Location) -> LinkTable:
    """Return the table with its `rtt` as delays of the directions, half each; a written delay stays."""
    if table.rtt is None:
        return table
    rtt_ns = duration_ns(table.rtt, where.at("rtt"))
    return table.model_copy(
        update={
            "rtt": None,
            "forward": _delayed(or_default(table.forward, ForwardTable()), rtt_ns - rtt_ns // 2),
            "return_": _delayed(or_default(table.return_, ReturnTable()), rtt_ns // 2),
        }
    )


def with_folder(table: LinkTable, folder: Path) -> LinkTable:
    """Return the table with paths of files that hold wherever it is merged."""
    forward, return_ = table.forward, table.return_
    if forward is not None:
        forward = _with_anchored_trace(_with_anchored_fades(forward, folder), folder)
        if forward.background is not None:
            customers = [_anchored(each, folder) for each in forward.background]
            forward = forward.model_copy(update={"background": customers})
    if return_ is not None:
        return_ = _with_anchored_trace(_with_anchored_fades(return_, folder), folder)
        if return_.background is not None:
            terminals = [_anchored(each, folder) for each in return_.background]
            return_ = return_.model_copy(update={"background": terminals})
    geometry = table.geometry
    if geometry is not None and geometry.tle is not None:
        geometry = geometry.model_copy(update={"tle": str(folder / geometry.tle)})
    whole = _with_anchored_trace(table, folder)
    return whole.model_copy(update={"forward": forward, "return_": return_, "geometry": geometry})


def merged_links(lower: LinkTable, upper: LinkTable) -> LinkTable:
    """Return the link table that `upper` makes of `lower`; neither has an `rtt` any more.

    A part whose keys decide on its kind, such as a queue, is replaced; carriers and what belongs to their
    signal and their capacity are changed key by key, and so are epochs.
    """
    forward, return_ = upper.forward, upper.return_
    if lower.forward is not None and forward is not None:
        forward = _merged_forward(lower.forward, forward)
    if lower.return_ is not None and return_ is not None:
        return_ = _merged_return(lower.return_, return_)
    parts = {
        "forward": forward,
        "return_": return_,
        "epochs": _merged_epochs(lower.epochs, upper.epochs),
        "geometry": _merged_geometry(lower.geometry, upper.geometry),
    }
    return _over(lower, upper.model_copy(update=parts))


def _delayed(table: AnyDirection, delay_ns: int) -> AnyDirection:
    return table if table.delay is not None else table.model_copy(update={"delay": f"{delay_ns} ns"})


def _with_anchored_fades(table: AnyDirection, folder: Path) -> AnyDirection:
    attenuation = table.attenuation
    if attenuation is None:
        return table
    legs = {
        leg: None if fade is None else _anchored(fade, folder)
        for leg, fade in (("up", attenuation.up), ("down", attenuation.down))
    }
    return table.model_copy(update={"attenuation": attenuation.model_copy(update=legs)})


def _with_anchored_trace(table: AnyTraced, folder: Path) -> AnyTraced:
    trace = table.trace
    if trace is None:
        return table
    paths = {"file": trace.file, "delays": trace.delays}
    anchored = {key: None if path is None else str(folder / path) for key, path in paths.items()}
    return table.model_copy(update={"trace": trace.model_copy(update=anchored)})


def _anchored(table: AnyFile, folder: Path) -> AnyFile:
    return table if table.file is None else table.model_copy(update={"file": str(folder / table.file)})


def _merged_forward(lower: ForwardTable, upper: ForwardTable) -> ForwardTable:
    chosen = () if upper.dvbs2 is None else upper.dvbs2.written()
    dropped = {*_alternatives(chosen), *(() if upper.acm is None else ("modcod",))}
    parts = {
        "dvbs2": _merged(_without(lower.dvbs2, dropped), upper.dvbs2),
        "acm": _merged(None if "modcod" in chosen else lower.acm, upper.acm),
    }
    return _merged_direction(lower, upper, has_carrier=upper.dvbs2 is not None).model_copy(update=parts)


def _merged_return(lower: ReturnTable, upper: ReturnTable) -> ReturnTable:
    chosen = () if upper.rcs2 is None else upper.rcs2.written()
    parts = {"rcs2": _merged(_without(lower.rcs2, _alternatives(chosen)), upper.rcs2)}
    merged = _merged_direction(lower, upper, has_carrier=upper.rcs2 is not None).model_copy(update=parts)
    if lower.mixes is None or upper.mixes is None:
        return merged
    return merged.model_copy(update={"mixes": lower.mixes | upper.mixes})


def _merged_direction(lower: AnyDirection, upper: AnyDirection, *, has_carrier: bool) -> AnyDirection:
    """Return what both kinds of direction have; a carrier takes the place of a rate."""
    parts = {
        "rate": upper.rate if has_carrier else or_default(upper.rate, lower.rate),
        "clear_sky": _merged(lower.clear_sky, upper.clear_sky),
        "attenuation": _merged(lower.attenuation, upper.attenuation),
        "rate_variation": _merged(lower.rate_variation, upper.rate_variation),
        # Rows and a recording take the place of each other.
        "schedule": upper.schedule if upper.trace is not None else (upper.schedule or lower.schedule),
        "trace": upper.trace if upper.schedule is not None else (upper.trace or lower.trace),
    }
    return _over(lower, upper).model_copy(update=parts)


def _merged_epochs(lower: EpochsTable | None, upper: EpochsTable | None) -> EpochsTable | None:
    if lower is None or upper is None:
        return upper if lower is None else lower
    return _over(lower, upper).model_copy(update={"silence": _merged(lower.silence, upper.silence)})


def _merged_geometry(lower: GeometryTable | None, upper: GeometryTable | None) -> GeometryTable | None:
    if lower is None or upper is None:
        return upper if lower is None else lower
    # Satellites of one kind take the place of those of another.
    if any(getattr(upper, kind) is not None for kind in SATELLITES):
        lower = lower.model_copy(update=dict.fromkeys(SATELLITES))
    return _over(lower, upper)


def _alternatives(chosen: Collection[str]) -> set[str]:
    """Return the other ways to say what the upper table says."""
    return {other for key in chosen for other in ALTERNATIVES.get(key, ())}


def _without(carrier: AnyCarrier | None, dropped: Collection[str]) -> AnyCarrier | None:
    if carrier is None:
        return None
    return carrier.model_copy(update={key: None for key in carrier.written() if key in dropped})


def _merged(lower: AnyTable | None, upper: AnyTable | None) -> AnyTable | None:
    if lower is None or upper is None:
        return upper if lower is None else lower
    return _over(lower, upper)


def _over(lower: AnyTable, upper: AnyTable) -> AnyTable:
    return lower.model_copy(update={key: value for key, value in upper if value is not None})
