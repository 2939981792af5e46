"""HTTP at both ends and the load of a page, from what is written to the run specification."""

from pathlib import Path

from bentpipe.model.draft.hosts import Http2Spec
from bentpipe.model.draft.page import PageLoadWorkload, PageSpec, Priorities
from bentpipe.scenario import defaults
from bentpipe.scenario.page.pages import FOLDER, HAR, page, page_spec
from bentpipe.scenario.written import vocabulary
from bentpipe.scenario.written.location import Location, quoted
from bentpipe.scenario.written.quantity import count, percent, size_bytes, size_bytes_or
from bentpipe.scenario.written.schema import Http2Table, PageTable, RunTable, TcpTable
from bentpipe.scenario.written.table import or_default
from bentpipe.scenario.written.texts import checked_name

KEYS = (
    "http",
    "connections",
    "requests_per_connection",
    "pipelining",
    "optimistic_pipelining",
    "push",
    "priorities",
    "response_header",
    "visit",
)
"""Keys of a run that are about the load of a page."""
UNLIMITED = "unlimited"

MOST_CONNECTIONS = 1000
MOST_REQUESTS = 1_000_000
MOST_PIPELINED = 32
"""Firefox's limit when it had pipelining (network.http.pipelining.maxrequests)."""
LEAST_RESPONSE_HEADER_BYTES = 200
"""The first line and the fields without which nobody knows what the body is, at their longest."""
MOST_RESPONSE_HEADER_BYTES = 16_384
"""Half of what the loader takes (crates/http/src/limits.rs), which counts 32 B for each field besides."""
MOST_STREAMS = 1_000_000
MOST_WINDOW_BYTES = 2**31 - 1
"""RFC 9113 section 6.9.1."""
MOST_HEADER_TABLE_BYTES = 2**32 - 1
"""The value of a setting has 32 bits (RFC 9113 section 6.5.1)."""


def page_load_spec(run: RunTable, table: PageTable, where: Location, *, folder: Path) -> PageLoadWorkload:
    """Return the load of a page.

    Parameters
    ----------
    run : RunTable
        As written.
    table : PageTable
        Its page.
    where : Location
        The place of the run.
    folder : Path
        Where relative paths of pages start.

    Raises
    ------
    InputError
        When a key is missing, or the protocol has no such setting.
    """
    expected = f"one of {', '.join(vocabulary.HTTP.available)}, as a page needs it"
    if run.http is None:
        raise where.at("http").error(expected=expected, found="nothing")
    http = vocabulary.HTTP.checked(run.http, where.at("http"))
    connections = or_default(run.connections, defaults.CONNECTIONS)
    connections = count(connections, where.at("connections"), least=1, most=MOST_CONNECTIONS)
    if http in vocabulary.SINGLE_CONNECTION_HTTP and not _may_fall_back(run, http):
        connections = 1
    spec: PageLoadWorkload = {
        "kind": "page-load",
        "http": http,
        "connections": connections,
        "page": _page(table, where.at("page"), folder=folder),
    }
    # What is not in use is not in a specification, whose name would change with it.
    requests = _requests_per_connection(run, http, where.at("requests_per_connection"))
    if requests is not None:
        spec["requests_per_connection"] = requests
    depth = _pipelining(run, http, where.at("pipelining"))
    if depth is not None:
        spec["pipelining"] = depth
    optimistic = _optimistic_pipelining(run, http, depth, where.at("optimistic_pipelining"))
    if optimistic is not None:
        spec["optimistic_pipelining"] = optimistic
    share = _push(run, http, where.at("push"))
    if share is not None:
        spec["push_percent"] = share
    priorities = _priorities(run, http, where.at("priorities"))
    if priorities is not None:
        spec["priorities"] = priorities
    if run.response_header is not None:
        spec["response_header_bytes"] = size_bytes(
            run.response_header,
            where.at("response_header"),
            least=LEAST_RESPONSE_HEADER_BYTES,
            most=MOST_RESPONSE_HEADER_BYTES,
        )
    visit = vocabulary.VISIT.checked(or_default(run.visit, defaults.VISIT), where.at("visit"))
    if visit == "repeat":
        spec["visit"] = visit
    return spec


def http2_spec(table: Http2Table, where: Location, *, buffer_bytes: int) -> Http2Spec:
    """Return the settings of HTTP/2; windows that are not written have `buffer_bytes` and limit nothing."""
    window_bytes = min(buffer_bytes, MOST_WINDOW_BYTES)

    def window(text: str | None, key: str) -> int:
        return size_bytes_or(text, window_bytes, where.at(key), most=MOST_WINDOW_BYTES)

    spec: Http2Spec = {
        "stream_window_bytes": window(table.stream_window, "stream_window"),
        "connection_window_bytes": window(table.connection_window, "connection_window"),
        "max_concurrent_streams": max_concurrent_streams(table.max_concurrent_streams, where),
    }
    place, most = where.at("header_table"), MOST_HEADER_TABLE_BYTES
    own, usual = (
        size_bytes(text, place, least=0, most=most)
        for text in (or_default(table.header_table, defaults.HEADER_TABLE), defaults.HEADER_TABLE)
    )
    if own != usual:
        spec["header_table_bytes"] = own
    return spec


