"""A performance-enhancing proxy on the path, from what is written to the run specification."""

from typing import TypedDict

from bentpipe.model.draft.cc import Algorithm
from bentpipe.model.draft.hosts import TcpSpec
from bentpipe.model.draft.pep import MasquePepSpec, PepSpec, SplitPepSpec
from bentpipe.model.draft.spec import Workload
from bentpipe.scenario import defaults
from bentpipe.scenario.hosts.quic_split import check_quic_split_use, quic_split_spec
from bentpipe.scenario.hosts.tcp import refuse_client_settings, tcp_spec
from bentpipe.scenario.link.resolved import (
    IPV4_HEADER_BYTES,
    LEAST_QUIC_BYTES,
    UDP_HEADER_BYTES,
    ResolvedLink,
)
from bentpipe.scenario.written import vocabulary
from bentpipe.scenario.written.location import Location, quoted
from bentpipe.scenario.written.quantity import size_bytes
from bentpipe.scenario.written.schema import PepTable, TcpTable
from bentpipe.scenario.written.table import or_default

MASQUE_BYTES = 41
"""What stands around a UDP packet within a connection to a proxy, as crates/http/src/masque/mod.rs has it."""


class _OverSatellite(TypedDict):
    """What a proxy has that ends connections."""

    cc: Algorithm
    tcp: TcpSpec
    relay_buffer_bytes: int


def pep_spec(
    table: PepTable, where: Location, *, cc: str, link: ResolvedLink, least_mtu_bytes: int
) -> PepSpec | None:
    """Return the proxy, or None where there is none.

    Settings that its kind does not have are not used, so that kinds can be varied.

    Parameters
    ----------
    table : PepTable
        As written.
    where : Location
        Its place.
    cc : str
        Congestion control over the satellite where the proxy has none of its own: what differs from a run
        without a proxy is then the proxy alone.
    link : ResolvedLink
        As resolved.
    least_mtu_bytes : int
        What a tunnel leaves of the link's MTU.

    Raises
    ------
    InputError
        When it has no kind, or a setting that cannot be.
    """
    if table.kind is None:
        expected = vocabulary.one_of(vocabulary.PEP.available)
        raise where.at("kind").error(expected=expected, found="nothing")
    match vocabulary.PEP.checked(table.kind, where):
        case "none":
            return None
        case "tunnel":
            header = or_default(table.header, defaults.TUNNEL_HEADER)
            most = link.mtu_bytes - least_mtu_bytes
            return {"kind": "tunnel", "header_bytes": size_bytes(header, where.at("header"), most=most)}
        case "masque":
            return _masque(table, where, cc=cc, link=link)
        case "proxy":
            return {"kind": "proxy", **_over_satellite(table, where, cc=cc, link=link)}
        case "quic-split":
            return quic_split_spec(table, where, cc=cc, link=link)
        case _:
            place = or_default(table.place, defaults.PEP_PLACE)
            over_satellite = _over_satellite(table, where, cc=cc, link=link)
            spec: SplitPepSpec = {
                "kind": "split",
                "place": vocabulary.PEP_PLACE.checked(place, where.at("place")),
                "cc": over_satellite["cc"],
                "tcp": over_satellite["tcp"],
                "relay_buffer_bytes": over_satellite["relay_buffer_bytes"],
            }
            # What is not in use is not in a specification.
            if or_default(table.standing, defaults.PEP_STANDING):
                _check_standing(spec, where)
                spec["standing"] = "on"
            return spec


def tunnel_header_bytes(pep: PepSpec | None) -> int:
    """Return what a tunnel puts before each packet; nothing where there is none."""
    return pep["header_bytes"] if pep is not None and pep["kind"] == "tunnel" else 0


def host_mtu_bytes(mtu_bytes: int, *, header_bytes: int) -> int:
    """Return the longest packet that a host can send: the header of a tunnel comes on top of it.

    As crates/run/src/spec.rs has it.
    """
    return mtu_bytes - header_bytes


def most_quic_bytes(pep: PepSpec | None, payload_bytes: int) -> int:
    """Return the longest UDP payload of the hosts' QUIC, where the path takes `payload_bytes`."""
    return payload_bytes - MASQUE_BYTES if pep is not None and pep["kind"] == "masque" else payload_bytes


