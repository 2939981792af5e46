"""What a waterfall shows of a page load: connections and objects row by row, and the phases of each."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from bentpipe.figures import colours, style
from bentpipe.model.page import PageLoadWorkload
from bentpipe.model.record import ConnectionReport, ObjectTiming, RunRecord

LOOKUP = colours.SKY_BLUE
HANDSHAKE = "#444444"
TLS = colours.ORANGE
QUEUED = "#BBBBBB"
WAIT_OPACITY = 0.35


class Span(NamedTuple):
    """From when to when, in the row of its connection or object."""

    start_s: float
    end_s: float
    row: int


@dataclass(frozen=True, kw_only=True)
class Phase:
    """A phase of all connections or objects that have it, and how it is drawn.

    Attributes
    ----------
    name : str
        In words.
    spans : sequence of Span
        By row.
    colour : str
        As `#RRGGBB`.
    opacity : float
        From 0 to 1.
    is_thin : bool
        Whether it is drawn as a line in the middle of its row.
    """

    name: str
    spans: Sequence[Span]
    colour: str
    opacity: float = 1.0
    is_thin: bool = False


def phases(record: RunRecord) -> tuple[Phase, ...]:
    """Return the phases of a load, in the order in which they are drawn.

    Rows are its connections, then its objects in the order of their requests. Grey: known, not yet asked for.
    Pale: waiting for the first byte. Full: receiving. Of connections light blue while the name is looked up,
    dark while connecting, amber during TLS.
    """
    objects, colour = in_order(record.objects), load_colour(record)
    instants = [instants_s(connection) for connection in record.client_connections]
    first = len(instants)
    return (
        Phase(
            name="name lookup", spans=_spans(map(lookup_s, record.client_connections), 0), colour=LOOKUP
        ),
        Phase(name="connecting", spans=_spans((each[:2] for each in instants), 0), colour=HANDSHAKE),
        Phase(name="TLS handshake", spans=_spans((each[1:] for each in instants), 0), colour=TLS),
        Phase(
            name="not asked for", spans=_spans(((o.discovered_s, o.request_s) for o in objects), first),
            colour=QUEUED, is_thin=True,
        ),
        Phase(
            name="waiting", spans=_spans(((o.request_s, o.first_byte_s) for o in objects), first),
            colour=colour, opacity=WAIT_OPACITY,
        ),
        Phase(
            name="receiving", spans=_spans(((o.first_byte_s, o.last_byte_s) for o in objects), first),
            colour=colour,
        ),
    )  # fmt: skip


def in_order(objects: Iterable[ObjectTiming]) -> list[ObjectTiming]:
    """Return objects in the order of their requests."""
    return sorted(objects, key=lambda each: (each.request_s, each.discovered_s))


def load_colour(record: RunRecord) -> str:
    """Return the colour of the HTTP version of a page load."""
    workload = record.spec.workload
    return style.look(workload.http if isinstance(workload, PageLoadWorkload) else "").colour


def instants_s(connection: ConnectionReport) -> tuple[float | None, float | None, float | None]:
    """Return when a connection was started, connected and secured."""
    instants_ns = (connection.started_ns, connection.connected_ns, connection.secured_ns)
    started_s, connected_s, secured_s = (None if ns is None else ns / 1e9 for ns in instants_ns)
    return started_s, connected_s, secured_s


def lookup_s(connection: ConnectionReport) -> tuple[float | None, float | None]:
    """Return from when to when a connection waited for its host's address; None twice of one that did not."""
    if connection.name_lookup_ns is None:
        return None, None
    started_s = connection.started_ns / 1e9
    return started_s - connection.name_lookup_ns / 1e9, started_s


def end_s(record: RunRecord) -> float:
    """Return when the last of a load's objects and connections ended; of none at all 1."""
    ends = [float(each.last_byte_s) for each in record.objects]
    ends += [
        instant_s
        for each in record.client_connections
        for instant_s in instants_s(each)
        if instant_s is not None
    ]
    return max(ends, default=0.0) or 1.0


def _spans(ends: Iterable[tuple[float | None, float | None]], first_row: int) -> list[Span]:
    return [
        Span(float(start_s), float(end_s), row)
        for row, (start_s, end_s) in enumerate(ends, first_row)
        if start_s is not None and end_s is not None and end_s > start_s
    ]
