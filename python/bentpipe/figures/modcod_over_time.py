"""A DVB-S2 carrier over one run: Es/N0, the MODCOD that follows it, frames lost, and what got through."""

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes

from bentpipe.figures import style
from bentpipe.figures.bins import Series, Values, bin_rates_bps, group_size, last, mean, merged
from bentpipe.figures.drawing import Drawing
from bentpipe.model.description import ModcodDescription

TRUE, REPORTED, THRESHOLD = (
    "Es/N0 at the receiver",
    "as the gateway knows it",
    "threshold of the MODCOD in use",
)

_COLOURS = {TRUE: style.PALETTE[0], REPORTED: style.PALETTE[1], THRESHOLD: "black"}
_MOST_BINS = 600
_LEAST_GAP = 0.055
"""Of the axis, between two names on it."""


@style.applied()
def draw(
    *,
    name: str,
    title: str,
    acm: Series,
    link: Series,
    modcods: Mapping[int, ModcodDescription],
    symbols_per_s: float,
) -> Drawing:
    """Draw the series `acm` and, below it, the forward rate of the series `link`; both have the same bins."""
    figure, (signal, rate) = style.uneven_canvas(heights_in=[2.5, 1.5], legend_rows=2)
    size = group_size(len(acm["time_s"]), most=_MOST_BINS)
    ends = merged(acm["time_s"], size, last)
    numbers = merged(np.where(_is_unused(acm), np.nan, acm["modcod"]), size, last)
    in_use = [None if np.isnan(number) else modcods[int(number)] for number in numbers]
    _draw_signal(signal, acm, ends, [modcod.threshold_db if modcod else np.nan for modcod in in_use], size)
    _name_modcods(signal, [modcod for modcod in in_use if modcod])
    room = [modcod.spectral_efficiency * symbols_per_s if modcod else np.nan for modcod in in_use]
    _draw_rate(rate, link, room, ends)
    for axis in (signal, rate):
        axis.set_xlim(0.0, float(ends[-1]))
    style.from_zero(rate)
    rate.set_xlabel("Time since the start of the run in s")
    has_reports = not np.all(np.isnan(acm["reported_es_n0_db"]))
    shown = {label: colour for label, colour in _COLOURS.items() if has_reports or label != REPORTED}
    style.colour_legend(figure, shown, columns=2)
    caption = "One run, forward direction. A cross marks a bin in which frames were lost."
    return Drawing(name=name, title=title, caption=caption, figure=figure)


def _is_unused(acm: Series) -> "np.ndarray[tuple[int], np.dtype[np.bool_]]":
    """Bins before the first report in which no frame was sent either: nothing was in use yet."""
    unreported = np.isnan(acm["reported_es_n0_db"])
    before_any = np.logical_and.accumulate(unreported & (acm["frames"] == 0))
    return before_any & (not unreported.all())


def _draw_signal(axis: Axes, acm: Series, ends: Values, thresholds_db: Sequence[float], size: int) -> None:
    true = merged(acm["es_n0_db"], size, mean)
    axis.step(ends, thresholds_db, where="pre", color=_COLOURS[THRESHOLD], linewidth=1.1)
    axis.step(
        ends,
        merged(acm["reported_es_n0_db"], size, last),
        where="pre",
        color=_COLOURS[REPORTED],
        linewidth=1.1,
    )
    axis.plot(ends, true, color=_COLOURS[TRUE])
    lost = merged(acm["frames_lost"], size, np.sum) > 0
    axis.plot(ends[lost], true[lost], "x", color="black", markersize=5, markeredgewidth=1.1)
    axis.set_title("Es/N0")
    axis.set_ylabel("dB")
    axis.margins(y=0.08)


def _name_modcods(axis: Axes, in_use: Sequence[ModcodDescription]) -> None:
    """Write the MODCODs in use on the right, at their thresholds; of neighbours the more used one."""
    low, high = axis.get_ylim()
    named: list[ModcodDescription] = []
    for modcod, _ in Counter(in_use).most_common():
        if all(abs(modcod.threshold_db - other.threshold_db) > _LEAST_GAP * (high - low) for other in named):
            named.append(modcod)
    names = axis.twinx()
    names.set_ylim(low, high)
    names.set_yticks([modcod.threshold_db for modcod in named], [modcod.name for modcod in named], fontsize=8)
    names.tick_params(length=2)
    names.grid(visible=False)


def _draw_rate(axis: Axes, link: Series, room_bps: Sequence[float], ends: Values) -> None:
    colour = _COLOURS[TRUE]
    size = group_size(len(link["time_s"]), most=_MOST_BINS)
    times = merged(link["time_s"], size, last)
    rates = merged(bin_rates_bps(link, "forward_delivered_bytes") / 1e6, size, mean)
    axis.fill_between(times, rates, step="pre", color=colour, alpha=0.35, linewidth=0)
    axis.step(times, rates, where="pre", color=colour)
    axis.step(ends, np.asarray(room_bps) / 1e6, where="pre", color="black", linewidth=1.1)
    axis.set_title("Delivered (area), and the room in the frames (line)")
    axis.set_ylabel("Mbit/s")
