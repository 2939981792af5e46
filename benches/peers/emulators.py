"""Emulators of a path, with two hosts that programs can be started on; those that are not here say why."""

import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from bentpipe.engine.emulate import configuration_of, open_link, open_world
from bentpipe.engine.process.part import START_TIMEOUT_S
from bentpipe.engine.testbed import netns
from bentpipe.model.spec import RunSpec
from bentpipe.scenario import resolve_document

MTU_BYTES = 1500
TRACE_MS = 1000
"""Length of mahimahi's traces, which it repeats."""
IP_FORWARD = Path("/proc/sys/net/ipv4/ip_forward")
NOBODY = "nobody"
"""As whom mahimahi runs under root, which it refuses."""


@dataclass(frozen=True, kw_only=True)
class EmulatedPath:
    """A rate each way and an RTT, as every emulator is told."""

    rate_bps: int
    rtt_ns: int

    @property
    def delay_ms(self) -> float:
        """One way."""
        return self.rtt_ns / 2e6


Start = Callable[[Sequence[str]], "subprocess.Popen[str]"]
"""Starts a program on a host, its output in a pipe."""


@dataclass(frozen=True, kw_only=True)
class Ends:
    """The two hosts, and the server's address as the client knows it."""

    client: Start
    server: Start
    address: str


class NotHereError(Exception):
    """The emulator is not on this machine, with the reason."""


Emulator = Callable[[EmulatedPath], AbstractContextManager[Ends]]
"""Opens a path; raises NotHereError."""


@contextmanager
def bentpipe(path: EmulatedPath) -> Iterator[Ends]:
    """Ours: TUN devices and the link process."""
    spec = _spec(path)
    with open_world(spec) as world, open_link(world, configuration_of(spec, None)) as running:
        running.part.answer(timeout_s=START_TIMEOUT_S)
        # As in a run: the bare timers are part of what it costs.
        running.part.order("mark")
        running.part.answer(timeout_s=START_TIMEOUT_S)
        yield Ends(
            client=_in_namespace(world.client),
            server=_in_namespace(world.server),
            address=netns.SERVER_ADDRESS,
        )


@contextmanager
def veth(_: EmulatedPath) -> Iterator[Ends]:
    """No emulator: the kernel's pair of devices alone, the limit of this machine and these programs."""
    with _veth() as ends:
        yield ends


@contextmanager
def netem(path: EmulatedPath) -> Iterator[Ends]:
    """The kernel's queueing discipline (tc-netem(8)) at both ends of a pair of devices."""
    if shutil.which("tc") is None:
        raise NotHereError("no tc: Debian's package iproute2 has it")
    with _veth() as ends:
        for name in _NAMES:
            # Room for what a flood has under way: a BDP is 44 000 packets at 1 Gbit/s and 530 ms.
            # A rate of IP packets, as the others have it: PACKETOVERHEAD takes Ethernet's header away.
            emulated = f"delay {path.delay_ms}ms rate {path.rate_bps}bit -14 limit 200000"
            command = f"ip netns exec {name} tc qdisc add dev {_DEVICE} root netem {emulated}"
            done = subprocess.run(command.split(), capture_output=True, text=True, check=False)
            if done.returncode != 0:
                raise NotHereError(f"tc: {done.stderr.strip()} (the kernel's module sch_netem)")
        yield ends


@contextmanager
def mahimahi(path: EmulatedPath) -> Iterator[Ends]:
    """Shells within one another, mm-delay and mm-link (Netravali et al., USENIX ATC 2015)."""
    lacks = [name for name in ("mm-delay", "mm-link") if shutil.which(name) is None]
    if lacks:
        raise NotHereError(f"no {' and no '.join(lacks)} on the PATH")
    if IP_FORWARD.read_text().strip() != "1":
        raise NotHereError("it wants sysctl net.ipv4.ip_forward=1")
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder, "trace")
        trace.write_text(_mahimahi_trace(path.rate_bps))
        for each in (Path(folder), trace):
            each.chmod(0o755)
        shells = ["mm-delay", f"{path.delay_ms:.0f}", "mm-link", str(trace), str(trace), "--", "sh", "-c"]
        user = ["setpriv", f"--reuid={NOBODY}", "--regid=nogroup", "--clear-groups"]
        prefix = [*(user if os.geteuid() == 0 else []), *shells]

        def inside(command: Sequence[str]) -> "subprocess.Popen[str]":
            # The outermost shell tells those within the address of the host.
            words = " ".join("$MAHIMAHI_BASE" if word == _BASE else shlex.quote(word) for word in command)
            return _started([*prefix, words])

        yield Ends(client=inside, server=_started, address=_BASE)


EMULATORS: dict[str, Emulator] = {
    "bentpipe": bentpipe,
    "netem": netem,
    "mahimahi": mahimahi,
    "veth alone": veth,
}
"""By the name in tables; the first is what the others are compared with."""

_BASE = "@"
_DEVICE = "bp-peer"
_NAMES = ("bp-peer-client", "bp-peer-server")
_ADDRESSES = ("198.18.1.1", "198.18.1.2")
"""RFC 2544: set aside for benchmarks."""


@contextmanager
def _veth() -> Iterator[Ends]:
    with ExitStack() as stack:
        for name in _NAMES:
            _ip(f"netns add {name}")
            stack.callback(_ip, f"netns del {name}")
        client, server = _NAMES
        _ip(f"-n {client} link add {_DEVICE} type veth peer name {_DEVICE} netns {server}")
        for name, address in zip(_NAMES, _ADDRESSES, strict=True):
            _ip(f"-n {name} address add {address}/30 dev {_DEVICE}")
            _ip(f"-n {name} link set {_DEVICE} mtu {MTU_BYTES} up")
        yield Ends(client=_in_namespace(client), server=_in_namespace(server), address=_ADDRESSES[1])


def _ip(words: str) -> None:
    subprocess.run(["ip", *words.split()], check=True)


def _in_namespace(name: str) -> Start:
    def start(command: Sequence[str]) -> "subprocess.Popen[str]":
        with netns.inside(name):
            return _started(command)

    return start


def _started(command: Sequence[str]) -> "subprocess.Popen[str]":
    return subprocess.Popen([*command], stdout=subprocess.PIPE, text=True)


def _spec(path: EmulatedPath) -> RunSpec:
    link = f"flat:down={path.rate_bps}bit/s,up={path.rate_bps}bit/s,rtt={path.rtt_ns}ns"
    scenario = resolve_document(
        {"repetitions": 1, "run": {"link": link, "ping": {"count": 1}}},
        file="peers",
        folder=Path(),
        default_name="peers",
        overrides=[],
    )
    return RunSpec.model_validate({**scenario.cells[0].spec, "seed": 1})


def _mahimahi_trace(rate_bps: int) -> str:
    """Return a constant rate as a trace: a line for each packet of 1500 bytes, with its millisecond."""
    packets = rate_bps * TRACE_MS // 1000 // (MTU_BYTES * 8)
    return "".join(f"{number * TRACE_MS // packets + 1}\n" for number in range(packets))
