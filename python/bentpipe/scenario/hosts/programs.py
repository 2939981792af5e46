"""Programs that are not ours as client and server: what a scenario may ask of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import get_args

from bentpipe import _core
from bentpipe.model.draft.page import PageLoadWorkload
from bentpipe.model.draft.spec import Browser, Server, Workload
from bentpipe.scenario import defaults
from bentpipe.scenario.hosts import iperf3
from bentpipe.scenario.written import vocabulary
from bentpipe.scenario.written.location import Location, quoted
from bentpipe.scenario.written.quantity import MILLISECOND_NS, duration_ns
from bentpipe.scenario.written.schema import HostsTable, HostTable, RunTable, TcpTable
from bentpipe.scenario.written.table import Table, first_written, or_default, quoted_part

BROWSERS = get_args(Browser)
SERVERS = get_args(Server)

HTTP_OF = {
    # Browsers speak HTTP/2 over TLS alone and dropped SPDY in 2016; HTTP/1.0 none of them asks for.
    "chromium": ("h1", "h1s", "h2", "h3"),
    "firefox": ("h1", "h1s", "h2", "h3"),
    # Debian's nginx is built without HTTP/3.
    "nginx": ("h1", "h1s", "h2"),
    "caddy": ("h1", "h1s", "h2", "h3"),
}
"""What a program is set up for here."""

QUIC_GO_CC = "reno"
"""The one congestion control of Caddy's QUIC library: quic-go gives NewReno (RFC 9002 section 7) to every
connection (internal/ackhandler/sent_packet_handler.go, `NewCubicSender(..., true, // use Reno`), and its
author says that there is no other and no choice (quic-go issues 3508 and 3876)."""

CHROMIUM_CONNECTIONS = 6
"""To one host (net/socket/client_socket_pool_manager.cc, `g_max_sockets_per_group`); no option changes it."""
CHROMIUM_RETRY_NS = 250 * MILLISECOND_NS
"""After which it opens a second connection beside one that is slow to come (net/socket/client_socket_pool.h,
`kMaxConnectRetryIntervalMs`); no option changes it."""

Refusals = tuple[tuple[str, object], ...]
"""Keys of a table with the value at which a program leaves them alone."""

PROCESSOR_TIMES: Refusals = tuple((key, defaults.PROCESSOR_TIME) for key in HostTable.model_fields)
"""Of a host's processor."""

TLS: Refusals = (
    ("version", defaults.TLS_VERSION),
    ("resumption", defaults.RESUMPTION),
    # A browser offers what it has been built with; Debian's nginx and Caddy have no ML-KEM.
    ("key_exchange", defaults.KEY_EXCHANGE),
)

OF_SOCKETS: Refusals = (
    ("fast_open", defaults.FAST_OPEN),
    ("nagle", defaults.NAGLE),
    ("pacing", defaults.PACING),
    ("max_pacing_rate", None),
)
"""Of TCP what a program sets for each of its sockets, iperf3 too; the others are of its namespace."""

OF_CLIENT: Mapping[str, Refusals] = {
    "": (
        ("requests_per_connection", defaults.REQUESTS_PER_CONNECTION),
        ("pipelining", defaults.PIPELINING),
        ("optimistic_pipelining", None),
        ("push", defaults.PUSH),
        ("visit", defaults.VISIT),
    ),
    "tcp": (
        *OF_SOCKETS,
        ("connect_retries", defaults.CONNECT_RETRIES),
        ("idle_reset", defaults.IDLE_RESET),
        ("idle_fallback", defaults.IDLE_FALLBACK),
    ),
    "quic": (("stream_receive_window", None), ("receive_window", None), ("ack_frequency", None)),
    "http2": (("stream_window", None), ("connection_window", None), ("header_table", None)),
    "tls": TLS,
    "host.client": PROCESSOR_TIMES,
}
"""What is a client's to set, and no browser's. By table of [run]."""

OF_SERVER: Mapping[str, Refusals] = {
    "": (
        ("requests_per_connection", defaults.REQUESTS_PER_CONNECTION),
        ("pipelining", defaults.PIPELINING),
        ("push", defaults.PUSH),
        ("priorities", defaults.PRIORITIES),
        ("response_header", None),
    ),
    "tcp": OF_SOCKETS,
    "quic": (
        ("initial_window", None),
        ("initial_rtt", None),
        ("send_window", None),
        ("udp_payload", None),
        ("max_concurrent_streams", None),
        ("cwnd_validation", defaults.CWND_VALIDATION),
        ("ack_frequency", None),
        ("ecn", defaults.QUIC_ECN),
    ),
    "http2": (("max_concurrent_streams", None), ("header_table", None)),
    "tls": TLS,
    "host.server": PROCESSOR_TIMES,
}
"""What is a server's to set, and none's but ours."""


@dataclass(frozen=True, kw_only=True)
class Programs:
    """What runs at the two ends."""

    client: vocabulary.Client
    server: vocabulary.Server

    @property
    def browser(self) -> Browser | None:
        """The client where it is a browser, as a specification has it; iperf3 has a workload."""
        return self.client if self.client == "chromium" or self.client == "firefox" else None

    @property
    def web_server(self) -> Server | None:
        """The server where it is of others, as a specification has it."""
        return self.server if self.server == "nginx" or self.server == "caddy" else None

    def of_others(self) -> dict[str, str]:
        """Return browser and web server by their keys."""
        ends = {"client": self.browser, "server": self.web_server}
        return {key: program for key, program in ends.items() if program is not None}


