"""What this machine can do, and what to install for what it cannot."""

import os
import platform
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from importlib.util import find_spec
from pathlib import Path

from bentpipe import _core
from bentpipe.checkout import CHECKOUT
from bentpipe.engine.host import cpu_idle, rt_priority, udp_buffers
from bentpipe.engine.host.rt_priority import Rank
from bentpipe.engine.process import scratch, user_namespace
from bentpipe.engine.programs import third_party
from bentpipe.engine.testbed import congestion_control, netns, netns_pids, pep
from bentpipe.invoking_user import ROOT
from bentpipe.scenario.link import rain

AVAILABLE_CC = Path("/proc/sys/net/ipv4/tcp_available_congestion_control")


class Finding(StrEnum):
    """How a check ended."""

    OK = "ok"
    MISSING = "missing"
    """Emulation does not work without it."""
    OPTIONAL = "optional"
    """Something beyond a measurement does not work without it."""


@dataclass(frozen=True, kw_only=True)
class Check:
    """One thing looked at.

    Attributes
    ----------
    name : str
        What was looked at.
    finding : Finding
        How it ended.
    found : str
        What is there.
    remedy : str
        What to do; empty when there is nothing to do.
    """

    name: str
    finding: Finding
    found: str
    remedy: str = ""

    def __str__(self) -> str:
        """Write the check as one line, or two with its remedy."""
        line = f"{self.finding:<9} {self.name}: {self.found}"
        return f"{line}\n{'':<10}{self.remedy}" if self.remedy else line


def report() -> list[Check]:
    """Look at what the simulation and the emulation need, then at what makes the latter better."""
    return [*_needed(), *_wanted()]


def _needed() -> Iterator[Check]:
    yield Check(name="simulate engine", finding=Finding.OK, found="needs nothing of this machine")
    yield _privileges()
    yield _tun()
    ip = shutil.which("ip")
    yield _required("iproute2", ip is not None, ip or "no command ip", "apt-get install iproute2")
    kernel = platform.release()
    yield _required(
        "kernel",
        _version(kernel) >= (5, 9),
        kernel,
        "Linux 5.9 or later (TUN rings that never drop silently)",
    )
    available = AVAILABLE_CC.read_text().split() if AVAILABLE_CC.exists() else []
    for name in congestion_control.KERNEL:
        yield _required(
            f"congestion control {name}",
            name in available,
            "available" if name in available else f"only {', '.join(available) or 'none'}",
            f"load the kernel module tcp_{name} (modprobe tcp_{name})",
        )


def _privileges() -> Check:
    whose = "root" if os.geteuid() == ROOT else f"user {os.geteuid()}"
    if user_namespace.may_emulate():
        inside = ", in a user namespace" if user_namespace.is_own() else ""
        return Check(name="privileges", finding=Finding.OK, found=whose + inside)
    if os.geteuid() == ROOT:
        lacks = " and ".join(f"CAP_{name}" for name in user_namespace.lacking())
        remedy = "give the container NET_ADMIN and SYS_ADMIN, which it withholds; or run as an ordinary user"
        return Check(name="privileges", finding=Finding.MISSING, found=f"root without {lacks}", remedy=remedy)
    obstacle = user_namespace.obstacle()
    return _required(
        "privileges",
        obstacle is None,
        f"{whose}, by a user namespace with --engine emulate" if obstacle is None else obstacle.missing,
        "" if obstacle is None else obstacle.remedy,
    )


def _tun() -> Check:
    tun = Path("/dev/net/tun")
    if not tun.exists():
        remedy = "load the kernel module tun (modprobe tun)"
        return Check(name="TUN", finding=Finding.MISSING, found=f"no {tun}", remedy=remedy)
    is_open = os.access(tun, os.R_OK | os.W_OK)
    return _required(
        "TUN",
        is_open,
        str(tun) if is_open else f"{tun} is not for this user",
        f"as root `chmod 0666 {tun}`, as udev has it",
    )


