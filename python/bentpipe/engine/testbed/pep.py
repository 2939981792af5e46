"""Proxies on the path: the parts of a terminal and a gateway, and what their world is made of."""

import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

from bentpipe import _core
from bentpipe.engine.host import cpu_time, cpu_wait, rt_priority
from bentpipe.engine.process.configuration import Configuration
from bentpipe.engine.process.part import START_TIMEOUT_S, Part
from bentpipe.engine.testbed import netns
from bentpipe.engine.testbed.netns import Middle, Settings, World
from bentpipe.errors import AbilityError
from bentpipe.model.hosts import TcpSpec
from bentpipe.model.pep import MasquePepSpec, ProxyPepSpec, QuicSplitPepSpec, SplitPepSpec, TunnelPepSpec
from bentpipe.model.spec import RunSpec
from bentpipe.model.switch import Switch
from bentpipe.scenario.hosts.pep import host_mtu_bytes

COMMAND = "nft"
PACKAGE = "nftables"

_PLACES = {"terminal": ("terminal",), "gateway": ("gateway",), "both": ("terminal", "gateway")}


class Proxies:
    """The parts of a terminal and a gateway; none in a world without them."""

    def __init__(self, parts: tuple[Part, ...], *, start_timeout_s: float) -> None:
        self.parts = parts
        self._start_timeout_s = start_timeout_s

    def await_ready(self) -> None:
        """Return when they take connections. Raises PartError when one does not come up."""
        for part in self.parts:
            part.answer(timeout_s=self._start_timeout_s)

    def shares(self) -> cpu_wait.Shares:
        """Return what their threads have had of the cores so far."""
        return cpu_wait.shares(part.pid for part in self.parts)

    def processor_s(self) -> float:
        """Return the processor time that they have used so far."""
        return cpu_time.used_s(part.pid for part in self.parts)

    def seen(self) -> dict[str, str]:
        """End them; what each has done, for the record's provenance."""
        for part in self.parts:
            part.order("report")
        reports = {part.name: json.loads(part.answer(timeout_s=START_TIMEOUT_S)) for part in self.parts}
        return {
            f"{name}_{counted}": str(number)
            for name, report in reports.items()
            for counted, number in report.items()
        }


def missing() -> AbilityError | None:
    """Say that the tool for the kernel's interception rules is not there."""
    if shutil.which(COMMAND) is not None:
        return None
    return AbilityError(f"the command `{COMMAND}` is missing", f"install the Debian package {PACKAGE}")


@contextmanager
def opened(world: World, configuration: Configuration) -> Iterator[Proxies]:
    """Start the parts of the world's terminal and gateway; they end with the context."""
    with ExitStack() as stack:
        parts = []
        for name, namespace in (("terminal", world.terminal), ("gateway", world.gateway)):
            if namespace is not None:
                with netns.inside(namespace):
                    part = stack.enter_context(Part(name, configuration))
                rt_priority.put_before_browsers(part.pid, configuration.spec)
                parts.append(part)
        yield Proxies(tuple(parts), start_timeout_s=_start_timeout_s(configuration.spec))


def _start_timeout_s(spec: RunSpec) -> float:
    """Standing connections are opened over the link, which takes no longer than to use them."""
    is_standing = isinstance(spec.pep, SplitPepSpec) and spec.pep.standing is Switch.ON
    return START_TIMEOUT_S + (spec.validity.timeout_ns / 1e9 if is_standing else 0)


def client_tcp(spec: RunSpec) -> TcpSpec:
    """Return the TCP settings of the client: across the satellite to an HTTP proxy it has the proxy's."""
    return spec.pep.tcp if isinstance(spec.pep, ProxyPepSpec) else spec.tcp


def middle(spec: RunSpec, settings: Callable[[TcpSpec], Settings]) -> Middle | None:
    """Say what stands between the hosts of a run; None when there is nothing but the link.

    Parameters
    ----------
    spec
        The run's specification.
    settings
        Makes a namespace's settings of a TCP specification.

    Raises
    ------
    AbilityError
        When the machine cannot intercept connections.
    """
    pep = spec.pep
    if pep is None:
        return None
    intercepting = _PLACES[pep.place] if isinstance(pep, SplitPepSpec) else ()
    redirected = tuple(_core.quic_split_ports(spec.to_json())) if isinstance(pep, QuicSplitPepSpec) else ()
    lack = missing() if intercepting or redirected else None
    if lack is not None:
        raise lack
    # In a tunnel, from host to host, and at the proxies of QUIC there is no TCP of the proxies' own.
    tcp = spec.tcp if isinstance(pep, TunnelPepSpec | MasquePepSpec | QuicSplitPepSpec) else pep.tcp
    # A namespace allows Fast Open on both its legs or on none; on which it is used its sockets say.
    allowed = {"fast_open": Switch.ON} if Switch.ON in (tcp.fast_open, spec.tcp.fast_open) else {}
    return Middle(
        satellite=settings(tcp.model_copy(update=allowed)),
        host_mtu_bytes=host_mtu_bytes(
            spec.link.mtu_bytes, header_bytes=pep.header_bytes if isinstance(pep, TunnelPepSpec) else 0
        ),
        intercepting=intercepting,
        redirected_ports=redirected,
        port=_core.INTERCEPTION_PORT,
    )