def programs(run: RunTable, where: Location) -> Programs:
    """Return the programs of a run.

    Raises
    ------
    InputError
        When there is no such program, or iperf3 is at one end only.
    """
    client = vocabulary.CLIENT.checked(or_default(run.client, defaults.CLIENT), where.at("client"))
    server = vocabulary.SERVER.checked(or_default(run.server, defaults.SERVER), where.at("server"))
    iperf3.is_wanted(client=client, server=server, where=where)
    return Programs(client=client, server=server)


def check_programs(ends: Programs, run: RunTable, workload: Workload, where: Location, *, cc: str) -> None:
    """Raise an InputError when a program at one of the ends cannot do what a run asks of it.

    Parameters
    ----------
    ends : Programs
        At both ends.
    run : RunTable
        As written.
    workload : Workload
        As resolved.
    where : Location
        The place of the run.
    cc : str
        Congestion control, as resolved.
    """
    of_others = ends.of_others()
    if ends.client == iperf3.NAME:
        _check_settings(run, where, {"tcp": OF_SOCKETS}, key="client", program=iperf3.NAME)
    if workload["kind"] != "page-load":
        for key, program in of_others.items():
            ours = vocabulary.one_of((defaults.CLIENT if key == "client" else defaults.SERVER, iperf3.NAME))
            raise where.at(key).error(expected=f"{ours}, as {program} is for pages", found=quoted(program))
        return
    for key, program in of_others.items():
        if workload["http"] not in HTTP_OF[program]:
            expected = f"{vocabulary.one_of(HTTP_OF[program])}, as the {key} is {program}"
            raise where.at("http").error(expected=expected, found=quoted(workload["http"]))
        _check_settings(run, where, OF_CLIENT if key == "client" else OF_SERVER, key=key, program=program)
        if run.dscp is not None:
            expected = f"nothing, as the {key} is {program}, which marks no packets"
            raise where.at("dscp").error(expected=expected, found=quoted(run.dscp))
    if ends.browser is not None:
        _check_browser(ends.browser, run, workload, where)
    if ends.server == "caddy" and workload["http"] == "h3" and cc != QUIC_GO_CC:
        expected = f'"{QUIC_GO_CC}", as the QUIC of caddy (quic-go) has no other'
        raise where.at("cc").error(expected=expected, found=quoted(cc))


def _check_settings(
    run: RunTable, where: Location, refusals: Mapping[str, Refusals], *, key: str, program: str
) -> None:
    hosts = or_default(run.host, HostsTable())
    tables: dict[str, Table | None] = {
        "": run,
        "tcp": run.tcp,
        "quic": run.quic,
        "http2": run.http2,
        "tls": run.tls,
        "host.client": hosts.client,
        "host.server": hosts.server,
    }
    for name, settings in refusals.items():
        table, place = tables[name], where.at(name) if name else where
        for setting, usual in settings if table is not None else ():
            written = getattr(table, setting)
            # TOML's 1.3 is a number, and a share may be written without a space.
            if written is None or str(written).replace(" ", "") == str(usual).replace(" ", ""):
                continue
            other = "nothing" if usual is None else _as_written(usual)
            expected = f"{other}, as the {key} is {program}, which has no such setting here"
            fault, found = first_written(written, place.at(setting))
            raise fault.error(expected=expected, found=quoted_part(found))


def _as_written(value: object) -> str:
    return quoted(value) if isinstance(value, str | bool) else str(value)


def _check_browser(browser: Browser, run: RunTable, workload: PageLoadWorkload, where: Location) -> None:
    if run.pep is not None and run.pep.kind in ("proxy", "masque"):
        none_of_these = ("proxy", "masque", "quic-split")
        others = tuple(name for name in vocabulary.PEP.available if name not in none_of_these)
        expected = f"{vocabulary.one_of(others)}, as the client is {browser}, which is set up for no proxy"
        raise where.at("pep").error(expected=expected, found=quoted(run.pep.kind))
    if run.priorities == "unstated":
        expected = f"one of off, on, as the client is {browser}, which states priorities"
        raise where.at("priorities").error(expected=expected, found=quoted(run.priorities))
    if browser == "chromium" and workload["http"] not in vocabulary.SINGLE_CONNECTION_HTTP:
        connections = or_default(run.connections, defaults.CONNECTIONS)
        if connections != CHROMIUM_CONNECTIONS:
            expected = f"{CHROMIUM_CONNECTIONS}, as the client is chromium, which has no other number"
            raise where.at("connections").error(expected=expected, found=quoted(connections))
    retry = or_default(or_default(run.tcp, TcpTable()).connect_retry, defaults.CONNECT_RETRY)
    if retry != defaults.CONNECT_RETRY:
        _check_retry(browser, retry, where.at("tcp.connect_retry"))


def _check_retry(browser: str, retry: str, where: Location) -> None:
    retry_ns = duration_ns(retry, where, least_ns=1)
    if browser == "chromium":
        is_possible, possible = retry_ns == CHROMIUM_RETRY_NS, f'"{_core.format_duration(CHROMIUM_RETRY_NS)}"'
    else:
        is_possible, possible = retry_ns % MILLISECOND_NS == 0, "whole milliseconds"
    if not is_possible:
        expected = f'"{defaults.CONNECT_RETRY}" or {possible}, as the client is {browser}'
        raise where.error(expected=expected, found=quoted(retry))
