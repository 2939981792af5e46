"""One page load as the page draws it: its objects, its waterfall, and link and window over time."""

from collections.abc import Mapping, Sequence

import numpy as np

from bentpipe.figures import load_phases, waterfall
from bentpipe.figures.bins import Values, bin_rates_bps, rows
from bentpipe.figures.live.plot import thinned
from bentpipe.model.record import ObjectTiming, RunRecord
from bentpipe.stats.counter import BIN_S
from bentpipe.workbench.messages import Lines, ObjectBox, PictureEvent

NOTHING = Lines(time_s=(), value=())


def picture(record: RunRecord, *, cell: int, is_median: bool) -> PictureEvent:
    """Return a page load with its series as the page draws it."""
    link, sender = (_arrays(record.series.get(name, {})) for name in ("link", "sender"))
    return PictureEvent(
        cell=cell,
        is_median=is_median,
        end_s=_ms(load_phases.end_s(record)),
        objects=tuple(map(_box, record.objects)),
        waterfall=waterfall.draw(record),
        complete=_complete(record.objects),
        delivered=_delivered(link),
        queue=_column(link, "forward_queue_bytes", 1e-3),
        window=_windows(sender),
    )


def _box(item: ObjectTiming) -> ObjectBox:
    return ObjectBox(
        name=waterfall.short_path(item.url),
        bytes=item.bytes,
        discovered_s=_ms(item.discovered_s),
        request_s=_ms(item.request_s),
        first_byte_s=_ms(item.first_byte_s),
        last_byte_s=_ms(item.last_byte_s),
    )


def _complete(objects: Sequence[ObjectTiming]) -> Lines:
    """Return how much of the page has come, counted when an object is complete."""
    if not objects:
        return NOTHING
    ordered = sorted(objects, key=lambda item: item.last_byte_s)
    total = np.cumsum([item.bytes for item in ordered], dtype=float)
    shares = 100 * total / total[-1] if total[-1] else np.full(len(ordered), 100.0)
    return _lines(np.array([0.0, *(item.last_byte_s for item in ordered)]), np.array([0.0, *shares]), 1)


def _delivered(link: Mapping[str, Values]) -> Lines:
    if not rows(link):
        return NOTHING
    rates = bin_rates_bps(link, "forward_delivered_bytes") / 1e6
    return _lines(link["time_s"], rates, 1)


def _column(series: Mapping[str, Values], name: str, scale: float) -> Lines:
    return _lines(series["time_s"], series[name], scale) if name in series else NOTHING


def _windows(sender: Mapping[str, Values]) -> Lines:
    """Return the sum of all connections' windows, whose samples fall on the same instants."""
    if not rows(sender):
        return NOTHING
    bins = np.round(sender["time_s"] / BIN_S).astype(int)
    instants, places = np.unique(bins, return_inverse=True)
    total = np.zeros(len(instants))
    np.add.at(total, places, np.nan_to_num(sender["cwnd_bytes"]))
    return _lines(instants * BIN_S, total, 1e-3)


def _lines(time_s: Values, values: Values, scale: float) -> Lines:
    times, kept = thinned(time_s, values * scale)
    return Lines(
        time_s=tuple(_ms(each) for each in times),
        value=tuple(None if np.isnan(each) else float(f"{each:.5g}") for each in kept),
    )


def _arrays(table: Mapping[str, Sequence[float | None]]) -> dict[str, Values]:
    return {name: np.asarray(values, dtype=float) for name, values in table.items()}


def _ms(seconds: float) -> float:
    return round(float(seconds), 4)
