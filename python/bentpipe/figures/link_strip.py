"""The link over one run as a small SVG: rate delivered, capacity, queue, drops."""

import numpy as np

from bentpipe.figures import style
from bentpipe.figures.bins import Series, Values, bin_rates_bps, group_size, merged
from bentpipe.figures.small_svg import bars, document, nice_ticks, number, text

WIDTH = 440
_LEFT = 34
_RIGHT = 6
_USE = (8.0, 76.0)
_QUEUE = (92.0, 128.0)
_HEIGHT = 148
_MOST_BINS = 400


def draw(*, link: Series, protocol: str, capacity_bps: float | None) -> str:
    """Draw the forward direction of a run's series `link`: the rate above, the queue below.

    The dashed line is the capacity, a tick under the queue a bin in which packets were lost. Beyond 400
    bins, neighbours are merged: rates by their mean, queues by their maximum, drops by their sum.
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
    top_rate = max(float(rates.max()), (capacity_bps or 0.0) / 1e6) or 1.0
    top_queue = float(queue.max()) or 1.0
    scale = (WIDTH - _LEFT - _RIGHT) / float(ends[-1])
    body = [
        _axis(float(ends[-1]), scale),
        _area(ends, rates / top_rate, _USE, scale, colour),
        _area(ends, queue / top_queue, _QUEUE, scale, style.GREY),
        _scale_words(top_rate, _USE, "Mbit/s"),
        _scale_words(top_queue, _QUEUE, "kB"),
    ]
    if capacity_bps is not None:
        y = number(_USE[1] - (capacity_bps / 1e6 / top_rate) * (_USE[1] - _USE[0]))
        body.append(f'<path d="M{_LEFT} {y}H{WIDTH - _RIGHT}" stroke="#222" stroke-dasharray="4 3"/>')
    body.append(_lost(ends, drops, scale))
    lost = int(drops.sum())
    title = f"Link over {ends[-1]:.1f} s: at most {rates.max():.1f} Mbit/s in a bin, {lost} packets lost"
    return document(width=WIDTH, height=_HEIGHT, title=title, body=body)


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
