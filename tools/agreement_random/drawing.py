"""The figure: which share of the cells has at most which error."""

from collections.abc import Mapping

from matplotlib.ticker import FuncFormatter, PercentFormatter

from bentpipe.figures import style
from bentpipe.figures.drawing import Drawing
from tools.agreement_random.comparing import BARS, MEDIAN_BAR, Distribution

PANEL_IN = 2.4
LEAST, MOST = 1e-5, 1.0
"""Ends of the axis of errors: what is less or more stands at them."""


@style.applied()
def draw(distributions: Mapping[str, Distribution]) -> Drawing:
    """Draw cumulative distributions of absolute errors, each called by its key, and the bars as crosses."""
    figure, (axis,) = style.canvas(panels=1, panel_height_in=PANEL_IN, legend_rows=len(distributions))
    colours = dict(zip(distributions, style.PALETTE, strict=False))
    for name, found in distributions.items():
        errors = sorted(min(max(error, LEAST), MOST) for error in found.errors)
        shares = [n / len(errors) for n in range(len(errors) + 1)]
        axis.step([LEAST, *errors], shares, where="post", color=colours[name])
    bars = {MEDIAN_BAR: 0.5, **BARS}
    axis.plot(list(bars), list(bars.values()), "x", color=style.GREY, clip_on=False, zorder=3)
    axis.set_xscale("log")
    axis.set_xlim(LEAST, MOST)
    axis.set_ylim(0.0, 1.02)
    axis.xaxis.set_major_formatter(FuncFormatter(lambda error, _: f"{100 * error:g} %"))
    axis.yaxis.set_major_formatter(PercentFormatter(xmax=1.0, symbol=" %"))
    axis.set_xlabel("Absolute error of simulate")
    axis.set_ylabel("Share")
    style.colour_legend(figure, colours, columns=1)
    return Drawing(
        name="agreement-random",
        title="Error over random cells",
        caption="Share of the quantities with at most this error; crosses: the bars.",
        figure=figure,
    )
