"""The emulate engine: real time, the real kernel, one world of namespaces for each run."""

import json
import math
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from bentpipe import _core
from bentpipe.engine import provenance
from bentpipe.engine.host import cpu_time, cpu_wait, rt_priority, udp_buffers
from bentpipe.engine.host.cpu_idle import awake
from bentpipe.engine.host.rt_priority import Rank
from bentpipe.engine.process import user_namespace, vigil
from bentpipe.engine.process.configuration import Configuration, Identity
from bentpipe.engine.process.mark import marked
from bentpipe.engine.process.part import START_TIMEOUT_S, Part, PartError
from bentpipe.engine.programs import endpoints, iperf3, web_endpoints
from bentpipe.engine.programs.browser import warm_up
from bentpipe.engine.testbed import (
    congestion_control,
    hosts,
    kernel_tcp,
    netns,
    own_run,
    pep,
    receive_steering,
)
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
from bentpipe.invoking_user import ROOT
from bentpipe.model.flow import BulkWorkload, FlowsWorkload, Iperf3Workload
from bentpipe.model.hosts import TcpSpec
from bentpipe.model.page import PageLoadWorkload
from bentpipe.model.reason import EngineFailedReason, PacketsUnreadReason
from bentpipe.model.record import RunRecord
from bentpipe.model.report import ClientReport, LinkReport, OriginReport
from bentpipe.model.spec import RunSpec
from bentpipe.scenario.link import server_behind

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

    def run(self, *, run_id: str, spec: RunSpec, artifacts: Path | None) -> RunRecord:
        """Measure one run; see `bentpipe.campaign.engine.Engine`.

        A run that breaks is a record with status `failed`; nothing of its world is left behind.
        """
        source = {**provenance.of_this_host(), **_rights()}
        try:
            with self._controls.needed_by(spec):
                measured = _measure(spec, artifacts)
            record = _core.assemble_record(
                run_id=run_id,
                engine=NAME,
                spec=spec.to_json(),
                provenance=json.dumps({**source, **measured.provenance}),
                client=measured.client.to_json(),
                origin=measured.origin.to_json(),
                link=measured.link,
            )
        except (AbilityError, PartError, OSError) as error:
            record = _core.failed_record(
                run_id=run_id,
                engine=NAME,
                spec=spec.to_json(),
                provenance=json.dumps(source),
                reason=EngineFailedReason(error=str(error)).to_json(),
            )
        return RunRecord.model_validate_json(record)

    def close(self) -> None:
        """Remove the worlds of runs abandoned in the midst, as after Ctrl-C, and what they loaded."""
        self._controls.close()
        netns.clean(own=True)


@dataclass(frozen=True, kw_only=True)
class _Measured:
    """What both ends and the link (JSON) report, and how it was measured."""

    client: ClientReport
    origin: OriginReport
    link: str
    provenance: Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class RunningLink:
    """The link process of a testbed, and how it runs."""

    part: Part
    provenance: Mapping[str, str]


def missing() -> list[AbilityError]:
    """Name what this machine lacks for emulation; empty when it can emulate."""
    lacks = []
    if not user_namespace.may_emulate():
        lacks.append(_powerless())
    tun = Path("/dev/net/tun")
    if not tun.exists():
        lacks.append(AbilityError(f"{tun} is missing", "load the kernel module tun"))
    elif not os.access(tun, os.R_OK | os.W_OK):
        lacks.append(
            AbilityError(f"{tun} is not for this user", f"as root `chmod 0666 {tun}`, as udev has it")
        )
    if not any((Path(folder) / "ip").exists() for folder in os.get_exec_path()):
        lacks.append(AbilityError("the command `ip` is missing", "install the Debian package iproute2"))
    return lacks


def _rights() -> dict[str, str]:
    """By what a process emulates and what it is granted, for the record."""
    return {
        "privileges": "user namespace" if user_namespace.is_own() else "root",
        "udp_buffer_bytes": str(udp_buffers.allowed_bytes()),
    }


