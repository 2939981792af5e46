"""What an emulated run may ask of the kernel's TCP."""

from bentpipe import _core
from bentpipe.checkout import CHECKOUT
from bentpipe.errors import AbilityError
from bentpipe.model.cc import SlowStartChoice
from bentpipe.model.flow import BulkWorkload, FlowsWorkload, Iperf3Workload, Transport
from bentpipe.model.page import Http, PageLoadWorkload
from bentpipe.model.pep import ProxyPepSpec, SplitPepSpec
from bentpipe.model.spec import RunSpec

REMEDY = "a kernel with CONFIG_DEBUG_INFO_BTF; or --engine simulate"
"""What congestion controls as eBPF programs need. A wheel has the programs; elsewhere clang makes them."""
if CHECKOUT is not None:
    REMEDY = f"install clang, then `make clean setup`; {REMEDY}"

KERNEL = tuple(cc for cc, there in _core.KERNEL_CONGESTION_CONTROLS.items() if there == cc)
"""Congestion controls of the kernel by the names that scenarios use."""

LOADED = {cc: there for cc, there in _core.KERNEL_CONGESTION_CONTROLS.items() if there != cc}
"""Those that it gets as eBPF programs (crates/bpf), with their names there."""


SEARCH = _core.KERNEL_CUBIC_WITH_SEARCH
"""What CUBIC is called there, likewise loaded, where its slow start ends by SEARCH."""


def kernel_name(cc: str, spec: RunSpec) -> str:
    """Return the kernel's name of a congestion control of a run."""
    if cc == "cubic" and spec.slow_start is SlowStartChoice.SEARCH:
        return SEARCH
    return LOADED.get(cc, cc)


def loaded_for(spec: RunSpec) -> tuple[str, ...]:
    """Name, as the kernel does, what has to be loaded for the TCP sockets of a run, each once."""
    names = (kernel_name(cc, spec) for cc in of_sockets(spec))
    return tuple(name for name in dict.fromkeys(names) if name == SEARCH or name in LOADED.values())


def available() -> tuple[str, ...]:
    """Name what TCP connections of emulated runs can have on this machine."""
    return KERNEL if _core.congestion_control_obstacle() else (*KERNEL, *LOADED)


def refused(spec: RunSpec) -> str | None:
    """Return the first congestion control of a run that its TCP sockets cannot have, if there is one.

    QUIC brings its own and has all of them.

    Raises
    ------
    AbilityError
        When it is one that could be loaded, but not by this machine.
    """
    ccs = of_sockets(spec)
    unknown = next((cc for cc in ccs if cc not in KERNEL and cc not in LOADED), None)
    loaded = next((cc for cc in ccs if kernel_name(cc, spec) not in KERNEL), None)
    if unknown is not None or loaded is None:
        return unknown
    obstacle = _core.congestion_control_obstacle()
    if obstacle:
        what = f'"{loaded}"' if loaded in LOADED else f'"{loaded}" with slow_start "{spec.slow_start}"'
        raise AbilityError(f"{what} cannot be loaded into the kernel: {obstacle}", REMEDY)
    return None


def of_tcp(spec: RunSpec) -> tuple[str, ...]:
    """Name the congestion controls of a run's TCP connections, those of a proxy included, each once."""
    # QUIC passes a proxy by.
    return of_sockets(spec) if _of_hosts(spec) else ()


def of_sockets(spec: RunSpec) -> tuple[str, ...]:
    """Name those that TCP sockets of a run ask for, each once: of a proxy that QUIC passes by, too."""
    # Those of QUIC's proxies are QUIC's.
    proxy = (spec.pep.cc,) if isinstance(spec.pep, SplitPepSpec | ProxyPepSpec) else ()
    return tuple(dict.fromkeys((*_of_hosts(spec), *proxy)))


def by_route(spec: RunSpec, end: str) -> str | None:
    """Return the kernel's name of what the routes of one end, `client` or `server`, must ask for.

    None where the program there is ours, which asks by itself, or has no TCP.
    """
    is_foreign = (spec.client if end == "client" else spec.server) is not None
    ccs = _of_hosts(spec) if is_foreign else ()
    return kernel_name(ccs[0], spec) if ccs else None


def _of_hosts(spec: RunSpec) -> tuple[str, ...]:
    match spec.workload:
        case PageLoadWorkload(http=http) if http is not Http.H3:
            return (spec.cc,)
        case BulkWorkload(transport=Transport.TCP) | Iperf3Workload():
            return (spec.cc,)
        case FlowsWorkload(flows=flows):
            return tuple(flow.cc for flow in flows if flow.transport is Transport.TCP)
        case _:
            return ()
