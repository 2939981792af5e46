"""The study's downloads in their phases, and the echoes of its quiet link, out of a campaign's runs."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from bentpipe.stats import Flow, Means, Phase, Span, flow_of_series, select
from bentpipe.stats.counter import BIN_S
from bentpipe.stats.flow import FIRST_S, PERCENTILES, RoundTrips
from bentpipe.studies.measure import difference_of, points_of
from bentpipe.studies.study import Run, Runs
from bentpipe.studies.verdict import Measurement

CONTROLS = ("bbr", "cubic", "hybla", "vivace")
"""In the study's order; its PCC is our Vivace."""

DIP_WINDOW_S = 0.5
"""BBR's ProbeRTT empties the path for a round trip, which a window of half a second cannot miss."""


@dataclass(frozen=True, kw_only=True)
class Download:
    """One download; `phases` are those that it had."""

    flow: Flow
    phases: Mapping[Phase, Means]

    def round_trips(self, phase: Phase) -> RoundTrips | None:
        """The round trips sampled in a phase that it had."""
        span = self.flow.span(phase)
        return self.flow.round_trips(span) if span else None


Downloads: TypeAlias = Mapping[str, Sequence[Download]]
"""By congestion control."""


@dataclass(frozen=True, kw_only=True)
class Quantity:
    """What is compared of a phase, and how: relatively, or in points of what is in percent already."""

    name: str
    unit: str
    decimals: int
    of: Callable[[Means], float]
    compared: Callable[[Sequence[float], Sequence[float]], Measurement] = difference_of


def _percentile(percent: int) -> Quantity:
    place = PERCENTILES.index(percent)
    return Quantity(
        name=f"{percent} % of throughput",
        unit="Mbit/s",
        decimals=1,
        of=lambda m: m.throughput_percentiles_bps[place] / 1e6,
    )


THROUGHPUT = Quantity(name="throughput", unit="Mbit/s", decimals=1, of=lambda m: m.throughput_bps / 1e6)
TENTH, MEDIAN, NINETIETH = (_percentile(percent) for percent in PERCENTILES)
RTT = Quantity(name="round trip", unit="ms", decimals=0, of=lambda m: m.rtt_s * 1e3)
RESENT = Quantity(
    name="packets retransmitted", unit="%", decimals=2, of=lambda m: m.resent_percent, compared=points_of
)
POWER = Quantity(name="power", unit="Mbit/s per s", decimals=0, of=lambda m: m.throughput_bps / 1e6 / m.rtt_s)


def downloads(runs: Runs) -> Downloads:
    """Every download that succeeded."""
    return {
        control: [run.derived(_download) for run in select(runs, cc=control) if run.derived(_kind) == "bulk"]
        for control in CONTROLS
    }


def echoes(runs: Runs) -> list[NDArray[np.float64]]:
    """The round trips of each run of the baseline in seconds; NaN for a lost one."""
    found = (run.derived(_round_trips_s) for run in select(runs) if run.derived(_kind) == "ping")
    return [samples for samples in found if len(samples)]


def values(downloads: Iterable[Download], phase: Phase, quantity: Quantity) -> list[float]:
    """One quantity of each download that had the phase."""
    return [quantity.of(found.phases[phase]) for found in downloads if phase in found.phases]


def round_trip_percentiles_ms(downloads: Iterable[Download], phase: Phase, percent: float) -> list[float]:
    """A percentile of the round trips of each download in a phase."""
    samples = (found.round_trips(phase) for found in downloads)
    return [1e3 * sample.quantile_s(percent / 100) for sample in samples if sample and len(sample.rtt_s)]


def object_times_s(downloads: Iterable[Download], megabytes: float) -> list[float]:
    """How long the first so many megabytes of each download took, of those that are long enough."""
    times = (found.flow.received.time_of(megabytes * 1e6) for found in downloads)
    return [time for time in times if time is not None]


def time_to_reach_s(download: Download, rate_bps: float) -> float | None:
    """The end of the first second in which the throughput is as high; None when none is."""
    seconds = download.flow.seconds(Span(from_s=0.0, to_s=download.flow.end_s))
    reached = seconds.end_s[seconds.throughput_bps >= rate_bps]
    return float(reached[0]) if len(reached) else None


def dip_interval_s(download: Download) -> float | None:
    """Mean time between dips below half of the median throughput after 30 s; None below two dips."""
    ends = np.arange(FIRST_S + DIP_WINDOW_S, download.flow.end_s, BIN_S)
    received = download.flow.received
    rates = received.at(ends) - received.at(ends - DIP_WINDOW_S)
    if len(rates) == 0:
        return None
    is_low = rates < np.median(rates) / 2
    begins = ends[1:][is_low[1:] & ~is_low[:-1]]
    return float(np.mean(np.diff(begins))) if len(begins) > 1 else None


def first_peak_s(download: Download, *, within_s: float) -> float | None:
    """When the round trip was longest in the first seconds; None without a sample."""
    flow = download.flow
    is_early = flow.rtt_time_s <= within_s
    if not is_early.any():
        return None
    return float(flow.rtt_time_s[is_early][np.argmax(flow.rtt_s[is_early])])


def longest_round_trip_s(download: Download, span: Span) -> float:
    """The longest round trip sampled in a span; zero without one."""
    return float(max(download.flow.round_trips(span).rtt_s, default=0.0))


def most_resent_percent(download: Download, span: Span) -> float:
    """The most that any second of a span has of packets retransmitted."""
    return float(max(download.flow.seconds(span).resent_percent, default=0.0))


def _kind(run: Run) -> str:
    return str(run.record.spec.workload.kind)


def _round_trips_s(run: Run) -> NDArray[np.float64]:
    return run.series("ping").get("rtt_s", np.empty(0))


def _download(run: Run) -> Download:
    completion_s = run.record.metrics.completion_s
    assert completion_s is not None
    flow = flow_of_series(
        progress=run.series("progress"),
        sender=run.series("sender"),
        link=run.series("link"),
        end_s=completion_s,
        mtu_bytes=run.record.spec.link.mtu_bytes,
    )
    spans = {phase: flow.span(phase) for phase in Phase}
    return Download(flow=flow, phases={phase: flow.means(span) for phase, span in spans.items() if span})
