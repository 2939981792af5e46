"""What the link itself says of a specification that cannot be, by the key that its author wrote."""

import re
from collections.abc import Sequence
from typing import TypeVar

from bentpipe import _core
from bentpipe.errors import InputError
from bentpipe.scenario import defaults
from bentpipe.scenario.written.link_schema import ForwardTable, LinkTable, ReturnTable
from bentpipe.scenario.written.location import Location
from bentpipe.scenario.written.satellite_schema import BackgroundTable, MixTable, Rcs2Table
from bentpipe.scenario.written.table import or_default

AnyBackground = TypeVar("AnyBackground", bound=BackgroundTable)

_LAYOUT = {
    "request_symbols": "request_length",
    "guard_symbols": "guard",
    "idle_symbols": "silence",
}
_VARIATION = {
    "between_cv": "between",
    "within_cv": "within",
    "within_step_ns": "step",
    "within_correlation": "correlation",
}
_SILENCE = {
    "median_ns": "median",
    "p90_ns": "p90",
    "min_ns": "least",
    "max_ns": "most",
    "lead_min_ns": "lead",
    "lead_max_ns": "lead",
}
_EPOCHS = {
    "period_ns": "period",
    "phase_ns": "phase",
    "edge_jitter_ns": "edge_jitter",
    "start_unix_ns": "start",
    "start_span_ns": "start_within",
    "delay": "steps",
}
_GEOMETRY = {
    "altitude_m": "altitude",
    "inclination_deg": "inclination",
    "raan_spread_deg": "spread",
    "raan_deg": "ascending_node",
    "argument_of_latitude_deg": "argument_of_latitude",
    "latitude_deg": "latitude",
    "longitude_deg": "longitude",
    "minimum_elevation_deg": "least_elevation",
    "gateway_minimum_elevation_deg": "least_elevation_of_gateway",
}
_RETURN = {"lead_ns": "rcs2.lead", "request_delay_ns": "delay", "signalling": "rcs2.signalling"}


def error_from_core(error: _core.SpecError, table: LinkTable, where: Location) -> InputError:
    """Return the error of a link's specification.

    Parameters
    ----------
    error : _core.SpecError
        What was said, of a field of the specification.
    table : LinkTable
        The link as written.
    where : Location
        Its place.
    """
    return where.at(written_key(error.path, table)).error(expected=error.expected, found=error.found)


def slots_error(error: _core.SpecError, table: ReturnTable, where: Location) -> InputError:
    """Return the error of a return link's slots, of which nothing else is known yet."""
    return where.at(_rcs2_key(_steps(error.path), table)).error(expected=error.expected, found=error.found)


def written_key(path: str, table: LinkTable) -> str:
    """Return the key of a link that decides on a field of its specification."""
    match _steps(path):
        case ["mtu_bytes"]:
            return "mtu"
        case ["forward" | "return" as direction, "queue", *_]:
            return f"{direction}.queue"
        case ["forward", "capacity", *rest]:
            return f"forward.{_dvbs2_key(rest, or_default(table.forward, ForwardTable()))}"
        case ["return", "capacity", *rest]:
            return f"return.{_rcs2_key(rest, or_default(table.return_, ReturnTable()))}"
        case ["forward" | "return" as direction, "schedule", *rest]:
            return _schedule_key(direction, rest, table)
        case steps:
            return ".".join(steps)


def _schedule_key(direction: str, steps: Sequence[str], table: LinkTable) -> str:
    own = table.forward if direction == "forward" else table.return_
    if own is not None and own.schedule is not None:
        return f"{direction}.schedule"
    match steps:
        case ["capacity", field]:
            return f"{direction}.rate_variation.{_VARIATION[field]}"
        case ["delay", "geometry", *rest]:
            return ".".join(["geometry", *_geometry_steps(rest)])
        case ["silence", field]:
            return f"epochs.silence.{_SILENCE[field]}"
        case [field, *_]:
            return f"epochs.{_EPOCHS.get(field, field)}"
        case _:
            return "epochs"


def _geometry_steps(steps: Sequence[str]) -> Sequence[str]:
    match steps:
        case ["constellation", "shells", index, field]:
            return ["shells", str(int(index) + 1), _GEOMETRY.get(field, field)]
        case ["constellation", "text"]:
            return ["tle"]
        case ["constellation", *rest]:
            return [_GEOMETRY.get(step, step) for step in rest]
        case ["gateways", index, field]:
            return ["gateways", str(int(index) + 1), _GEOMETRY.get(field, field)]
        case ["isl", "stretch"]:
            return ["isl_stretch"]
        case _:
            return [_GEOMETRY.get(step, step) for step in steps]


def _steps(path: str) -> list[str]:
    """`classes[0].mix` as ["classes", "0", "mix"]."""
    return re.findall(r"[^.\[\]]+", path)