def _powerless() -> AbilityError:
    """Say what a process lacks that may make no network namespaces."""
    if os.geteuid() == ROOT:
        lacks = " and ".join(user_namespace.lacking())
        return AbilityError(
            f"emulation needs the capabilities NET_ADMIN and SYS_ADMIN, and root here is without {lacks}",
            "give the container both, or run as an ordinary user",
        )
    obstacle = user_namespace.obstacle()
    if obstacle is not None:
        return AbilityError(
            f"emulation needs root or a user namespace, and {obstacle.missing}", obstacle.remedy
        )
    return AbilityError(
        "emulation needs root or a user namespace, and this process has neither",
        f"--engine emulate on the command line enters one; other programs are started by"
        f" `{' '.join(user_namespace.COMMAND)} PROGRAM`",
    )


@contextmanager
def open_world(spec: RunSpec) -> Iterator[World]:
    """Make a world for a run's link, proxy and TCP settings; it is removed at the end, whatever happens.

    What killed processes left behind goes first.
    """
    own_run.prepare()
    netns.clean()
    world = World.create(
        mtu_bytes=spec.link.mtu_bytes,
        client=_settings(pep.client_tcp(spec), congestion_control.by_route(spec, "client")),
        server=_settings(spec.tcp, congestion_control.by_route(spec, "server")),
        middle=pep.middle(spec, _settings),
        server_addresses=tuple(hosts.addresses(spec).values()),
    )
    try:
        yield world
    finally:
        world.remove()


@contextmanager
def open_link(world: World, configuration: Configuration) -> Iterator[RunningLink]:
    """Start the link process of a world; its first answer says that it pumps."""
    has_offload = _core.has_segmentation_offload(configuration.spec.to_json())
    core = None
    if _core.has_receive_steering(configuration.spec.to_json()):
        core = receive_steering.steer(world.ends)
    devices = world.open_devices(segmentation_offload=has_offload)
    own = configuration.model_copy(update={"devices": devices, "link_core": core})
    try:
        link = Part("link", own, descriptors=devices)
    finally:
        for device in devices:
            os.close(device)
    with link, awake() as idle_cores:
        scheduling = rt_priority.put_first(link.pid, Rank.LINK)
        provenance = {
            "idle_cores": idle_cores,
            "link_scheduling": scheduling,
            "segmentation_offload": "on" if has_offload else "off",
            "receive_steering": "off" if core is None else "on",
        }
        yield RunningLink(part=link, provenance=provenance)


def configuration_of(spec: RunSpec, artifacts: Path | None) -> Configuration:
    """Return what every part is told first."""
    return Configuration(
        spec=spec,
        devices=None,
        client=CLIENT_ADDRESS,
        terminal=TERMINAL_ADDRESS,
        gateway=GATEWAY_ADDRESS,
        origin=SERVER_ADDRESS,
        identity=Identity.model_validate_json(_core.generate_identity(_certified(spec), _key(spec))),
        artifacts=None if artifacts is None else str(artifacts),
    )