def check_use(pep: PepSpec | None, workload: Workload, where: Location) -> None:
    """Raise an InputError when a proxy cannot do what the client does."""
    if pep is None:
        return
    if pep["kind"] == "masque":
        _check_masque(workload, where)
    if pep["kind"] == "quic-split":
        check_quic_split_use(workload, where)
    if pep["kind"] != "proxy":
        return
    why = f"{workload['kind']} makes no HTTP requests"
    if workload["kind"] == "page-load":
        if workload["http"] != "h3":
            return
        why = "h3 runs over UDP, and CONNECT carries TCP alone (RFC 9113 section 8.5)"
    others = tuple(name for name in vocabulary.PEP.available if name != "proxy")
    raise where.error(expected=f"{vocabulary.one_of(others)}, as {why}", found=quoted("proxy"))


def check_place(pep: PepSpec | None, where: Location, *, server_behind: str) -> None:
    """Raise an InputError for a proxy where the server is behind the terminal.

    Its hosts stand for a terminal before the client and a gateway before the server.
    """
    if pep is not None and server_behind == "terminal":
        expected = '"none", as the server is behind the terminal (server_behind)'
        raise where.error(expected=expected, found=quoted(pep["kind"]))


def _check_masque(workload: Workload, where: Location) -> None:
    """Raise an InputError when nothing that the client does is QUIC, or it visits before."""
    match workload["kind"]:
        case "page-load":
            is_quic, what = workload["http"] == "h3", f'http = "{workload["http"]}"'
        case "bulk":
            is_quic, what = workload["transport"] == "quic", "a flow over TCP"
        case "flows":
            is_quic = any(flow["transport"] == "quic" for flow in workload["flows"])
            what = "flows over TCP"
        case kind:
            is_quic, what = False, kind
    others = tuple(name for name in vocabulary.PEP.available if name not in ("masque", "quic-split"))
    expected = vocabulary.one_of(others)
    if not is_quic:
        why = f"there is no QUIC in {what}, and CONNECT-UDP carries nothing else here (RFC 9298)"
        raise where.error(expected=f"{expected}, as {why}", found=quoted("masque"))
    if workload["kind"] == "page-load" and workload.get("visit") == "repeat":
        why = "the visit before a repeat visit knows no proxy"
        raise where.error(expected=f"{expected}, as {why}", found=quoted("masque"))


def _masque(table: PepTable, where: Location, *, cc: str, link: ResolvedLink) -> MasquePepSpec:
    headers = IPV4_HEADER_BYTES + UDP_HEADER_BYTES
    least = LEAST_QUIC_BYTES + MASQUE_BYTES + headers
    if link.mtu_bytes < least:
        # RFC 9298 section 6.1: what carries QUIC has room for its smallest packets.
        expected = f"a link with an mtu of at least {least} B, so that QUIC's packets fit into datagrams,"
        raise where.error(expected=expected, found=f'"masque" with an mtu of {link.mtu_bytes} B')
    buffer = or_default(table.relay_buffer, defaults.PEP_RELAY_BUFFER)
    payload = link.mtu_bytes - headers
    return {
        "kind": "masque",
        "cc": vocabulary.CONGESTION_CONTROL.checked(or_default(table.cc, cc), where.at("cc")),
        "udp_payload_bytes": payload,
        # A packet at least has room in it.
        "relay_buffer_bytes": size_bytes(buffer, where.at("relay_buffer"), least=2 * payload),
    }


def _check_standing(spec: SplitPepSpec, where: Location) -> None:
    """Raise an InputError when there can be no standing connections between terminal and gateway."""
    if spec["place"] != "both":
        expected = 'false, as proxies have connections with each other where there are two (place = "both")'
        raise where.at("standing").error(expected=expected, found="true")
    if "fast_open" in spec["tcp"]:
        expected = "false, as a standing connection has no handshake that data could travel with"
        raise where.at("tcp.fast_open").error(expected=expected, found="true")


def _over_satellite(table: PepTable, where: Location, *, cc: str, link: ResolvedLink) -> _OverSatellite:
    tcp, place = or_default(table.tcp, TcpTable()), where.at("tcp")
    refuse_client_settings(tcp, place, why="a proxy connects when a client does")
    buffer = or_default(table.relay_buffer, defaults.PEP_RELAY_BUFFER)
    return {
        "cc": vocabulary.CONGESTION_CONTROL.checked(or_default(table.cc, cc), where.at("cc")),
        # The operator's own, whatever the hosts have.
        "tcp": tcp_spec(tcp, place, buffer_bytes=link.buffer_bytes),
        "relay_buffer_bytes": size_bytes(buffer, where.at("relay_buffer")),
    }
