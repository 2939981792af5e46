"""Figures 6, 7, 9 and 10: distributions of round trips and of packets retransmitted."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from bentpipe.figures import cdf
from bentpipe.figures.drawing import Drawing
from bentpipe.figures.published_mark import Mark
from bentpipe.stats import Distribution, Phase, cumulative
from bentpipe.studies.claypool2020 import published
from bentpipe.studies.claypool2020.claims.retransmissions import NEARLY_ALWAYS_PERCENT
from bentpipe.studies.claypool2020.downloads import RESENT, Download, Downloads, values
from bentpipe.studies.claypool2020.figures.phases import TITLES, with_phase

_SHARES = np.arange(1, 401) / 400
"""At which a distribution over acknowledgements is drawn."""

RESENT_MARKS: Mapping[Phase, Mapping[str, Sequence[Mark]]] = {
    Phase.OVERALL: {
        "hybla": [Mark(x=published.HYBLA_RESENT_NEARLY_ALWAYS_BELOW_PERCENT, y=NEARLY_ALWAYS_PERCENT / 100)],
        "vivace": [
            Mark(x=published.PCC_RESENT.value, y=0.5),
            Mark(x=published.PCC_RESENT_AT_MOST_PERCENT, y=1.0),
        ],
    },
    Phase.STEADY: {
        control: [Mark(x=0.0, y=percent / 100)]
        for control, percent in published.STEADY_WITHOUT_RESENT_PERCENT.items()
    },
}


def round_trips(downloads: Downloads) -> Drawing:
    """Round trips of all downloads, each counted by the bytes that came in its interval."""
    marks = {
        phase: {control: [Mark(x=number.value)] for control, number in row.items()}
        for phase, row in published.RTT_MS.items()
    }
    drawing_panels = _panels(downloads, _round_trips, marks)
    return cdf.draw(
        name="round-trips",
        title="Round trips of downloads: distribution over acknowledgements",
        axis_label="Smoothed round trip in ms; dotted: the published mean",
        panels=drawing_panels,
        values="samples",
    )


def resent(downloads: Downloads) -> Drawing:
    """What each download retransmitted."""
    return cdf.draw(
        name="retransmissions",
        title="Packets retransmitted: distribution over downloads",
        axis_label="Packets retransmitted, in % of those sent",
        panels=_panels(downloads, _resent, RESENT_MARKS),
        values="downloads",
    )


def _round_trips(found: Sequence[Download], phase: Phase) -> Distribution:
    samples = [sample for each in found if (sample := each.round_trips(phase)) is not None]
    rtt_ms = 1e3 * np.concatenate([sample.rtt_s for sample in samples])
    weight = np.concatenate([sample.weight for sample in samples])
    order = np.argsort(rtt_ms)
    shares = np.cumsum(weight[order]) / max(float(weight.sum()), 1.0)
    places = np.minimum(np.searchsorted(shares, _SHARES), max(len(order) - 1, 0))
    return Distribution(value=rtt_ms[order][places], share=_SHARES, n=len(rtt_ms))


def _resent(found: Sequence[Download], phase: Phase) -> Distribution:
    return cumulative(values(found, phase, RESENT))


def _panels(
    downloads: Downloads,
    curve: Callable[[Sequence[Download], Phase], Distribution],
    published_marks: Mapping[Phase, Mapping[str, Sequence[Mark]]],
) -> list[cdf.Panel]:
    panels = []
    for phase, title in TITLES.items():
        curves = {control: curve(found, phase) for control, found in with_phase(downloads, phase).items()}
        # A phase below a second has none.
        drawn = {control: each for control, each in curves.items() if each.n}
        if drawn:
            marks = {cc: each for cc, each in published_marks.get(phase, {}).items() if cc in drawn}
            panels.append(cdf.Panel(title=title, curves=drawn, published=marks))
    return panels
