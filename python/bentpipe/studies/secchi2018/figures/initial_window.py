"""Table 1: load times of HTTP/2 with an initial window of 3 and of 10, theirs beside ours."""

from collections.abc import Iterator

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from bentpipe.figures import colours, style
from bentpipe.figures.drawing import Drawing, interval_caption
from bentpipe.figures.mean_mark import reach
from bentpipe.figures.style import look
from bentpipe.stats import Summary, summarise
from bentpipe.studies.secchi2018 import published
from bentpipe.studies.secchi2018.cells import DECIDING, PATHS, SIZES_KB, TOTALS_KB, page
from bentpipe.studies.secchi2018.measured import times_s
from bentpipe.studies.secchi2018.published import LOAD_MARGIN_PERCENT, Column
from bentpipe.studies.study import Runs

_SEED = 18
_STROKES = {3: style.Stroke.DASHED, 10: style.Stroke.SOLID}
_ASIDE = {3: -0.15, 10: 0.15}
_MARK = colours.BLACK
_PAGES = [(total, size) for total in TOTALS_KB for size in SIZES_KB]


def draw(runs: Runs) -> Iterator[Drawing]:
    """Draw both paths where there are runs with either window."""
    found = {
        column: {
            place: summary
            for place, (total, size) in enumerate(_PAGES)
            if (summary := _summary(runs, column, total, size)) is not None
        }
        for column in published.TABLE_1_PLT_S
    }
    if all(found.values()):
        yield _drawing(found)


def _summary(runs: Runs, column: Column, total: int, size: int) -> Summary | None:
    times = times_s(runs, DECIDING, page(total, size), pep=column.pep, window=column.window)
    return summarise(times, seed=_SEED)


@style.applied()
def _drawing(found: dict[Column, dict[int, Summary]]) -> Drawing:
    figure, axes = style.canvas(panels=len(PATHS), panel_height_in=2.1, legend_rows=2)
    for axis, (pep, words) in zip(axes, PATHS.items(), strict=True):
        for column, ours in found.items():
            if column.pep == pep:
                _draw_column(axis, column, ours)
        axis.set_title(words[0].upper() + words[1:])
        axis.set_ylabel("Page load time in s")
        axis.set_xticks(range(len(_PAGES)), [f"{size}" for _, size in _PAGES])
        for place, total in enumerate(TOTALS_KB):
            axis.annotate(
                f"{total} kB",
                (place * len(SIZES_KB) + 1, 0.98),
                xycoords=("data", "axes fraction"),
                ha="center",
                va="top",
                fontsize=8,
            )
            if place:
                axis.axvline(place * len(SIZES_KB) - 0.5, color=style.GREY, linewidth=0.6)
        axis.grid(visible=False, axis="x")
        axis.set_ylim(0.0, axis.get_ylim()[1] * 1.15)
    axes[-1].set_xlabel("Size of objects in kB")
    _legend(figure)
    counts = [summary.n for ours in found.values() for summary in ours.values()]
    return Drawing(
        name="table-1",
        title="Table 1: load time of HTTP/2 with an initial window of 3 and of 10",
        caption=f"Ours is SPDY. {interval_caption(counts)} The bars of the published points are the "
        "spread of the "
        f"table's own replicates, {LOAD_MARGIN_PERCENT['split']:.0f} % with the PEP and "
        f"{LOAD_MARGIN_PERCENT['tunnel']:.0f} % without.",
        figure=figure,
    )


def _draw_column(axis: Axes, column: Column, ours: dict[int, Summary]) -> None:
    colour, stroke = look(DECIDING).colour, _STROKES[column.window]
    theirs = [published.TABLE_1_PLT_S[column][total][size] for total, size in _PAGES]
    margin = LOAD_MARGIN_PERCENT[column.pep] / 100
    axis.errorbar(
        [place + _ASIDE[column.window] - 0.06 for place in range(len(_PAGES))],
        theirs,
        yerr=[seconds * margin for seconds in theirs],
        color=_MARK,
        marker="x",
        linestyle="none",
        elinewidth=0.5,
        markersize=4.5 if stroke is style.Stroke.SOLID else 3.0,
    )
    axis.errorbar(
        [place + _ASIDE[column.window] + 0.06 for place in ours],
        [summary.mean for summary in ours.values()],
        yerr=[reach(summary) for summary in ours.values()],
        color=colour,
        marker=look(DECIDING).marker,
        markerfacecolor=style.face(stroke, colour),
        linestyle="none",
        capsize=2.0,
    )


def _legend(figure: Figure) -> None:
    keys = []
    for window, stroke in _STROKES.items():
        colour = look(DECIDING).colour
        keys += [
            Line2D(
                [],
                [],
                color=colour,
                marker=look(DECIDING).marker,
                markerfacecolor=style.face(stroke, colour),
                linestyle="none",
                label=f"ours, initial window {window}",
            ),
            Line2D(
                [],
                [],
                color=_MARK,
                marker="x",
                linestyle="none",
                markersize=4.5 if stroke is style.Stroke.SOLID else 3.0,
                label=f"published, initial window {window}",
            ),
        ]
    figure.legend(handles=keys, loc="outside upper left", ncols=2, handlelength=1.2, fontsize=8)