def _measure(spec: RunSpec, artifacts: Path | None) -> _Measured:
    configuration = configuration_of(spec, artifacts)
    with ExitStack() as stack:
        world = stack.enter_context(open_world(spec))
        running = stack.enter_context(open_link(world, configuration))
        link = running.part
        proxies = stack.enter_context(pep.opened(world, configuration))
        programs = stack.enter_context(_opener(spec)(world, configuration))
        link.answer(timeout_s=START_TIMEOUT_S)
        proxies.await_ready()
        programs.await_ready()

        begin_ns = marked(link)
        started_s = time.monotonic()
        used_s, before = proxies.processor_s() + cpu_time.used_s([link.pid]), proxies.shares()
        with vigil.over([link, *proxies.parts, *programs.vital], abandon=programs.abandon):
            shares = {**programs.work(begin_ns), **cpu_wait.between(before, proxies.shares())}
        used_s = proxies.processor_s() + cpu_time.used_s([link.pid]) - used_s
        elapsed_s = time.monotonic() - started_s
        if _is_over_with_its_client(spec):
            link.order("close")
            link.answer(timeout_s=START_TIMEOUT_S)
        # Connections are closed over the link, and the last acknowledgements are still on their way.
        time.sleep(_linger_s(spec))
        # Before the link has gone: what still runs may send on.
        dropped = world.dropped_packets()
        link.order("report")
        link_report = link.answer(timeout_s=_REPORT_TIMEOUT_S)
        link_seen = LinkReport.model_validate_json(link_report)
        seen = programs.seen(link_seen)
        proxy_provenance = proxies.seen()
    starved = cpu_wait.doubt(
        shares,
        elapsed_s=elapsed_s,
        lateness_bound_s=spec.validity.lateness_p999_ns / 1e9,
        round_trips=_round_trips(spec, elapsed_s) if _is_flow(spec) else None,
    )
    doubts = [*seen.client.doubts, *([starved] if starved else [])]
    if dropped:
        doubts.append(PacketsUnreadReason(packets=dropped))
    if artifacts is not None and seen.client.tls_secrets:
        _core.add_secrets(str(artifacts / "packets.pcapng"), list(seen.client.tls_secrets))
    return _Measured(
        client=seen.client.model_copy(update={"doubts": doubts}),
        origin=seen.origin,
        link=link_report,
        provenance={
            **running.provenance,
            **proxy_provenance,
            **seen.versions,
            **_timers(link_seen),
            "link_and_proxies_cores": f"{used_s / elapsed_s:.3f}",
            "waited_for_a_core_ms": f"{cpu_wait.waited_s(shares) * 1e3:.2f}",
        },
    )


def _certified(spec: RunSpec) -> list[str]:
    own = list(hosts.addresses(spec))
    return own if spec.client is None else [*own, warm_up.HOST]


def _key(spec: RunSpec) -> str:
    """Ed25519's signatures have one length, but programs of others do not all know them."""
    return "ed25519" if spec.client is None and spec.server is None else "p256"


def _settings(tcp: TcpSpec, by_route: str | None = None) -> Settings:
    return Settings(
        route_attributes=kernel_tcp.route_attributes(tcp, congestion_control=by_route),
        sysctls=kernel_tcp.sysctls(tcp),
    )


def _is_over_with_its_client(spec: RunSpec) -> bool:
    """Whether nothing is measured after the client has reported; a flow up ends at the origin."""
    return isinstance(spec.workload, PageLoadWorkload)


def _timers(link: LinkReport) -> dict[str, str]:
    """How late bare timers beside the link were, for the record: what the machine costs any link."""
    timer = None if link.lateness is None else link.lateness.timer
    if timer is None:
        return {}
    return {"timer_late_p999_ms": f"{timer.p999 / 1e6:.3f}", "timer_late_max_ms": f"{timer.max / 1e6:.3f}"}


def _is_flow(spec: RunSpec) -> bool:
    return isinstance(spec.workload, BulkWorkload | FlowsWorkload | Iperf3Workload)


def _opener(spec: RunSpec) -> endpoints.Opener:
    return iperf3.opened if isinstance(spec.workload, Iperf3Workload) else web_endpoints.opened


def _linger_s(spec: RunSpec) -> float:
    """The client's FIN there, the server's back, the last acknowledgement there (RFC 9293 section 3.6)."""
    up_s = server_behind.direction(spec, server_behind.up(spec)).delay_ns / 1e9
    return _propagation_s(spec) + up_s + _CLOSING_MARGIN_S


def _round_trips(spec: RunSpec, elapsed_s: float) -> float:
    propagation_s = _propagation_s(spec)
    return elapsed_s / propagation_s if propagation_s else math.inf


def _propagation_s(spec: RunSpec) -> float:
    """There and back."""
    return (spec.link.forward.delay_ns + spec.link.return_.delay_ns) / 1e9
