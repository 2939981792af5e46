"""Fig. 4a, 4b, 5a, 5b: load time against the number of objects; a line joins pages of one size."""

from collections.abc import Iterator

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from bentpipe.figures import colours, style
from bentpipe.figures.drawing import Drawing, interval_caption
from bentpipe.figures.mean_mark import reach
from bentpipe.figures.style import look
from bentpipe.stats import Summary, summarise
from bentpipe.studies.published_number import PublishedNumber
from bentpipe.studies.secchi2018 import published
from bentpipe.studies.secchi2018.cells import (
    EAGER,
    PATHS,
    PATIENT,
    PEP,
    SIZES_KB,
    STUDIED,
    STUDY_WINDOW,
    TOTALS_KB,
    TUNNEL,
    objects,
    page,
)
from bentpipe.studies.secchi2018.measured import times_s
from bentpipe.studies.secchi2018.published import Column
from bentpipe.studies.study import Runs

_SEED = 18
_MARKERS = dict(zip(TOTALS_KB, ("o", "s", "^"), strict=True))
_HIGH_IN = 3.6
_MARK = colours.BLACK
_PANELS = (
    ("fig-4a", PEP, EAGER),
    ("fig-4b", TUNNEL, EAGER),
    ("fig-5a", PEP, PATIENT),
    ("fig-5b", TUNNEL, PATIENT),
)
_TEXT: dict[str, tuple[tuple[int, int, PublishedNumber], ...]] = {
    "fig-4a": (
        (500, 5, published.HTTPS_100_OBJECTS),
        (1500, 100, published.HTTPS_15_OBJECTS),
    ),
}
"""Load times that the text prints of a figure, by the page: HTTPS."""
_BANDS: dict[str, tuple[PublishedNumber, PublishedNumber, str]] = {
    "fig-4a": (published.H2_PEP_FASTEST, published.H2_PEP_SLOWEST, "HTTP/2 10 to 12 s"),
    "fig-4b": (
        published.H2_TUNNEL_500K[0],
        published.H2_TUNNEL_500K[1],
        "HTTP/2, 500 kB: 11 to 15 s",
    ),
}
"""Ranges that the text prints of a figure."""


def draw(runs: Runs) -> Iterator[Drawing]:
    """Draw each panel for which there are runs."""
    for name, pep, retry in _PANELS:
        curves = {
            (http, total): points
            for http in STUDIED
            for total in TOTALS_KB
            if (points := _points(runs, http, total, pep, retry))
        }
        if curves:
            yield _drawing(name, pep, retry, curves)


def _points(runs: Runs, http: str, total: int, pep: str, retry: str) -> list[tuple[int, Summary]]:
    found = (
        (
            objects(total, size),
            summarise(times_s(runs, http, page(total, size), pep=pep, retry=retry), seed=_SEED),
        )
        for size in SIZES_KB
    )
    return sorted((number, summary) for number, summary in found if summary is not None)


@style.applied()
def _drawing(
    name: str, pep: str, retry: str, curves: dict[tuple[str, int], list[tuple[int, Summary]]]
) -> Drawing:
    figure, (axis,) = style.canvas(panels=1, panel_height_in=_HIGH_IN, legend_rows=3)
    for (http, total), points in curves.items():
        axis.errorbar(
            [number for number, _ in points],
            [summary.mean for _, summary in points],
            yerr=[reach(summary) for _, summary in points],
            color=look(http).colour,
            marker=_MARKERS[total],
            capsize=2.0,
            elinewidth=0.9,
            linewidth=1.0,
        )
    keys = _draw_published(axis, name, pep)
    axis.set_xscale("log")
    axis.set_yscale("log")
    numbers = sorted({objects(total, size) for total in TOTALS_KB for size in SIZES_KB})
    axis.set_xticks([5, 15, 25, 75, 125, 300, 500], ["5", "15", "25", "75", "125", "300", "500"])
    axis.set_xlim(numbers[0] / 1.25, numbers[-1] * 1.25)
    axis.minorticks_off()
    axis.set_yticks([5, 10, 20, 50, 100, 200, 500], ["5", "10", "20", "50", "100", "200", "500"])
    axis.set_xlabel("Objects of the page")
    axis.set_ylabel("Page load time in s")
    _legend(figure, [http for http, _ in curves], keys)
    counts = [summary.n for points in curves.values() for _, summary in points]
    return Drawing(
        name=name,
        title=f"Fig. {name.removeprefix('fig-')}: load time against the number of objects {PATHS[pep]}, "
        f"a second connection after {retry}",
        caption=f"{interval_caption(counts)} A line joins pages of the same size. Black: published.",
        figure=figure,
    )


def _draw_published(axis: Axes, name: str, pep: str) -> list[Line2D]:
    """Draw what the paper prints of a panel, and return its keys of the legend."""
    keys = []
    if name in _BANDS:
        low, high, words = _BANDS[name]
        axis.axhspan(low.value, high.value, color=_MARK, alpha=0.12, linewidth=0)
        keys.append(Line2D([], [], color=_MARK, alpha=0.25, linewidth=6, label=f"published: {words}"))
    for total, size, number in _TEXT.get(name, ()):
        axis.plot(objects(total, size), number.value, color=_MARK, marker="D", markerfacecolor="none")
    if name in _TEXT:
        keys.append(_key("D", "published: HTTPS, 35 and 12 s"))
    if name in ("fig-4a", "fig-4b"):
        for total, sizes in published.TABLE_1_PLT_S[Column(pep=pep, window=STUDY_WINDOW)].items():
            for size, seconds in sizes.items():
                axis.plot(objects(total, size), seconds, color=_MARK, marker="x", markersize=4.5)
        keys.append(_key("x", "published: HTTP/2, table 1"))
    return keys


def _key(marker: str, label: str) -> Line2D:
    return Line2D([], [], color=_MARK, marker=marker, markerfacecolor="none", linestyle="none", label=label)


def _legend(figure: Figure, protocols: list[str], published_keys: list[Line2D]) -> None:
    keys = [
        Line2D([], [], color=look(http).colour, linewidth=3.0, label=look(http).label)
        for http in dict.fromkeys(protocols)
    ]
    sizes = [
        Line2D([], [], color=style.GREY, marker=marker, linestyle="none", label=f"{total} kB")
        for total, marker in _MARKERS.items()
    ]
    figure.legend(
        handles=[*keys, *sizes, *published_keys],
        loc="outside upper left",
        ncols=3,
        handlelength=1.6,
        columnspacing=1.0,
        fontsize=7,
    )
