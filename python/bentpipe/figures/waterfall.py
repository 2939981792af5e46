"""The waterfall of one page load: when each object was known, asked for, answered and complete."""

from collections.abc import Callable, Iterable, Sequence
from urllib.parse import urlsplit

from bentpipe.figures import colours, style
from bentpipe.figures.small_svg import bars, document, nice_ticks, number, text
from bentpipe.model.record import ConnectionReport, ObjectTiming, RunRecord
from bentpipe.model.spec import PageLoadWorkload

WIDTH = 440
_LABELS = 118
_ROW = 15
_DENSE_ROW = 3
_MOST_LABELLED_ROWS = 40
_AXIS = 20

HANDSHAKE = "#444444"
TLS = colours.ORANGE
QUEUED = "#BBBBBB"
WAIT_OPACITY = 0.35


def draw(record: RunRecord) -> str:
    """One run's waterfall as a small SVG; the record's `objects` and `client_connections` are drawn.

    Grey: known, not yet asked for. Pale: waiting for the first byte. Full: receiving. Connections come first,
    dark while connecting, amber during TLS. Rows are in the order of the requests.
    """
    objects = sorted(record.objects, key=lambda o: (o.request_s, o.discovered_s))
    connections = record.client_connections
    rows = len(objects) + len(connections)
    labelled = rows <= _MOST_LABELLED_ROWS
    row_height = _ROW if labelled else _DENSE_ROW
    end = end_s(objects, connections)
    scale = (WIDTH - _LABELS - 8) / end
    height = rows * row_height + _AXIS + 4

    def x(seconds: float) -> float:
        return _LABELS + seconds * scale

    def middle(row: int) -> float:
        return 4 + (row + 0.5) * row_height

    colour = style.look(protocol_of(record)).colour
    thickness = row_height * 0.66
    phases = [phases_s(connection) for connection in connections]
    first = len(connections)
    bottom = rows * row_height + 4
    body = [
        _grid(end, x, bottom),
        bars(_spans([phase[:2] for phase in phases], x, middle, 0), colour=HANDSHAKE,
             thickness=thickness),
        bars(_spans([phase[1:] for phase in phases], x, middle, 0), colour=TLS,
             thickness=thickness),
        bars(_spans([(o.discovered_s, o.request_s) for o in objects], x, middle, first), colour=QUEUED,
             thickness=max(thickness / 4, 1)),
        bars(_spans([(o.request_s, o.first_byte_s) for o in objects], x, middle, first), colour=colour,
             thickness=thickness, opacity=WAIT_OPACITY),
        bars(_spans([(o.first_byte_s, o.last_byte_s) for o in objects], x, middle, first), colour=colour,
             thickness=thickness),
    ]  # fmt: skip
    if labelled:
        names = [connection_name(c, len(connections)) for c in connections]
        names += [f"{short_path(o.url)} {o.bytes / 1000:.4g} kB" for o in objects]
        labels = "".join(
            text(_LABELS - 6, middle(row) + 3.5, name, anchor="end") for row, name in enumerate(names)
        )
        body.append(f'<g font-size="9">{labels}</g>')
    title = f"Waterfall of {len(objects)} objects over {end:.2f} s"
    return document(width=WIDTH, height=height, title=title, body=body)


def _spans(
    spans: Iterable[tuple[float | None, float | None]],
    x: Callable[[float], float],
    middle: Callable[[int], float],
    first_row: int,
) -> list[tuple[float, float, float]]:
    return [
        (x(a_s), x(b_s), middle(row))
        for row, (a_s, b_s) in enumerate(spans, first_row)
        if a_s is not None and b_s is not None and b_s > a_s
    ]


def phases_s(connection: ConnectionReport) -> tuple[float | None, float | None, float | None]:
    """When it was started, connected and secured."""
    instants_ns = (connection.started_ns, connection.connected_ns, connection.secured_ns)
    started_s, connected_s, secured_s = (None if ns is None else ns / 1e9 for ns in instants_ns)
    return started_s, connected_s, secured_s


def end_s(objects: Sequence[ObjectTiming], connections: Sequence[ConnectionReport]) -> float:
    """When the last of them ended; of none at all 1."""
    ends = [float(o.last_byte_s) for o in objects]
    ends += [instant_s for c in connections for instant_s in phases_s(c) if instant_s is not None]
    return max(ends, default=0.0) or 1.0


def _grid(end: float, x: Callable[[float], float], bottom: float) -> str:
    ticks = nice_ticks(end, at_most=6)
    lines = "".join(f"M{number(x(tick))} 2V{number(bottom)}" for tick in ticks)
    words = [text(x(tick), bottom + 13, f"{tick:g}", anchor="middle") for tick in ticks]
    unit = text(_LABELS - 6, bottom + 13, "time in s", anchor="end")
    return f'<path d="{lines}" stroke="#ddd" fill="none"/>{"".join(words)}{unit}'


def connection_name(connection: ConnectionReport, count: int) -> str:
    """What a connection is called, where there are so many."""
    name = {"tcp": "TCP", "quic": "QUIC"}.get(connection.transport, connection.transport)
    return f"{name} connection" if count == 1 else f"{name} port {connection.client_port}"


def short_path(url: str) -> str:
    """The last part of an address, of a long one its ends."""
    name = urlsplit(url).path.rsplit("/", 1)[-1] or "/"
    return name if len(name) <= 14 else f"{name[:6]}…{name[-7:]}"


def protocol_of(record: RunRecord) -> str:
    """The HTTP version of a page load."""
    return record.spec.workload.http if isinstance(record.spec.workload, PageLoadWorkload) else ""
