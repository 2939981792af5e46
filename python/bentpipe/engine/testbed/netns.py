"""Network namespaces: the one file that needs root, or a user namespace (`process.user_namespace`).

A *world* is two namespaces, a client's and a server's, each with one TUN device whose other end is the link
process. With a proxy on the path it is four: the TUN devices are a terminal's and a gateway's then, each of
which is joined to its host by a pair of veth devices. Their names carry the process that made them, so that
what an interrupted process left behind is known by its name and removed at the next start.
"""

import ctypes
import fcntl
import itertools
import os
import re
import struct
import subprocess
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from bentpipe import _core
from bentpipe.engine.process import user_namespace
from bentpipe.engine.process.maker import Maker
from bentpipe.engine.process.user_namespace import RUN_NETNS
from bentpipe.engine.testbed import netns_pids, offload
from bentpipe.errors import AbilityError

DEVICE = "bp0"
"""The device towards the link, of every namespace: TUN at its ends, veth of a host beside one."""

HOST_DEVICE = "bp1"
"""The terminal's and the gateway's device (veth) towards their host."""

CLIENT_ADDRESS = _core.CLIENT_ADDRESS
SERVER_ADDRESS = _core.SERVER_ADDRESS
TERMINAL_ADDRESS = _core.TERMINAL_ADDRESS
GATEWAY_ADDRESS = _core.GATEWAY_ADDRESS
"""Those of the hosts in simulations too (crates/net/src/addresses.rs)."""

TX_QUEUE_PACKETS = 100_000
"""Room between the kernel and the link process: a burst must wait in the link's queue, not be lost here."""

