"""Figure 3: the round trips of the quiet link over time, and their tail."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bentpipe.figures import ccdf, pings_over_time
from bentpipe.figures.drawing import Drawing
from bentpipe.figures.published_mark import Mark
from bentpipe.stats import exceedance
from bentpipe.studies.claypool2020.published import BASELINE, GAP_MS

INTERVAL_S = 0.2
"""Section III.B."""


def over_time(echoes: Sequence[NDArray[np.float64]]) -> Drawing:
    """Figure 3a: all runs one after the other, which have no time of day."""
    return pings_over_time.draw(
        name="quiet-link-over-time",
        title="Round trips of the quiet link",
        interval_s=INTERVAL_S,
        rtt_ms=np.concatenate(echoes) * 1e3,
        published=[Mark(y=number) for number in (BASELINE.min_ms, BASELINE.mean_ms, BASELINE.max_ms)],
    )


def tail(echoes: Sequence[NDArray[np.float64]]) -> Drawing:
    """Figure 3b: the complementary distribution."""
    sent = BASELINE.lost / (BASELINE.loss_percent / 100)
    return ccdf.draw(
        name="quiet-link-tail",
        title="Round trips of the quiet link: share above each",
        axis_label="Round trip in ms",
        curves={"ours": exceedance(np.concatenate(echoes) * 1e3)},
        published=[
            Mark(x=BASELINE.min_ms, y=1.0),
            Mark(x=BASELINE.median_ms, y=0.5),
            Mark(x=BASELINE.high_99_ms, y=0.01),
            Mark(x=BASELINE.max_ms, y=1 / sent),
        ],
        published_gap=GAP_MS,
    )
