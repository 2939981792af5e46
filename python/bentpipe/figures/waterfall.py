"""The waterfall of one page load: when each object was known, asked for, answered and complete."""

from collections.abc import Callable
from urllib.parse import urlsplit

from bentpipe.figures.load_phases import end_s, in_order, phases
from bentpipe.figures.small_svg import bars, document, nice_ticks, number, text
from bentpipe.model.record import ConnectionReport, RunRecord

WIDTH = 440
_LABELS = 118
_ROW = 15
_DENSE_ROW = 3
_MOST_LABELLED_ROWS = 40
_AXIS = 20


def draw(record: RunRecord) -> str:
    """One run's waterfall as a small SVG; the record's `objects` and `client_connections` are drawn.

    Rows and colours are those of `load_phases`.
    """
    objects, connections = in_order(record.objects), record.client_connections
    rows = len(objects) + len(connections)
    labelled = rows <= _MOST_LABELLED_ROWS
    row_height = _ROW if labelled else _DENSE_ROW
    end = end_s(record)
    scale = (WIDTH - _LABELS - 8) / end
    height = rows * row_height + _AXIS + 4

    def x(seconds: float) -> float:
        return _LABELS + seconds * scale

    def middle(row: int) -> float:
        return 4 + (row + 0.5) * row_height

    thickness = row_height * 0.66
    body = [_grid(end, x, rows * row_height + 4)]
    body += [
        bars(
            ((x(span.start_s), x(span.end_s), middle(span.row)) for span in phase.spans),
            colour=phase.colour,
            thickness=max(thickness / 4, 1) if phase.is_thin else thickness,
            opacity=phase.opacity,
        )
        for phase in phases(record)
    ]
    if labelled:
        names = [connection_name(c, len(connections)) for c in connections]
        names += [f"{short_path(o.url)} {o.bytes / 1000:.4g} kB" for o in objects]
        labels = "".join(
            text(_LABELS - 6, middle(row) + 3.5, name, anchor="end") for row, name in enumerate(names)
        )
        body.append(f'<g font-size="9">{labels}</g>')
    title = f"Waterfall of {len(objects)} objects over {end:.2f} s"
    return document(width=WIDTH, height=height, title=title, body=body)


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
