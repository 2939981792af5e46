"""Fig. 2 and 3: rates every 100 ms of one load of 500 objects, and the activity of its connections."""

from collections.abc import Iterator

from matplotlib.axes import Axes

from bentpipe.figures import colours, connections, style
from bentpipe.figures.bins import Series, bin_rates_bps, rows
from bentpipe.figures.drawing import Drawing
from bentpipe.studies.loads import median_load
from bentpipe.studies.secchi2018 import published
from bentpipe.studies.secchi2018.cells import DECIDING, MANY, PEP, Keeping, cell, page
from bentpipe.studies.study import Run, Runs

_MARK = colours.BLACK
_DOTTED = (0.0, (1.0, 2.0))
_INSTANTS = ", with the requests at 4 s and all objects there at 12 s."


def draw(runs: Runs) -> Iterator[Drawing]:
    """Draw the median load of each; HTTPS over connections that persist and over such that do not."""
    for name, http, keeping, what in (
        ("fig-2-https", "h1s", Keeping.ALL, "Fig. 2: HTTPS over six persistent connections"),
        ("fig-2-https-not-persistent", "h1s", Keeping.ONE, "HTTPS with a connection for each object"),
        ("fig-3-spdy", DECIDING, Keeping.ALL, "Fig. 3: HTTP/2 (SPDY) over one connection"),
    ):
        run = median_load(runs, {**cell(http, pep=PEP, keeping=keeping), "page": page(*MANY)})
        if run is not None and run.record.objects:
            yield _drawing(
                run, name=name, title=f"{what}: 500 objects of 5 kB", is_multiplexed=http == DECIDING
            )


def _drawing(run: Run, *, name: str, title: str, is_multiplexed: bool) -> Drawing:
    link = run.series("link")
    drawing = connections.draw(name=name, title=title, record=run.record, link=link)
    with style.applied():
        rate = drawing.figure.axes[0]
        _draw_return(rate, link)
        if is_multiplexed:
            _level(rate, published.H2_500_OBJECTS_PEAK.value, "peak 6 Mbit/s")
            _instant(rate, published.H2_FIRST_REQUESTS.value)
            _instant(rate, published.H2_500_OBJECTS_PLT.value)
        else:
            _level(rate, published.H1_RATE.value * 8e-3, "230 kB/s")
    return Drawing(
        name=name,
        title=title,
        caption=f"{drawing.caption} Grey: what it delivered to the server. Dotted: what the text "
        "says of the figure"
        f"{_INSTANTS if is_multiplexed else '.'}",
        figure=drawing.figure,
    )


def _draw_return(axis: Axes, link: Series) -> None:
    if rows(link) and "return_delivered_bytes" in link:
        rates = bin_rates_bps(link, "return_delivered_bytes") / 1e6
        axis.step(link["time_s"], rates, where="pre", color=style.GREY, linewidth=0.8)


def _level(axis: Axes, mbps: float, words: str) -> None:
    axis.set_ylim(0.0, max(axis.get_ylim()[1], 1.5 * mbps))
    axis.axhline(mbps, color=_MARK, linestyle=_DOTTED, linewidth=1.2)
    axis.annotate(
        f"published: {words}",
        (1.0, mbps),
        xycoords=("axes fraction", "data"),
        xytext=(-3, 2),
        textcoords="offset points",
        ha="right",
        va="bottom",
        fontsize=7,
        bbox={"facecolor": "white", "alpha": 0.8, "linewidth": 0, "pad": 1.0},
    )


def _instant(axis: Axes, at_s: float) -> None:
    if at_s > axis.get_xlim()[1]:
        for each in axis.figure.axes:
            each.set_xlim(0.0, at_s * 1.05)
    axis.axvline(at_s, color=_MARK, linestyle=_DOTTED, linewidth=1.2)
    axis.annotate(
        f"{at_s:g} s",
        (at_s, 1.0),
        xycoords=("data", "axes fraction"),
        xytext=(2, -1),
        textcoords="offset points",
        ha="left",
        va="top",
        fontsize=7,
    )
