"""The emulate engine: real time, the real kernel, one world of namespaces for each run."""

import json
import math
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bentpipe import _core
from bentpipe.engine import provenance
from bentpipe.engine.host import cpu_time, cpu_wait, rt_priority
from bentpipe.engine.host.cpu_idle import awake
from bentpipe.engine.host.rt_priority import Rank
from bentpipe.engine.process import vigil
from bentpipe.engine.process.part import START_TIMEOUT_S, Part, PartError
from bentpipe.engine.programs import endpoints, iperf3, web_endpoints
from bentpipe.engine.programs.browser import warm_up
from bentpipe.engine.testbed import congestion_control, hosts, kernel_tcp, netns, pep
from bentpipe.engine.testbed.kernel_control import KernelControls
from bentpipe.engine.testbed.netns import (
    CLIENT_ADDRESS,
    GATEWAY_ADDRESS,
    SERVER_ADDRESS,
    TERMINAL_ADDRESS,
    Settings,
    World,
)
from bentpipe.errors import AbilityError

NAME = "emulate"

_REPORT_TIMEOUT_S = 120.0
"""For the link to have its capture on the disk, however slow that is."""

_CLOSING_MARGIN_S = 0.1
"""What closing may take beyond propagation: queues, delayed acknowledgements (40 ms)."""


class Emulator:
    """Measures runs on the real kernel. Safe to call from several threads at once."""

    name = NAME

    def __init__(self) -> None:
        self._controls = KernelControls()

    def run(self, *, run_id: str, spec: Mapping[str, Any], artifacts: Path | None) -> dict[str, Any]:
        """Measure one run; see `bentpipe.campaign.engine.Engine`.

        A run that breaks is a record with status `failed`; nothing of its world is left behind.
        """
        spec_json = json.dumps(spec)
        source = provenance.of_this_host()
        try:
            with self._controls.needed_by(spec):
                reports = _measure(spec, artifacts, source)
            record = _core.assemble_record(
                run_id=run_id,
                engine=NAME,
                spec=spec_json,
                provenance=json.dumps(source),
                client=reports.client,
                origin=reports.origin,
                link=reports.link,
            )
        except (AbilityError, PartError, OSError) as error:
            record = _core.failed_record(
                run_id=run_id, engine=NAME, spec=spec_json, provenance=json.dumps(source), reason=str(error)
            )
        result: dict[str, Any] = json.loads(record)
        return result

    def close(self) -> None:
        """Remove the worlds of runs abandoned in the midst, as after Ctrl-C, and what they loaded."""
        self._controls.close()
        netns.clean(own=True)


@dataclass(frozen=True, kw_only=True)
class _Reports:
    client: str
    origin: str
    link: str


def missing() -> list[AbilityError]:
    """Name what this machine lacks for emulation; empty when it can emulate."""
    lacks = []
    if os.geteuid() != 0:
        lacks.append(
            AbilityError("emulation needs root (network namespaces)", "run with sudo, or --engine simulate")
        )
    if not Path("/dev/net/tun").exists():
        lacks.append(AbilityError("/dev/net/tun is missing", "load the kernel module tun"))
    if not any((Path(folder) / "ip").exists() for folder in os.get_exec_path()):
        lacks.append(AbilityError("the command `ip` is missing", "install the Debian package iproute2"))
    return lacks


@contextmanager
def open_world(spec: Mapping[str, Any]) -> Iterator[World]:
    """Make a world for a run's link, proxy and TCP settings; it is removed at the end, whatever happens.

    What killed processes left behind goes first.
    """
    netns.clean()
    world = World.create(
        mtu_bytes=spec["link"]["mtu_bytes"],
        client=_settings(pep.client_tcp(spec), congestion_control.by_route(spec, "client")),
        server=_settings(spec["tcp"], congestion_control.by_route(spec, "server")),
        middle=pep.middle(spec, _settings),
        server_addresses=tuple(hosts.addresses(spec).values()),
    )
    try:
        yield world
    finally:
        world.remove()


@contextmanager
def open_link(world: World, configuration: Mapping[str, Any], source: dict[str, str]) -> Iterator[Part]:
    """Start the link process of a world; its first answer says that it pumps."""
    devices = world.open_devices()
    try:
        link = Part("link", {**configuration, "devices": devices}, descriptors=devices)
    finally:
        for device in devices:
            os.close(device)
    with link, awake() as idle_cores:
        source["idle_cores"] = idle_cores
        source["link_scheduling"] = rt_priority.put_first(link.pid, Rank.LINK)
        yield link


