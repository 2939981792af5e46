"""What chance has a run do: the load of a page, flows alone and in company, pings; sized by the link."""

from dataclasses import dataclass

from bentpipe.scenario.page.pages import PAGES
from bentpipe.scenario.written import vocabulary
from bentpipe.scenario.written.toml import TomlTable
from tools.agreement_random import transport
from tools.agreement_random.draw import Draw, duration_text, size_text
from tools.agreement_random.links import CLASS

MOST_BYTES = 80e6
"""What all flows of a run carry at most."""
LEAST_BYTES = 20e3
LEAST_DURATION_S = 3.0
HTTP_WEIGHTS = {
    "http10": 1.0,
    "http10s": 1.0,
    "h1": 2.0,
    "h1s": 2.0,
    "h2": 3.0,
    "h2c": 1.0,
    "h3": 4.0,
    "spdy": 1.5,
}


@dataclass(frozen=True, kw_only=True)
class Room:
    """What a link offers to a workload.

    Attributes
    ----------
    forward_bps, return_bps : int
        Its nominal rates.
    has_classes : bool
        Whether marked packets may go first.
    """

    forward_bps: int
    return_bps: int
    has_classes: bool


def drawn_workload(draw: Draw, room: Room) -> TomlTable:
    """Return the keys of [run] beside its link; they may be refused all the same."""
    exchanged: TomlTable = {"server_behind": "terminal"} if draw.happens(0.08) else {}
    down_bps, up_bps = room.forward_bps, room.return_bps
    if exchanged:
        down_bps, up_bps = up_bps, down_bps
    mark: TomlTable = {"dscp": CLASS} if room.has_classes and draw.happens(0.5) else {}
    kind = draw.weighted({"page": 45, "bulk": 31, "company": 20, "ping": 4})
    if kind == "ping":
        return {**exchanged, **mark, "ping": _ping(draw)}
    if kind == "page":
        return {**exchanged, **mark, **_page_load(draw, down_bps, may_have_proxy=not exchanged)}
    direction = draw.weighted({"down": 3.0, "up": 1.0})
    rate_bps = down_bps if direction == "down" else up_bps
    if kind == "bulk":
        own = _bulk(draw, direction, rate_bps, may_have_proxy=not exchanged)
    else:
        own = _company(draw, direction, rate_bps, has_classes=room.has_classes)
        mark = {}
    return {**exchanged, **mark, **own}


def _page_load(draw: Draw, down_bps: int, *, may_have_proxy: bool) -> TomlTable:
    http = draw.weighted(HTTP_WEIGHTS)
    over = "quic" if http == "h3" else "tcp"
    cc = transport.congestion_control(draw, over=over)
    run: TomlTable = {"http": http, "cc": cc, "page": _page(draw, down_bps)}
    run |= transport.settings(draw, transports=[over], cc=cc)
    run |= _requests(draw, http)
    if over == "tcp":
        tcp = {**_table(run, "tcp"), **transport.clients_connections(draw, http=http)}
        run |= {"tcp": tcp} if tcp else {}
    if http not in vocabulary.CLEAR_HTTP:
        tls = transport.tls(draw, http=http)
        run |= {"tls": tls} if tls else {}
    if draw.happens(0.35):
        run["visit"] = "repeat"
    if may_have_proxy:
        run |= _proxied(transport.proxy(draw, has_http=over == "tcp"))
    return run


def _requests(draw: Draw, http: str) -> TomlTable:
    """Return how the requests of a page are made, as far as it differs from the defaults."""
    found: TomlTable = {}
    if http not in vocabulary.SINGLE_CONNECTION_HTTP and draw.happens(0.5):
        found["connections"] = draw.count(1, 12)
    if http in vocabulary.PERSISTENT_HTTP:
        if draw.happens(0.2):
            found["requests_per_connection"] = draw.one_of(1, 2, 5, 20)
        if draw.happens(0.2):
            found["pipelining"] = draw.one_of(2, 4, 32)
    if http in vocabulary.PUSHING_HTTP and draw.happens(0.2):
        found["push"] = draw.one_of("50 %", "100 %")
    if http in vocabulary.RFC_9218_HTTP and draw.happens(0.3):
        found["priorities"] = draw.one_of("on", "unstated")
    if http == "spdy" and draw.happens(0.3):
        found["priorities"] = "on"
    if http in ("h2", "h2c", "spdy"):
        http2 = transport.http2(draw)
        found |= {"http2": http2} if http2 else {}
    if draw.happens(0.1):
        found["response_header"] = f"{draw.count(200, 2000)} B"
    return found


def _page(draw: Draw, down_bps: int) -> object:
    """Return one of the pages by name, or one of objects that are drawn."""
    if draw.happens(0.6):
        return draw.one_of(*sorted(PAGES))
    total_bytes = min(4e6, down_bps / 8 * draw.log_between(0.1, 8))
    shares = [draw.log_between(1, 20) for _ in range(draw.count(1, 60))]
    sizes = (total_bytes * share / sum(shares) for share in shares)
    return {"name": "drawn", "objects": [size_text(max(200, size)) for size in sizes]}


def _bulk(draw: Draw, direction: str, rate_bps: int, *, may_have_proxy: bool) -> TomlTable:
    over = draw.weighted({"tcp": 2.0, "quic": 1.0})
    cc = transport.congestion_control(draw, over=over)
    bulk: TomlTable = {"transport": over, "direction": direction, **_extent(draw, rate_bps, flows=1)}
    run: TomlTable = {"cc": cc, "bulk": bulk, **transport.settings(draw, transports=[over], cc=cc)}
    return {**run, **_proxied(transport.proxy(draw, has_http=False))} if may_have_proxy else run


def _company(draw: Draw, direction: str, rate_bps: int, *, has_classes: bool) -> TomlTable:
    flows, transports = [], []
    for _ in range(draw.count(2, 4)):
        over = draw.weighted({"tcp": 2.0, "quic": 1.0})
        start = f"@{draw.duration(0.1, 4).replace(' ', '')}" if draw.happens(0.3) else ""
        mark = f"#{CLASS}" if has_classes and draw.happens(0.4) else ""
        flows.append(f"{over}:{transport.congestion_control(draw, over=over)}{start}{mark}")
        transports.append(over)
    bulk: TomlTable = {"direction": direction, "flows": flows, **_extent(draw, rate_bps, flows=len(flows))}
    return {"bulk": bulk, **transport.settings(draw, transports=sorted({*transports}), cc=None)}


def _extent(draw: Draw, rate_bps: int, *, flows: int) -> TomlTable:
    """Return how much each flow sends or how long: what the link carries in some seconds."""
    bytes_per_s = rate_bps / 8
    if draw.happens(0.5):
        together = min(MOST_BYTES, bytes_per_s * draw.log_between(0.5, 10))
        return {"size": size_text(max(LEAST_BYTES, together / flows))}
    at_most_s = max(LEAST_DURATION_S, MOST_BYTES / bytes_per_s)
    return {"duration": duration_text(min(at_most_s, draw.log_between(4, 14)))}


def _ping(draw: Draw) -> TomlTable:
    interval_s = draw.log_between(0.02, 0.5)
    return {
        "count": min(200, int(draw.log_between(1, 10) / interval_s) + 1),
        "interval": duration_text(interval_s),
        "size": f"{draw.count(20, 1200)} B",
    }


def _proxied(pep: TomlTable | None) -> TomlTable:
    return {} if pep is None else {"pep": pep}


def _table(run: TomlTable, key: str) -> TomlTable:
    table = run.get(key, {})
    assert isinstance(table, dict)
    return table