_PLACE = re.compile(r"-(client|server|terminal|gateway)$")
_INTERCEPTED_MARK = 1
_INTERCEPTED_TABLE = 100
"""Packets of intercepted connections are marked, and a table of their own has them delivered here."""
_TUNSETIFF = 0x400454CA
_IFF_TUN, _IFF_NO_PI, _IFF_VNET_HDR = 0x0001, 0x1000, 0x4000
_CLONE_NEWNET = 0x40000000
OUT_OF_CTRL_C = 0
"""A process group of its own: an `ip` that Ctrl-C ends leaves half a world."""
_numbers = itertools.count()


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How TCP is set.

    Attributes
    ----------
    route_attributes : str
        What `ip route` is told of routes.
    sysctls : mapping of str to str
        Further settings below /proc/sys/net of a namespace, by path.
    """

    route_attributes: str
    sysctls: Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class Middle:
    """A terminal and a gateway, with the link between them.

    Attributes
    ----------
    satellite : Settings
        TCP between them; the namespaces of both have its sysctls.
    host_mtu_bytes : int
        MTU of client and server; no larger than that of the link.
    intercepting : tuple of str
        Which of `terminal` and `gateway` accept the TCP connections that come from the client's side.
    port : int
        Where they accept them.
    redirected_ports : tuple of int
        UDP ports: what the client sends to them, of any host, comes to the same ports of the terminal, and
        answers appear to come from there.
    """

    satellite: Settings
    host_mtu_bytes: int
    intercepting: tuple[str, ...]
    port: int
    redirected_ports: tuple[int, ...] = ()


@dataclass(frozen=True, kw_only=True)
class World:
    """The namespaces of one run.

    Attributes
    ----------
    client, server : str
        Names of the hosts' namespaces.
    terminal, gateway : str or None
        Names of those at the ends of the link, where the hosts themselves are not.
    """

    client: str
    server: str
    terminal: str | None = None
    gateway: str | None = None

    @classmethod
    def create(
        cls,
        *,
        mtu_bytes: int,
        client: Settings,
        server: Settings,
        middle: Middle | None = None,
        server_addresses: Sequence[str] = (SERVER_ADDRESS,),
    ) -> Self:
        """Make the namespaces with their devices, addresses, routes and kernel settings.

        Parameters
        ----------
        mtu_bytes
            MTU of the link.
        client, server
            TCP of the hosts.
        middle
            What stands between them besides the link.
        server_addresses
            All addresses of the server, its own first.

        Raises
        ------
        AbilityError
            When the process may not make namespaces, devices or rules.
        """
        prefix = Maker.this_process().name(str(next(_numbers)))
        world = cls(
            client=f"{prefix}-client",
            server=f"{prefix}-server",
            terminal=f"{prefix}-terminal" if middle else None,
            gateway=f"{prefix}-gateway" if middle else None,
        )
        further = tuple(server_addresses[1:])
        try:
            configure("".join(f"netns add {name}\n" for name in world.names))
            if middle is None:
                world._join(mtu_bytes=mtu_bytes, client=client, server=server, further=further)
            else:
                world._separate(
                    mtu_bytes=mtu_bytes, client=client, server=server, middle=middle, further=further
                )
        except BaseException:
            world.remove()
            raise
        return world

    @property
    def names(self) -> tuple[str, ...]:
        """All namespaces."""
        return tuple(filter(None, (self.client, self.terminal, self.gateway, self.server)))

    @property
    def ends(self) -> tuple[str, str]:
        """Those with the TUN devices, on the client's and on the server's side."""
        return self.terminal or self.client, self.gateway or self.server

    def open_devices(self, *, segmentation_offload: bool = False) -> tuple[int, int]:
        """Open the TUN devices on the client's and the server's side; the caller closes the descriptors.

        With segmentation offload a header stands before each packet, which may be a super-segment (`tun.rst`,
        Linux kernel documentation).
        """
        flags = _IFF_TUN | _IFF_NO_PI | (_IFF_VNET_HDR if segmentation_offload else 0)
        client, server = self.ends
        return _open_tun(client, flags), _open_tun(server, flags)

    def dropped_packets(self) -> int:
        """Packets that devices lost before the link process could read them, or on the way to and from it."""
        return sum(_dropped(name) for name in self.names)

    def remove(self) -> None:
        """Remove all namespaces, and with them their devices and what still runs in them."""
        for name in self.names:
            _delete(name)

    def _join(self, *, mtu_bytes: int, client: Settings, server: Settings, further: tuple[str, ...]) -> None:
        for name, own, peer, settings, own_further, beyond in (
            (self.client, CLIENT_ADDRESS, SERVER_ADDRESS, client, (), further),
            (self.server, SERVER_ADDRESS, CLIENT_ADDRESS, server, further, ()),
        ):
            with inside(name):
                _set_up(settings)
                configure(
                    f"{_tun(mtu_bytes)}"
                    f"address add {own} peer {peer} dev {DEVICE}\n"
                    f"route replace {peer} dev {DEVICE} {settings.route_attributes}\n"
                    + _addresses(own_further)
                    + "".join(
                        f"route replace {address} dev {DEVICE} {settings.route_attributes}\n"
                        for address in beyond
                    )
                )

    def _separate(
        self,
        *,
        mtu_bytes: int,
        client: Settings,
        server: Settings,
        middle: Middle,
        further: tuple[str, ...],
    ) -> None:
        assert self.terminal is not None and self.gateway is not None
        client_side = _Side(
            host=self.client, host_address=CLIENT_ADDRESS, host_settings=client,
            router=self.terminal, router_address=TERMINAL_ADDRESS,
            beyond=(GATEWAY_ADDRESS, SERVER_ADDRESS, *further), towards_client=HOST_DEVICE,
        )  # fmt: skip
        server_side = _Side(
            host=self.server, host_address=SERVER_ADDRESS, host_settings=server,
            router=self.gateway, router_address=GATEWAY_ADDRESS,
            beyond=(TERMINAL_ADDRESS, CLIENT_ADDRESS), towards_client=DEVICE, further=further,
        )  # fmt: skip
        for place, side in (("terminal", client_side), ("gateway", server_side)):
            side.make(mtu_bytes=mtu_bytes, middle=middle, intercepts=place in middle.intercepting)
        if middle.redirected_ports:
            with inside(self.terminal):
                _redirect(HOST_DEVICE, ports=middle.redirected_ports)


@dataclass(frozen=True, kw_only=True)
class _Side:
    """A host and the end of the link beside it, which forwards what it does not intercept."""

    host: str
    host_address: str
    host_settings: Settings
    router: str
    router_address: str
    beyond: tuple[str, ...]
    towards_client: str
    further: tuple[str, ...] = ()
    """Addresses of the host beside its first."""

    def make(self, *, mtu_bytes: int, middle: Middle, intercepts: bool) -> None:
        # Known to each other from the beginning: no ARP in the measurement.
        host_mac, router_mac = "02:00:00:00:00:01", "02:00:00:00:00:02"
        attributes = self.host_settings.route_attributes
        with inside(self.router):
            write_sysctl("ipv4/ip_forward", "1")
            # Packets may leave from another host's address.
            write_sysctl("ipv4/conf/all/rp_filter", "0")
            write_sysctl("ipv4/conf/default/rp_filter", "0")
            _set_up(middle.satellite)
        with inside(self.host):
            _set_up(self.host_settings)
            configure(
                f"link set lo up\n"
                f"link add {DEVICE} address {host_mac} type veth"
                f" peer name {HOST_DEVICE} address {router_mac} netns {self.router}\n"
                f"link set {DEVICE} mtu {middle.host_mtu_bytes} up\n"
                f"address add {self.host_address} peer {self.router_address} dev {DEVICE}\n"
                f"neigh replace {self.router_address} lladdr {router_mac} dev {DEVICE} nud permanent\n"
                + "".join(
                    f"route replace {address} via {self.router_address} dev {DEVICE} {attributes}\n"
                    for address in self.beyond
                )
                + _addresses(self.further)
            )
            offload.switch_off(DEVICE)
        with inside(self.router):
            configure(
                f"{_tun(mtu_bytes)}"
                f"link set {HOST_DEVICE} mtu {mtu_bytes} up\n"
                f"address add {self.router_address} peer {self.host_address} dev {HOST_DEVICE}\n"
                f"neigh replace {self.host_address} lladdr {host_mac} dev {HOST_DEVICE} nud permanent\n"
                f"route replace {self.host_address} dev {HOST_DEVICE} {attributes}\n"
                + "".join(
                    f"route replace {address} via {self.host_address} dev {HOST_DEVICE} {attributes}\n"
                    for address in self.further
                )
                + "".join(
                    f"route replace {address} dev {DEVICE} src {self.router_address}"
                    f" {middle.satellite.route_attributes}\n"
                    for address in self.beyond
                )
            )
            offload.switch_off(HOST_DEVICE)
            if intercepts:
                _intercept(self.towards_client, port=middle.port)


@contextmanager
def inside(name: str) -> Iterator[None]:
    """Move the calling thread into a namespace; processes started meanwhile stay there."""
    home = os.open("/proc/thread-self/ns/net", os.O_RDONLY)
    try:
        target = os.open(RUN_NETNS / name, os.O_RDONLY)
        try:
            enter(target)
        finally:
            os.close(target)
        try:
            yield
        finally:
            enter(home)
    finally:
        os.close(home)


def clean(*, own: bool = False) -> list[str]:
    """Remove the namespaces of processes that have ended, or of this process where `own` is set.

    Returns
    -------
    list of str
        The names removed.

    Raises
    ------
    AbilityError
        When this process may not remove them.
    """
    names = leftovers(own=own)
    if names and not os.access(RUN_NETNS, os.W_OK):
        raise AbilityError(f"the namespace {names[0]} cannot be removed", "run as root")
    for name in names:
        # Fails where another process cleans at the same time, and removes the same.
        _delete(name)
    return names


def leftovers(*, own: bool = False) -> list[str]:
    """Name the namespaces that `clean` would remove."""
    if not RUN_NETNS.is_dir():
        return []
    found = []
    for path in sorted(RUN_NETNS.iterdir()):
        maker = Maker.of(path.name)
        if maker is None or not _PLACE.search(path.name):
            continue
        if maker == Maker.this_process() if own else maker.has_ended():
            found.append(path.name)
    return found


def quieten() -> None:
    """Have the namespace send no router solicitations and no duplicate-address probes."""
    write_sysctl("ipv6/conf/all/disable_ipv6", "1")
    write_sysctl("ipv6/conf/default/disable_ipv6", "1")


def _set_up(settings: Settings) -> None:
    quieten()
    # Servers of others run as an ordinary user, at the ports of the Web all the same.
    write_sysctl("ipv4/ip_unprivileged_port_start", "0")
    # And so does ping(8) (icmp(7)): for all groups, or those that there are in a user namespace.
    if user_namespace.is_own():
        write_sysctl("ipv4/ping_group_range", f"{os.getegid()} {os.getegid()}")
    else:
        with suppress(OSError):
            write_sysctl("ipv4/ping_group_range", "0 2147483647")
    # Nothing that a connection learns reaches the next one.
    write_sysctl("ipv4/tcp_no_metrics_save", "1")
    for path, value in settings.sysctls.items():
        write_sysctl(path, value)


def _addresses(further: Sequence[str]) -> str:
    return "".join(f"address add {address} dev {DEVICE}\n" for address in further)


def _tun(mtu_bytes: int) -> str:
    return (
        f"link set lo up\n"
        f"tuntap add dev {DEVICE} mode tun\n"
        f"link set {DEVICE} mtu {mtu_bytes} txqueuelen {TX_QUEUE_PACKETS} up\n"
    )


def _intercept(towards_client: str, *, port: int) -> None:
    """Deliver here what would pass: new TCP connections from the client's side, then all their packets.

    Those of terminal and gateway with each other would not. See `tproxy.rst`, Linux kernel documentation.
    """
    # An accepted connection has the mark of its first packet.
    write_sysctl("ipv4/tcp_reflect_tos", "1")
    # What a client opens from a port that it has used before is opened onwards too (RFC 6191).
    write_sysctl("ipv4/tcp_tw_reuse", "1")
    configure(
        f"rule add fwmark {_INTERCEPTED_MARK} table {_INTERCEPTED_TABLE}\n"
        f"route add local default dev lo table {_INTERCEPTED_TABLE}\n"
    )
    accept = f"meta mark set {_INTERCEPTED_MARK} accept"
    _run(
        ["nft", "--file", "-"],
        f"""table ip bentpipe {{
            chain intercept {{
                type filter hook prerouting priority mangle;
                meta l4proto tcp socket transparent 1 {accept}
                ip daddr {{ {TERMINAL_ADDRESS}, {GATEWAY_ADDRESS} }} accept
                iifname "{towards_client}" tcp flags & (syn | ack) == syn tproxy to :{port} {accept}
            }}
        }}
        """,
        package="nftables",
    )


def _redirect(towards_client: str, *, ports: Sequence[int]) -> None:
    """Deliver here what the client sends by UDP to these ports of any host (nft(8), NAT statements)."""
    listed = ", ".join(map(str, ports))
    _run(
        ["nft", "--file", "-"],
        f"""table ip bentpipe {{
            chain quic {{
                type nat hook prerouting priority dstnat;
                iifname "{towards_client}" udp dport {{ {listed} }} redirect
            }}
        }}
        """,
        package="nftables",
    )


def _open_tun(name: str, flags: int) -> int:
    with inside(name):
        device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
        request = struct.pack("16sH22x", DEVICE.encode(), flags)
        try:
            fcntl.ioctl(device, _TUNSETIFF, request)
        except OSError:
            os.close(device)
            raise
    return device


def _dropped(name: str) -> int:
    with inside(name):
        lines = Path("/proc/thread-self/net/dev").read_text().splitlines()
    counters = dict(line.split(":", 1) for line in lines if ":" in line)
    # Columns: eight of reception, then transmitted bytes, packets, errors, drops.
    own = (text for device, text in counters.items() if device.strip() in (DEVICE, HOST_DEVICE))
    return sum(int(text.split()[11]) for text in own)


def configure(batch: str) -> None:
    """Have `ip` make addresses, routes and devices where this thread is; raises AbilityError."""
    _run(["ip", "-batch", "-"], batch, package="iproute2")


def _run(command: Sequence[str], script: str, *, package: str) -> None:
    try:
        result = subprocess.run(
            command,
            input=script,
            text=True,
            capture_output=True,
            check=False,
            process_group=OUT_OF_CTRL_C,
        )
    except FileNotFoundError:
        raise AbilityError(
            f"the command `{command[0]}` is not installed", f"install the Debian package {package}"
        ) from None
    if result.returncode != 0:
        message = result.stderr.strip().splitlines()
        raise AbilityError(
            f"network namespaces cannot be made: {message[0] if message else f'{command[0]} failed'}",
            "run as root; `bentpipe doctor` says what else is missing",
        )


def write_sysctl(path: str, value: str) -> None:
    """Set a sysctl below `net`, such as `ipv4/ip_forward`, of the namespace of this thread."""
    file = Path("/proc/sys/net") / path
    # A kernel built without IPv6 has nothing to switch off.
    if file.exists() or not path.startswith("ipv6/"):
        file.write_text(value)


def _delete(name: str) -> None:
    netns_pids.kill_all(RUN_NETNS / name)
    subprocess.run(
        ["ip", "netns", "delete", name], capture_output=True, check=False, process_group=OUT_OF_CTRL_C
    )


def enter(descriptor: int) -> None:
    """Move the calling thread into the namespace of a descriptor; raises AbilityError."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.setns(descriptor, _CLONE_NEWNET) != 0:
        error = ctypes.get_errno()
        raise AbilityError(
            f"thread {threading.current_thread().name} may not enter a namespace: {os.strerror(error)}",
            "run as root",
        )
