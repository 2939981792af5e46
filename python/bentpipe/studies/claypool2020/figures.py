"""The study's figures, drawn from our downloads."""

from collections.abc import Callable, Sequence

import numpy as np

from bentpipe.figures import boxes, cdf, flows_over_time, transfer_time
from bentpipe.figures.drawing import Drawing
from bentpipe.figures.style import control_label
from bentpipe.stats import (
    Distribution,
    Phase,
    Span,
    cumulative,
    mean_interval,
    representative,
    select,
)
from bentpipe.stats.flow import PERCENTILES
from bentpipe.studies.claypool2020.downloads import (
    CONTROLS,
    RESENT,
    THROUGHPUT,
    Download,
    Downloads,
    downloads,
    object_times_s,
    values,
)
from bentpipe.studies.study import Runs, Timeline

FIGURES_NOTE = (
    "Throughput as box plots, round trips and retransmissions as distributions, the time that the first "
    "megabytes take and one download of each congestion control over time, as the study draws them; the "
    "echoes of the quiet link."
)

_PHASES = {
    Phase.OVERALL: "Overall",
    Phase.STEADY: "Steady state: the last half of the bytes",
    Phase.START_UP: "Start-up: the first 30 s",
}
_SMALL_MB = 30
_LARGE_STEPS = 100


def figures(runs: Runs) -> tuple[Drawing, ...]:
    """Every figure for which there are downloads."""
    found = downloads(runs)
    if not any(found.values()):
        return ()
    return (
        _throughput(found),
        _round_trips(found),
        _resent(found),
        _object_times(found),
        _over_time(found),
    )


def timelines(runs: Runs) -> tuple[Timeline, ...]:
    """The median download of each congestion control with its link, window and queue."""
    return tuple(
        Timeline(
            name=f"over-time-{control}",
            title=f"{control_label(control)}, download",
            factors={"cc": control, "bulk.direction": "down"},
        )
        for control in CONTROLS
        if select(runs, cc=control)
    )


def _throughput(downloads: Downloads) -> Drawing:
    panels = []
    for phase, title in _PHASES.items():
        had = _with(downloads, phase).items()
        means = {control: [found.phases[phase] for found in each] for control, each in had}
        groups = {
            f"{percent} %": {
                control: [mean.throughput_percentiles_bps[place] / 1e6 for mean in each]
                for control, each in means.items()
            }
            for place, percent in enumerate(PERCENTILES)
        }
        groups["mean"] = {control: [THROUGHPUT.of(mean) for mean in each] for control, each in means.items()}
        if means:
            panels.append(boxes.Panel(title=title, axis_label="Mbit/s", groups=groups))
    title = "Throughput of downloads: percentiles of their seconds, and mean"
    return boxes.draw(name="throughput", title=title, panels=panels)


def _round_trips(downloads: Downloads) -> Drawing:
    def curve(found: Sequence[Download], phase: Phase) -> Distribution:
        spans = ((each.flow, each.flow.span(phase)) for each in found)
        return cumulative(np.concatenate([flow.seconds(span).rtt_s for flow, span in spans if span]) * 1e3)

    return cdf.draw(
        name="round-trips",
        title="Round trips of downloads: distribution over their seconds",
        axis_label="Smoothed round trip in ms",
        panels=_panels(downloads, curve),
        values="seconds",
    )


def _resent(downloads: Downloads) -> Drawing:
    def curve(found: Sequence[Download], phase: Phase) -> Distribution:
        return cumulative(values(found, phase, RESENT))

    return cdf.draw(
        name="retransmissions",
        title="Packets retransmitted: distribution over downloads",
        axis_label="Packets retransmitted, in % of those sent",
        panels=_panels(downloads, curve),
        values="downloads",
    )


def _object_times(downloads: Downloads) -> Drawing:
    measured = {control: found for control, found in downloads.items() if found}
    most_mb = min(int(d.flow.received.total[-1] / 1e6) for found in measured.values() for d in found)
    ranges = {
        f"The first {_SMALL_MB} MB": range(1, min(_SMALL_MB, most_mb) + 1),
        "The whole download": range(1, most_mb + 1, max(1, most_mb // _LARGE_STEPS)),
    }
    panels = [
        transfer_time.Panel(
            title=title,
            curves={
                control: [_point(size, object_times_s(found, size)) for size in sizes]
                for control, found in measured.items()
            },
        )
        for title, sizes in ranges.items()
    ]
    title = "Time to download the first megabytes"
    return transfer_time.draw(name="object-times", title=title, panels=panels)


def _point(size_mb: int, times_s: list[float]) -> transfer_time.Point:
    return transfer_time.Point(
        size_mb=size_mb, mean_s=float(np.mean(times_s)), ci=mean_interval(times_s), n=len(times_s)
    )


def _over_time(downloads: Downloads) -> Drawing:
    flows = {}
    for control, found in downloads.items():
        if found:
            flow = found[representative([each.flow.end_s for each in found])].flow
            flows[control] = flow.seconds(Span(from_s=0.0, to_s=flow.end_s))
    return flows_over_time.draw(name="downloads-over-time", title="Downloads over time", flows=flows)


def _panels(
    downloads: Downloads, curve: Callable[[Sequence[Download], Phase], Distribution]
) -> list[cdf.Panel]:
    panels = []
    for phase, title in _PHASES.items():
        curves = {control: curve(found, phase) for control, found in _with(downloads, phase).items()}
        # A phase below a second has none.
        drawn = {control: each for control, each in curves.items() if each.n}
        if drawn:
            panels.append(cdf.Panel(title=title, curves=drawn))
    return panels


def _with(downloads: Downloads, phase: Phase) -> dict[str, list[Download]]:
    """The downloads that had the phase, of the congestion controls that have any."""
    had = {control: [d for d in found if phase in d.phases] for control, found in downloads.items()}
    return {control: found for control, found in had.items() if found}
