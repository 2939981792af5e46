"""The link over one run as a small SVG: rate delivered, capacity, queue, drops."""

import numpy as np

from bentpipe.figures import path_marks, style
from bentpipe.figures.bins import Series, Values, bin_rates_bps, group_size, merged, rows
from bentpipe.figures.path_marks import NO_PATH, Capacity
from bentpipe.figures.small_svg import bars, document, nice_ticks, number, text
from bentpipe.stats import stretches

WIDTH = 440
_LEFT = 34
_RIGHT = 6
_USE = (8.0, 76.0)
_QUEUE = (92.0, 128.0)
_HEIGHT = 148
_MOST_BINS = 400


def draw(*, link: Series, protocol: str, capacity_bps: float | None, path: Series = NO_PATH) -> str:
    """Draw the forward direction of a run's series `link`: the rate above, the queue below.

    The dashed line is the capacity, a tick under the queue a bin in which packets were lost. Beyond 400
    bins, neighbours are merged: rates by their mean, queues by their maximum, drops by their sum. `path` is
    the series of that name of a path that changes: bands are its interruptions, dashed lines its handovers.
    """
    colour = style.look(protocol).colour
    times = np.asarray(link.get("time_s", ()), dtype=float)
    if len(times) == 0 or times[-1] <= 0:
        return document(width=WIDTH, height=20, title="No link series", body=[text(4, 14, "No link series.")])
    size = group_size(len(times), most=_MOST_BINS)
    rates = merged(bin_rates_bps(link, "forward_delivered_bytes") / 1e6, size, np.mean)
    queue = merged(np.asarray(link["forward_queue_bytes"], dtype=float) / 1000, size, np.max)
    drops = merged(np.asarray(link["forward_drops"], dtype=float), size, np.sum)
    ends = merged(times, size, np.max)
    capacity = path_marks.capacity(path, "forward", otherwise_bps=capacity_bps)
    top_capacity = 0.0 if capacity is None else float(np.nanmax(capacity.bps)) / 1e6
    top_rate = max(float(rates.max()), top_capacity) or 1.0
    top_queue = float(queue.max()) or 1.0
    scale = (WIDTH - _LEFT - _RIGHT) / float(ends[-1])
    body = [
        _bands(path, float(ends[-1]), scale),
        _axis(float(ends[-1]), scale),
        _area(ends, rates / top_rate, _USE, scale, colour),
        _area(ends, queue / top_queue, _QUEUE, scale, style.GREY),
        _scale_words(top_rate, _USE, "Mbit/s"),
        _scale_words(top_queue, _QUEUE, "kB"),
    ]
    if capacity is not None:
        body.append(_capacity(capacity, top_rate, float(ends[-1]), scale))
    body.append(_lost(ends, drops, scale))
    lost = int(drops.sum())
    title = f"Link over {ends[-1]:.1f} s: at most {rates.max():.1f} Mbit/s in a bin, {lost} packets lost"
    return document(width=WIDTH, height=_HEIGHT, title=title, body=body)


def _bands(path: Series, end_s: float, scale: float) -> str:
    """The marks of a path that changes, over both bands; a short one is half a point wide."""
    top, bottom = _USE[0], _QUEUE[1]
    found = [
        f'<rect x="{number(_LEFT + band.from_s * scale)}" y="{top:g}" '
        f'width="{number(max(0.5, (min(band.to_s, end_s) - band.from_s) * scale))}" '
        f'height="{bottom - top:g}" fill="{path_marks.SHADES[band.kind]}"/>'
        for band in (stretches(path) if rows(path) else ())
        if band.from_s < end_s
    ]
    lines = "".join(
        f"M{number(_LEFT + at_s * scale)} {top:g}V{bottom:g}"
        for at_s in path_marks.handovers(path)
        if at_s < end_s
    )
    if lines:
        found.append(f'<path d="{lines}" stroke="#888" stroke-width="0.6" stroke-dasharray="2 2"/>')
    return "".join(found)


def _capacity(capacity: Capacity, top_rate: float, end_s: float, scale: float) -> str:
    levels = [
        None if np.isnan(bps) else number(_USE[1] - bps / 1e6 / top_rate * (_USE[1] - _USE[0]))
        for bps in capacity.bps
    ]
    places = [end_s] if capacity.end_s is None else [min(float(each), end_s) for each in capacity.end_s]
    path, left, before = [], float(_LEFT), None
    for level, place in zip(levels, places, strict=True):
        right = _LEFT + place * scale
        if level is not None:
            if level != before:
                path.append(f"M{number(left)} {level}" if before is None else f"V{level}")
            path.append(f"H{number(right)}")
        left, before = right, level
    return f'<path d="{"".join(path)}" stroke="#222" stroke-dasharray="4 3" fill="none"/>'


def _area(ends: Values, shares: Values, band: tuple[float, float], scale: float, colour: str) -> str:
    top, bottom = band
    path = [f"M{_LEFT} {number(bottom)}"]
    for end, share in zip(ends, shares, strict=True):
        path.append(f"V{number(bottom - share * (bottom - top))}H{number(_LEFT + end * scale)}")
    return f'<path d="{"".join(path)}V{number(bottom)}Z" fill="{colour}" fill-opacity="0.75"/>'


def _axis(end: float, scale: float) -> str:
    ticks = [(_LEFT + tick * scale, f"{tick:g}") for tick in nice_ticks(end, at_most=7)]
    lines = "".join(f"M{number(x)} {_USE[0]:g}V{_QUEUE[1]:g}" for x, _ in ticks)
    words = "".join(text(x, _HEIGHT - 5, label, anchor="middle") for x, label in ticks[:-1])
    words += text(ticks[-1][0], _HEIGHT - 5, f"{ticks[-1][1]} s", anchor="end")
    return f'<path d="{lines}" stroke="#ddd" fill="none"/>{words}'


def _scale_words(top_value: float, band: tuple[float, float], unit: str) -> str:
    return text(_LEFT - 4, band[0] + 6, f"{top_value:.3g}", anchor="end") + text(
        _LEFT - 4, band[0] + 17, unit, anchor="end", colour="#555"
    )


def _lost(ends: Values, drops: Values, scale: float) -> str:
    at = [_LEFT + float(end) * scale for end, lost in zip(ends, drops, strict=True) if lost > 0]
    return bars([(x - 1, x + 1, _QUEUE[1] + 3) for x in at], colour="#000", thickness=6)
