"""What an emulated run may ask of the kernel's TCP."""

from collections.abc import Mapping
from typing import Any

from bentpipe import _core
from bentpipe.errors import AbilityError

REMEDY = "install clang, then `make clean setup`; a kernel with CONFIG_DEBUG_INFO_BTF; or --engine simulate"
"""What congestion controls as eBPF programs need."""

KERNEL = ("reno", "cubic", "bbr")
"""Congestion controls of the kernel by the names that scenarios use (crates/run/src/spec.rs, kernel_name)."""

LOADED = {"hybla": "bp_hybla", "vivace": "bp_vivace"}
"""Those that it gets as eBPF programs (crates/bpf), with their names there."""


def available() -> tuple[str, ...]:
    """Name what TCP connections of emulated runs can have on this machine."""
    return KERNEL if _core.congestion_control_obstacle() else (*KERNEL, *LOADED)


def refused(spec: Mapping[str, Any]) -> str | None:
    """Return the congestion control of a run when it is one that its TCP connections cannot have.

    QUIC brings its own and has all of them.

    Raises
    ------
    AbilityError
        When it is one that could be loaded, but not by this machine.
    """
    cc: str = spec["cc"]
    if not uses_tcp(spec["workload"]) or cc in KERNEL:
        return None
    if cc not in LOADED:
        return cc
    obstacle = _core.congestion_control_obstacle()
    if obstacle:
        raise AbilityError(f'"{cc}" cannot be loaded into the kernel: {obstacle}', REMEDY)
    return None


def uses_tcp(workload: Mapping[str, Any]) -> bool:
    """Whether a run has TCP connections."""
    match workload["kind"]:
        case "page-load":
            return bool(workload["http"] != "h3")
        case "bulk":
            return bool(workload["transport"] == "tcp")
        case _:
            return False