def _wanted() -> Iterator[Check]:
    cores = len(os.sched_getaffinity(0))
    yield _useful(
        "cores", cores >= 2, str(cores), "with one core the link waits for the programs: expect late runs"
    )
    yield _awake_cores()
    with rt_priority.first(Rank.LINK):
        goes_first = os.sched_getscheduler(0) == os.SCHED_FIFO
    yield _useful(
        "real-time priority",
        goes_first,
        "granted" if goes_first else "refused",
        f"root, or `USER - rtprio {Rank.LINK:d}` in /etc/security/limits.conf: without it the link waits for"
        " other programs, and runs on a busy machine are invalid",
    )
    buffer_bytes = udp_buffers.allowed_bytes()
    has_all = buffer_bytes >= udp_buffers.WANTED_BYTES
    settings = " ".join(f"{name}={udp_buffers.WANTED_BYTES}" for name in udp_buffers.LIMITS)
    yield _useful(
        "UDP buffers",
        has_all,
        f"{buffer_bytes} bytes" if has_all else f"{buffer_bytes} bytes by {udp_buffers.limits()}",
        f"root, or as root `sysctl -w {settings}`: fast QUIC may lose packets where it should not",
    )
    left = _leftovers()
    yield _useful("leftovers", not left, " and ".join(left) or "none", "bentpipe clean")
    yield _tool("tshark", "tshark", purpose="to read captures and to test them")
    yield _tool("iperf3", "iperf3", purpose="for iperf3 as client and server of flows")
    nft = shutil.which(pep.COMMAND)
    yield _useful(
        pep.PACKAGE,
        nft is not None,
        nft or "not installed",
        f"apt-get install {pep.PACKAGE}, for proxies that split connections",
    )
    kernel = platform.release()
    yield _useful(
        "kernel for browsers",
        _version(kernel) >= (5, 12),
        kernel,
        "Linux 5.12 or later, for browsers that are measured (they see files read-only by mount_setattr(2))",
    )
    for program in third_party.ALL:
        found = program.found()
        remedy = f"{program.remedy}, {program.purpose}"
        yield _useful(program.name, found is not None, found or "not installed", remedy)
    has_rain = find_spec("itur") is not None
    yield _useful(
        "itur",
        has_rain,
        "installed" if has_rain else "not installed",
        f"{rain.REMEDY}, for rain over a site",
    )
    yield from _loaded_congestion_controls()


def _leftovers() -> list[str]:
    """Say in words what ended runs have left."""
    left = []
    if worlds := [*netns.leftovers(), *scratch.leftovers()]:
        left.append(f"{len(worlds)} namespaces and folders of ended runs")
    if strays := netns_pids.strays():
        left.append(f"{len(strays)} processes of ended runs")
    if controls := _core.congestion_control_leftovers():
        left.append(f"the congestion controls {', '.join(controls)} of killed runs")
    return left


def _loaded_congestion_controls() -> Iterator[Check]:
    # A wheel has the programs that it compiles.
    if CHECKOUT is not None:
        clang = _clang()
        yield _useful(
            "clang",
            clang is not None,
            clang or "not installed",
            "apt-get install clang, then `make clean setup`: for congestion controls as eBPF",
        )
    btf = Path("/sys/kernel/btf/vmlinux")
    yield _useful(
        "eBPF type information",
        btf.exists(),
        str(btf) if btf.exists() else "none",
        "a kernel with CONFIG_DEBUG_INFO_BTF, for congestion controls as eBPF",
    )
    obstacle = _core.congestion_control_obstacle()
    yield _useful(
        f"{', '.join(congestion_control.LOADED)} and SEARCH for the kernel's TCP",
        obstacle is None,
        obstacle or "can be loaded",
        congestion_control.REMEDY if os.geteuid() == ROOT else "run as root: eBPF programs are the machine's",
    )


def _clang() -> str | None:
    """Find what crates/bpf/build.rs finds: clang, or one that a distribution calls clang-14."""
    names = ["clang", *(f"clang-{version}" for version in range(39, 11, -1))]
    return next(filter(None, map(shutil.which, names)), None)


def _required(name: str, is_there: bool, found: str, remedy: str) -> Check:
    if is_there:
        return Check(name=name, finding=Finding.OK, found=found)
    return Check(name=name, finding=Finding.MISSING, found=found, remedy=remedy)


def _awake_cores() -> Check:
    name, request = "cores that stay awake", cpu_idle.LATENCY_REQUEST
    if cpu_idle.never_halt():
        return _useful(name, True, cpu_idle.POLLING_KERNEL, "")
    if not cpu_idle.has_driver():
        return _useful(
            name,
            False,
            "no cpuidle driver: idle cores halt",
            "if runs are late, a busy loop of idle priority on each core (docs/guide/troubleshooting.md), or"
            f" {cpu_idle.POLLING_KERNEL} on the kernel's command line: a hypervisor may wake cores late",
        )
    can_ask = os.access(request, os.W_OK)
    return _useful(
        name,
        can_ask,
        str(request) if can_ask else "none",
        f"root, or a writable {request}: without it the host adds some 0.3 ms to a round trip",
    )


def _useful(name: str, is_there: bool, found: str, remedy: str) -> Check:
    if is_there:
        return Check(name=name, finding=Finding.OK, found=found)
    return Check(name=name, finding=Finding.OPTIONAL, found=found, remedy=remedy)


def _tool(name: str, package: str, *, purpose: str) -> Check:
    path = shutil.which(package)
    return _useful(name, path is not None, path or "not installed", f"apt-get install {package}, {purpose}")


def _version(release: str) -> tuple[int, ...]:
    digits = release.split("-")[0].split(".")[:2]
    return tuple(int(part) for part in digits if part.isdigit())