def _dvbs2_key(steps: Sequence[str], table: ForwardTable) -> str:
    match steps:
        case ["symbols_per_s"]:
            is_bandwidth = table.dvbs2 is not None and table.dvbs2.bandwidth is not None
            return "dvbs2.bandwidth" if is_bandwidth else "dvbs2.symbol_rate"
        case ["encapsulation", "label_bytes"]:
            return "dvbs2.label"
        case ["modulation", "modcods", index]:
            classes = or_default(table.classes, [])
            is_own = int(index) < len(classes) and classes[int(index)].modcod is not None
            return f"classes.{int(index) + 1}.modcod" if is_own else "dvbs2.modcod"
        case ["modulation", "modcod" | "modcods"]:
            return "dvbs2.modcod"
        case ["modulation", field]:
            return f"acm.{field.removesuffix('_db').removesuffix('_ns')}"
        case ["classes", index, field, *_]:
            return f"classes.{int(index) + 1}.{field}"
        case ["background", index, *rest]:
            number, _ = _background_table(int(index), or_default(table.background, []))
            return f"background.{number}.queue" if rest == ["limit_bytes"] else f"background.{number}"
        case ["es_n0", *rest]:
            return _signal_key(rest)
        case [field, *_]:
            return f"dvbs2.{field.removesuffix('_ns')}"
        case _:
            return "dvbs2"


def _rcs2_key(steps: Sequence[str], table: ReturnTable) -> str:
    link = or_default(table.rcs2, Rcs2Table())
    match steps:
        case ["layout", "symbols_per_s"]:
            return "rcs2.symbol_rate" if link.bandwidth is None else "rcs2.bandwidth"
        case ["layout", "burst_symbols"]:
            return "rcs2.burst.length" if link.waveform is None else "rcs2.waveform"
        case ["layout", field]:
            return f"rcs2.{_LAYOUT.get(field, field)}"
        case ["burst", *rest]:
            if link.waveform is not None:
                return "rcs2.waveform"
            return ".".join(["rcs2.burst", *(field.removesuffix("_db") for field in rest)])
        case ["encapsulation", "protocol_bytes" | "label_bytes" as field]:
            return f"rcs2.{field.removesuffix('_bytes')}"
        case ["mix", *rest]:
            return _mix_key(rest, or_default(table.dama, defaults.DAMA_RCS2), table, named_by="dama")
        case ["classes", index, "mix", *rest]:
            each = or_default(table.classes, [])[int(index)]
            return _mix_key(rest, each.mix or "", table, named_by=f"classes.{int(index) + 1}.mix")
        case ["classes", index, field, *_]:
            return f"classes.{int(index) + 1}.{field}"
        case ["background", index, *rest]:
            return _background_key(int(index), rest, table)
        case ["es_n0", *rest]:
            return _signal_key(rest)
        case ["background"]:
            return "background"
        case ["signalling", field]:
            return f"rcs2.signalling.{field}"
        case [field, *_]:
            return _RETURN.get(field, "rcs2" if field == "layout" else f"rcs2.{field}")
        case _:
            return "rcs2"


def _mix_key(steps: Sequence[str], name: str, table: ReturnTable, *, named_by: str) -> str:
    """Return the key in a mix of the link; one that every link has stands where it is named."""
    mix = (table.mixes or {}).get(name)
    if mix is None:
        return named_by
    key = _key_of_mix(steps, mix)
    return f"mixes.{name}.{key}" if key else f"mixes.{name}"


def _key_of_mix(steps: Sequence[str], mix: MixTable) -> str:
    match steps:
        case ["rbdc", "timeout_superframes"]:
            return "rbdc_timeout" if mix.rbdc_timeout is not None else "rbdc"
        case ["volume", *_]:
            return "vbdc" if mix.vbdc is not None else "avbdc"
        case [kind, *_]:
            return kind
        case _:
            return ""


def _background_key(index: int, steps: Sequence[str], table: ReturnTable) -> str:
    """Return the key of a terminal; a table may stand for several of them."""
    number, each = _background_table(index, or_default(table.background, []))
    place = f"background.{number}"
    match steps:
        case ["mix", *rest]:
            return _mix_key(rest, each.mix or "", table, named_by=f"{place}.mix")
        case ["limit_bytes"]:
            return f"{place}.queue"
        case _:
            return place


def _background_table(index: int, tables: Sequence[AnyBackground]) -> tuple[int, AnyBackground]:
    first = 0
    for number, each in enumerate(tables, start=1):
        first += or_default(each.count, defaults.BACKGROUND_COUNT)
        if index < first:
            return number, each
    return len(tables), tables[-1]


def _signal_key(steps: Sequence[str]) -> str:
    match steps:
        case [leg, "clear_sky_db"]:
            return f"clear_sky.{leg}"
        case [leg, *_]:
            return f"attenuation.{leg}"
        case _:
            return "clear_sky"
