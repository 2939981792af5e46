"""The waterfall of one page load: when each object was known, asked for, answered and complete."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from bentpipe.figures import style
from bentpipe.figures.small_svg import bars, document, nice_ticks, number, text

WIDTH = 440
_LABELS = 118
_ROW = 15
_DENSE_ROW = 3
_MOST_LABELLED_ROWS = 40
_AXIS = 20

HANDSHAKE = "#444444"
TLS = style.AMBER
QUEUED = "#BBBBBB"
WAIT_OPACITY = 0.35


def draw(record: Mapping[str, Any]) -> str:
    """One run's waterfall as a small SVG; the record's `objects` and `client_connections` are drawn.

    Grey: known, not yet asked for. Pale: waiting for the first byte. Full: receiving. Connections come first,
    dark while connecting, amber during TLS. Rows are in the order of the requests.
    """
    objects = sorted(record["objects"], key=lambda o: (o["request_s"], o["discovered_s"]))
    connections = record["client_connections"]
    rows = len(objects) + len(connections)
    labelled = rows <= _MOST_LABELLED_ROWS
    row_height = _ROW if labelled else _DENSE_ROW
    end = _end_s(objects, connections)
    scale = (WIDTH - _LABELS - 8) / end
    height = rows * row_height + _AXIS + 4

    def x(seconds: float) -> float:
        return _LABELS + seconds * scale

    def middle(row: int) -> float:
        return 4 + (row + 0.5) * row_height

    colour = style.look(_protocol(record)).colour
    thickness = row_height * 0.66
    first = len(connections)
    bottom = rows * row_height + 4
    body = [
        _grid(end, x, bottom),
        bars(_spans(connections, "started_ns", "connected_ns", x, middle, 0), colour=HANDSHAKE,
             thickness=thickness),
        bars(_spans(connections, "connected_ns", "secured_ns", x, middle, 0), colour=TLS,
             thickness=thickness),
        bars(_spans(objects, "discovered_s", "request_s", x, middle, first), colour=QUEUED,
             thickness=max(thickness / 4, 1)),
        bars(_spans(objects, "request_s", "first_byte_s", x, middle, first), colour=colour,
             thickness=thickness, opacity=WAIT_OPACITY),
        bars(_spans(objects, "first_byte_s", "last_byte_s", x, middle, first), colour=colour,
             thickness=thickness),
    ]  # fmt: skip
    if labelled:
        names = [_connection_name(c, len(connections)) for c in connections]
        names += [f"{_short_path(o['url'])} {o['bytes'] / 1000:.4g} kB" for o in objects]
        labels = "".join(
            text(_LABELS - 6, middle(row) + 3.5, name, anchor="end") for row, name in enumerate(names)
        )
        body.append(f'<g font-size="9">{labels}</g>')
    title = f"Waterfall of {len(objects)} objects over {end:.2f} s"
    return document(width=WIDTH, height=height, title=title, body=body)


def _spans(
    items: Sequence[Mapping[str, Any]],
    start: str,
    end: str,
    x: Callable[[float], float],
    middle: Callable[[int], float],
    first_row: int,
) -> list[tuple[float, float, float]]:
    spans = []
    for row, item in enumerate(items, first_row):
        a, b = _seconds(item, start), _seconds(item, end)
        if a is not None and b is not None and b > a:
            spans.append((x(a), x(b), middle(row)))
    return spans


def _seconds(item: Mapping[str, Any], key: str) -> float | None:
    value = item.get(key)
    if value is None:
        return None
    return float(value) / 1e9 if key.endswith("_ns") else float(value)


def _end_s(objects: Sequence[Mapping[str, Any]], connections: Sequence[Mapping[str, Any]]) -> float:
    ends = [float(o["last_byte_s"]) for o in objects]
    keys = ("started_ns", "connected_ns", "secured_ns")
    ends += [s for c in connections for key in keys if (s := _seconds(c, key)) is not None]
    return max(ends, default=0.0) or 1.0


def _grid(end: float, x: Callable[[float], float], bottom: float) -> str:
    ticks = nice_ticks(end, at_most=6)
    lines = "".join(f"M{number(x(tick))} 2V{number(bottom)}" for tick in ticks)
    words = [text(x(tick), bottom + 13, f"{tick:g}", anchor="middle") for tick in ticks]
    unit = text(_LABELS - 6, bottom + 13, "time in s", anchor="end")
    return f'<path d="{lines}" stroke="#ddd" fill="none"/>{"".join(words)}{unit}'


def _connection_name(connection: Mapping[str, Any], count: int) -> str:
    name = {"tcp": "TCP", "quic": "QUIC"}.get(connection["transport"], connection["transport"])
    return f"{name} connection" if count == 1 else f"{name} port {connection['client_port']}"


def _short_path(url: str) -> str:
    name = urlsplit(url).path.rsplit("/", 1)[-1] or "/"
    return name if len(name) <= 14 else f"{name[:6]}…{name[-7:]}"


def _protocol(record: Mapping[str, Any]) -> str:
    return str(record["spec"]["workload"].get("http", ""))