def configuration_of(spec: Mapping[str, Any], artifacts: Path | None) -> dict[str, Any]:
    """What every part is told first."""
    return {
        "spec": spec,
        "devices": None,
        "client": CLIENT_ADDRESS,
        "terminal": TERMINAL_ADDRESS,
        "gateway": GATEWAY_ADDRESS,
        "origin": SERVER_ADDRESS,
        "identity": json.loads(_core.generate_identity(_certified(spec), _key(spec))),
        "artifacts": None if artifacts is None else str(artifacts),
    }


def _measure(spec: Mapping[str, Any], artifacts: Path | None, source: dict[str, str]) -> _Reports:
    configuration = configuration_of(spec, artifacts)
    with ExitStack() as stack:
        world = stack.enter_context(open_world(spec))
        link = stack.enter_context(open_link(world, configuration, source))
        proxies = stack.enter_context(pep.opened(world, configuration))
        programs = stack.enter_context(_opener(spec)(world, configuration))
        link.answer(timeout_s=START_TIMEOUT_S)
        proxies.await_ready()
        programs.await_ready()

        link.order("mark")
        link.answer(timeout_s=START_TIMEOUT_S)
        began_s = time.monotonic()
        used_s, before = proxies.processor_s() + cpu_time.used_s([link.pid]), proxies.shares()
        with vigil.over([link, *proxies.parts, *programs.vital], abandon=programs.abandon):
            shares = {**programs.work(), **cpu_wait.between(before, proxies.shares())}
        used_s = proxies.processor_s() + cpu_time.used_s([link.pid]) - used_s
        elapsed_s = time.monotonic() - began_s
        # Connections are closed over the link, and the last acknowledgements are still on their way.
        time.sleep(_linger_s(spec))
        # Before the link has gone: what still runs may send on.
        dropped = world.dropped_packets()
        link.order("report")
        link_report = link.answer(timeout_s=_REPORT_TIMEOUT_S)
        seen = programs.seen(link_report)
        source |= proxies.seen()
    source |= seen.versions
    source["link_and_proxies_cores"] = f"{used_s / elapsed_s:.3f}"
    source["waited_for_a_core_ms"] = f"{cpu_wait.waited_s(shares) * 1e3:.2f}"
    starved = cpu_wait.doubt(
        shares,
        elapsed_s=elapsed_s,
        lateness_bound_s=spec["validity"]["lateness_p999_ns"] / 1e9,
        round_trips=_round_trips(spec, elapsed_s) if _is_flow(spec) else None,
    )
    doubts: list[str] = seen.client["doubts"]
    if starved:
        doubts.append(starved)
    if dropped:
        doubts.append(f"{dropped} packets lost before the link process read them")
    if artifacts is not None and seen.client["tls_secrets"]:
        _core.add_secrets(str(artifacts / "packets.pcapng"), seen.client["tls_secrets"])
    return _Reports(client=json.dumps(seen.client), origin=json.dumps(seen.origin), link=link_report)


def _certified(spec: Mapping[str, Any]) -> list[str]:
    own = list(hosts.addresses(spec))
    return [*own, warm_up.HOST] if "client" in spec else own


def _key(spec: Mapping[str, Any]) -> str:
    """Ed25519's signatures have one length, but programs of others do not all know them."""
    return "ed25519" if spec.get("client") is None and spec.get("server") is None else "p256"


def _settings(tcp: Mapping[str, Any], by_route: str | None = None) -> Settings:
    return Settings(
        route_attributes=kernel_tcp.route_attributes(tcp, congestion_control=by_route),
        sysctls=kernel_tcp.sysctls(tcp),
    )


def _is_flow(spec: Mapping[str, Any]) -> bool:
    return spec["workload"]["kind"] in {"bulk", "flows", iperf3.KIND}


def _opener(spec: Mapping[str, Any]) -> endpoints.Opener:
    return iperf3.opened if spec["workload"]["kind"] == iperf3.KIND else web_endpoints.opened


def _linger_s(spec: Mapping[str, Any]) -> float:
    """The client's FIN there, the server's back, the last acknowledgement there (RFC 9293 section 3.6)."""
    return_ns: int = spec["link"]["return"]["delay_ns"]
    return _propagation_s(spec) + return_ns / 1e9 + _CLOSING_MARGIN_S


def _round_trips(spec: Mapping[str, Any], elapsed_s: float) -> float:
    propagation_s = _propagation_s(spec)
    return elapsed_s / propagation_s if propagation_s else math.inf


def _propagation_s(spec: Mapping[str, Any]) -> float:
    """There and back."""
    forward_ns, return_ns = (spec["link"][direction]["delay_ns"] for direction in ("forward", "return"))
    return float(forward_ns + return_ns) / 1e9
