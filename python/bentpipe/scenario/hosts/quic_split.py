"""Proxies that end QUIC at terminal and gateway, from what is written to the run specification."""

from typing import Final

from bentpipe.model.draft.hosts import TlsSpec
from bentpipe.model.draft.pep import QuicSplitPepSpec
from bentpipe.model.draft.spec import Workload
from bentpipe.scenario import defaults
from bentpipe.scenario.hosts.programs import Programs
from bentpipe.scenario.hosts.quic import quic_spec
from bentpipe.scenario.hosts.tcp import tcp_spec
from bentpipe.scenario.link.resolved import IPV4_HEADER_BYTES, UDP_HEADER_BYTES, ResolvedLink
from bentpipe.scenario.written import vocabulary
from bentpipe.scenario.written.location import Location, quoted
from bentpipe.scenario.written.quantity import size_bytes
from bentpipe.scenario.written.schema import PepTable, QuicTable, ResumeTable, TcpTable
from bentpipe.scenario.written.table import or_default

KIND: Final = "quic-split"
LEAST_RELAY_BUFFER_BYTES = 2_400
"""Two full packets of QUIC (RFC 9002 section 7.2): with less, a window would let none of them out."""


def quic_split_spec(table: PepTable, where: Location, *, cc: str, link: ResolvedLink) -> QuicSplitPepSpec:
    """Return the proxies, whose QUIC over the satellite is the operator's own, whatever the hosts have.

    Parameters
    ----------
    table : PepTable
        As written.
    where : Location
        Its place.
    cc : str
        Congestion control over the satellite where the proxies have none of their own.
    link : ResolvedLink
        As resolved.

    Raises
    ------
    InputError
        For a setting that cannot be.
    """
    place = or_default(table.place, defaults.PEP_PLACE)
    if place != "both":
        expected = '"both", as QUIC is split by two that trust each other'
        raise where.at("place").error(expected=expected, found=quoted(place))
    if or_default(table.standing, defaults.PEP_STANDING):
        expected = (
            "false, as a connection over the satellite has the host and protocol that its client asks for"
        )
        raise where.at("standing").error(expected=expected, found="true")
    tcp = tcp_spec(or_default(table.tcp, TcpTable()), where.at("tcp"), buffer_bytes=link.buffer_bytes)
    buffer = or_default(table.relay_buffer, defaults.PEP_RELAY_BUFFER)
    return {
        "kind": KIND,
        "cc": vocabulary.CONGESTION_CONTROL.checked(or_default(table.cc, cc), where.at("cc")),
        "quic": quic_spec(
            or_default(table.quic, QuicTable()),
            where.at("quic"),
            most_payload_bytes=link.mtu_bytes - IPV4_HEADER_BYTES - UDP_HEADER_BYTES,
            # As many packets as a proxy that splits TCP sends at first.
            initial_window=tcp["initial_window"],
            limit_bytes=link.buffer_bytes,
        ),
        "relay_buffer_bytes": size_bytes(buffer, where.at("relay_buffer"), least=LEAST_RELAY_BUFFER_BYTES),
    }


def check_quic_split_use(workload: Workload, where: Location) -> None:
    """Raise an InputError where no connection is QUIC's."""
    match workload["kind"]:
        case "page-load":
            why = f"{workload['http']} runs over TCP"
            is_quic = workload["http"] == "h3"
        case "bulk" | "iperf3":
            why = "the flow runs over TCP"
            is_quic = workload["transport"] == "quic"
        case "flows":
            why = "all flows run over TCP"
            is_quic = any(flow["transport"] == "quic" for flow in workload["flows"])
        case "ping":
            why, is_quic = "pings have no connection", False
    if not is_quic:
        others = tuple(name for name in vocabulary.PEP.available if name not in (KIND, "masque"))
        raise where.error(expected=f"{vocabulary.one_of(others)}, as {why}", found=quoted(KIND))


def check_quic_split_ends(
    where: Location, *, ends: Programs, tls: TlsSpec | None, resume: ResumeTable | None
) -> None:
    """Raise an InputError for what the ends have and connections through these proxies have not.

    Parameters
    ----------
    where : Location
        The place of the run.
    ends : Programs
        At both ends.
    tls : TlsSpec or None
        TLS of both ends.
    resume : ResumeTable or None
        How their senders resume, as written.
    """
    found = quoted(KIND)
    if ends.of_others():
        names = " and ".join(ends.of_others().values())
        expected = f"another proxy or none, as QUIC of {names} is not split here"
        raise where.at("pep").error(expected=expected, found=found)
    if tls is not None and tls["resumption"] != "none":
        expected = (
            f'"none" beside pep = {found}: each leg has a handshake of its own, which the host never sees'
        )
        raise where.at("tls").at("resumption").error(expected=expected, found=quoted(tls["resumption"]))
    if resume is not None and or_default(resume.method, defaults.RESUME) != "none":
        expected = f'"none" beside pep = {found}: the connections of the hosts do not cross the satellite'
        raise where.at("resume").at("method").error(expected=expected, found='"careful"')