def max_concurrent_streams(written: int | None, where: Location) -> int:
    """Return the requests that may be open at once."""
    streams = or_default(written, defaults.MAX_CONCURRENT_STREAMS)
    return count(streams, where.at("max_concurrent_streams"), least=1, most=MOST_STREAMS)


def _page(table: PageTable, where: Location, *, folder: Path) -> PageSpec:
    if table.name is None:
        raise where.at("name").error(expected='a name such as "uniform-100k"', found="nothing")
    if table.objects is None:
        return page(table.name, where, folder=folder)
    if table.name.startswith((HAR, FOLDER)):
        expected = f"nothing, as the page is from {table.name}"
        raise where.at("objects").error(expected=expected, found=quoted(table.objects))
    if not table.objects:
        raise where.at("objects").error(expected="at least one size", found="an empty list")
    sizes = [size_bytes(size, where.at(f"objects.{n}")) for n, size in enumerate(table.objects, start=1)]
    return page_spec(checked_name(table.name, where.at("name")), sizes)


def _may_fall_back(run: RunTable, http: str) -> bool:
    """Whether a load may go on by HTTP/1.1, which has as many connections as that has."""
    tcp = or_default(run.tcp, TcpTable())
    has_reset = or_default(tcp.idle_reset, defaults.IDLE_RESET) != defaults.IDLE_RESET
    may = or_default(tcp.idle_fallback, defaults.IDLE_FALLBACK)
    return has_reset and may and http in vocabulary.FALLING_BACK_HTTP


def _requests_per_connection(run: RunTable, http: str, where: Location) -> int | None:
    written: int | str | None = run.requests_per_connection
    written = defaults.REQUESTS_PER_CONNECTION if written is None else written
    if written == UNLIMITED:
        return None
    if isinstance(written, str) or not 1 <= written <= MOST_REQUESTS:
        expected = f'a whole number from 1 to {MOST_REQUESTS}, or "{UNLIMITED}"'
        raise where.error(expected=expected, found=quoted(written))
    _check_persistent(http, where, written)
    return written


def _pipelining(run: RunTable, http: str, where: Location) -> int | None:
    depth = count(or_default(run.pipelining, defaults.PIPELINING), where, least=1, most=MOST_PIPELINED)
    if depth == defaults.PIPELINING:
        return None
    _check_persistent(http, where, depth)
    return depth


def _optimistic_pipelining(run: RunTable, http: str, depth: int | None, where: Location) -> int | None:
    """Return the requests on a connection without a response, or None where they are as many as on any."""
    if run.optimistic_pipelining is None:
        return None
    most = count(run.optimistic_pipelining, where, least=1, most=MOST_PIPELINED)
    _check_persistent(http, where, most)
    # A matrix may vary the depth of all connections below it.
    return most if depth is not None and most < depth else None


def _check_persistent(http: str, where: Location, found: int) -> None:
    """Raise an InputError unless requests go one after the other over connections that last."""
    if http not in vocabulary.PERSISTENT_HTTP:
        is_multiplexed = http in vocabulary.MULTIPLEXING_HTTP
        why = "multiplexes all requests" if is_multiplexed else "has a connection for each request"
        raise where.error(expected=f"nothing, as {http} {why}", found=quoted(found))


def _push(run: RunTable, http: str, where: Location) -> int | None:
    share = percent(or_default(run.push, defaults.PUSH), where)
    if share == percent(defaults.PUSH, where):
        return None
    if http not in vocabulary.PUSHING_HTTP:
        # RFC 9114 section 4.6 has it for HTTP/3; no browser and hardly a library ever had.
        expected = f"nothing, as {http} has no server push here; {', '.join(vocabulary.PUSHING_HTTP)} have"
        raise where.error(expected=expected, found=quoted(run.push))
    return share


def _priorities(run: RunTable, http: str, where: Location) -> Priorities | None:
    priorities = vocabulary.PRIORITIES.checked(or_default(run.priorities, defaults.PRIORITIES), where)
    if priorities == defaults.PRIORITIES:
        return None
    if http not in vocabulary.MULTIPLEXING_HTTP:
        expected = f"nothing, as {http} answers in the order of requests"
        raise where.error(expected=expected, found=quoted(run.priorities))
    if priorities == "unstated" and http not in vocabulary.RFC_9218_HTTP:
        expected = f"one of off, on, as every request of {http} states a priority"
        raise where.error(expected=expected, found=quoted(run.priorities))
    return priorities
