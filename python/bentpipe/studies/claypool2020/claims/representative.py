"""Section IV.B and Figure 4: one download of each congestion control, which is typical of it.

The study's is one, of which it says what is typical; ours are all.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence

from bentpipe.stats import Phase, Span, mean_interval
from bentpipe.studies import rules
from bentpipe.studies.claypool2020 import published
from bentpipe.studies.claypool2020.claims.arithmetic import full_window_segments, slow_start_segments
from bentpipe.studies.claypool2020.claims.retransmissions import often
from bentpipe.studies.claypool2020.downloads import (
    MEDIAN,
    RTT,
    Download,
    Downloads,
    Quantity,
    dip_interval_s,
    first_peak_s,
    longest_round_trip_s,
    most_resent_percent,
    time_to_reach_s,
    values,
)
from bentpipe.studies.measure import against, difference_of, nothing
from bentpipe.studies.published_number import PublishedNumber
from bentpipe.studies.verdict import Measurement, Standing, Verdict, judge, verdict

OFTEN_PERCENT = 50.0
"""What is typical of a download is so in half of them or more."""
FAR_LOWER_PERCENT = 50.0
"""Of a rate: below half of it."""
_SOURCE = "section IV.B and Fig. 4"
_OVERSHOOT_WITHIN_S = 40.0
"""In which BBR's first peak is looked for: twice the published time."""


def representative_verdicts(downloads: Downloads) -> Iterator[Verdict]:
    """Every number of the section, and what is quicker than what."""
    yield from _steady(downloads)
    yield from _cubic(downloads["cubic"])
    yield from _starts(downloads)


def _steady(downloads: Downloads) -> Iterator[Verdict]:
    for claim_id, control, quantity, number, claim in (
        ("bbr-steady-rate", "bbr", MEDIAN, published.BBR_STEADY, "BBR's steady state is about 140 Mbit/s"),
        ("hybla-steady-rate", "hybla", MEDIAN, published.HYBLA_STEADY,
         "Hybla's steady state is about 140 Mbit/s"),
        ("pcc-steady-rate", "vivace", MEDIAN, published.PCC_STEADY, "PCC's steady state is about 140 Mbit/s"),
        ("cubic-steady-rate", "cubic", MEDIAN, published.CUBIC_STEADY,
         "CUBIC's steady state is about 100 Mbit/s"),
        ("bbr-steady-rtt", "bbr", RTT, published.BBR_STEADY_RTT, "BBR's steady round trips are about 750 ms"),
        ("cubic-steady-rtt", "cubic", RTT, published.CUBIC_STEADY_RTT,
         "CUBIC's steady round trips are about 1 s"),
        ("pcc-steady-rtt", "vivace", RTT, published.PCC_STEADY_RTT,
         "PCC's steady round trips are near the least, about 600 ms"),
    ):  # fmt: skip
        yield _number(claim_id, claim, downloads[control], quantity, number)
    intervals = _known(dip_interval_s, downloads["bbr"])
    yield verdict(
        "bbr-dips",
        "BBR's steady state dips every 10 s",
        [against("from dip to dip", intervals, published.BBR_DIPS, decimals=1)],
        source=published.BBR_DIPS.source,
    )


def _number(
    claim_id: str, claim: str, found: Iterable[Download], quantity: Quantity, number: PublishedNumber
) -> Verdict:
    ours = values(found, Phase.STEADY, quantity)
    label = "median second" if quantity is MEDIAN else "mean round trip"
    return verdict(
        claim_id, claim, [against(label, ours, number, decimals=quantity.decimals)], source=number.source
    )


def _cubic(found: Iterable[Download]) -> Iterator[Verdict]:
    cubic = list(found)
    rate = published.CUBIC_REACHES_MBPS
    at_s = published.CUBIC_LEAVES_SLOW_START.value
    rates = [each.flow.seconds(Span(from_s=at_s - 1, to_s=at_s)).throughput_bps for each in cubic]
    far = [float(each[0]) / 1e6 for each in rates if len(each)]
    yield verdict(
        "cubic-slow-at-15-s",
        "15 s in CUBIC's throughput is far lower than 100 Mbit/s",
        [judge("second 15, in % of 100 Mbit/s", _of_rate(far, rate), rules.less_than(FAR_LOWER_PERCENT))],
        source=_SOURCE,
    )
    yield verdict(
        "cubic-leaves-slow-start-at-15-s",
        "CUBIC leaves slow start about 15 s in, far below 100 Mbit/s",
        [judge("slow start", nothing("no series says when slow start ended"), rules.alike)],
        source=_SOURCE,
        standing=Standing.IMPOSSIBLE,
        note=_slow_start_note(at_s),
    )
    reached = _known(lambda each: time_to_reach_s(each, rate * 1e6), cubic)
    yield verdict(
        "cubic-slow-to-100-mbps",
        "CUBIC takes about 45 s to 100 Mbit/s",
        [against("first second as fast", reached, published.CUBIC_REACHES, decimals=1)],
        source=_SOURCE,
    )
    steady = [Span(from_s=published.CUBIC_REACHES.value, to_s=each.flow.end_s) for each in cubic]
    late = [(each, span) for each, span in zip(cubic, steady, strict=True) if span.length_s >= 1]
    rtt_s, resent = published.CUBIC_SPIKE_RTT_S, published.CUBIC_SPIKE_RESENT_PERCENT
    yield verdict(
        "cubic-spikes-round-trip",
        f"CUBIC's round trips have spikes above {rtt_s:g} s",
        [
            often(
                [longest_round_trip_s(*each) > rtt_s for each in late],
                "downloads that have any",
                OFTEN_PERCENT,
            )
        ],
        source=_SOURCE,
    )
    yield verdict(
        "cubic-spikes-resent",
        f"CUBIC has seconds with more than {resent:g} % retransmitted",
        [
            often(
                [most_resent_percent(*each) > resent for each in late],
                "downloads that have any",
                OFTEN_PERCENT,
            )
        ],
        source=_SOURCE,
    )


def _starts(downloads: Downloads) -> Iterator[Verdict]:
    rate_bps = published.CUBIC_REACHES_MBPS * 1e6
    reached = {
        cc: _known(lambda each: time_to_reach_s(each, rate_bps), found) for cc, found in downloads.items()
    }
    for control, name in (("bbr", "BBR"), ("hybla", "Hybla")):
        yield verdict(
            f"{control}-ramps-faster",
            f"{name} reaches 100 Mbit/s sooner than CUBIC",
            [judge(f"{name} against CUBIC", difference_of(reached[control], reached["cubic"]), rules.below)],
            source=_SOURCE,
        )
    peaks = _known(lambda each: first_peak_s(each, within_s=_OVERSHOOT_WITHIN_S), downloads["bbr"])
    yield verdict(
        "bbr-overshoots-at-20-s",
        "BBR oversaturates the queue around 20 s in",
        [against("longest round trip of the start", peaks, published.BBR_OVERSHOOTS, decimals=1)],
        source=published.BBR_OVERSHOOTS.source,
    )
    early = Span(from_s=0.0, to_s=_OVERSHOOT_WITHIN_S / 2)
    hybla, cubic = (
        [longest_round_trip_s(each, early) for each in downloads[cc]] for cc in ("hybla", "cubic")
    )
    yield verdict(
        "hybla-queues-early",
        "Hybla's start has long round trips",
        [judge("longest of the first 20 s, against CUBIC's", difference_of(hybla, cubic), rules.above)],
        source=_SOURCE,
    )


def _of_rate(rates_mbps: Sequence[float], whole_mbps: float) -> Measurement:
    """The mean of some rates in percent of another."""
    if not rates_mbps:
        return nothing("not measured")
    percent = [100 * rate / whole_mbps for rate in rates_mbps]
    mean = sum(percent) / len(percent)
    return Measurement(percent=mean, ci=mean_interval(percent), basis=f"{len(percent)} runs")


def _slow_start_note(at_s: float) -> str:
    doubling, slower = (slow_start_segments(at_s, growth=growth) for growth in (2.0, 1.5))
    return (
        f"Slow start from 10 segments at CUBIC's published 757 ms: after {at_s:g} s {doubling:,.0f} segments "
        f"when it doubles each round trip, {slower:,.0f} when delayed acknowledgements make it grow by half; "
        f"{full_window_segments():,.0f} fill 144 Mbit/s. It must have ended before; the throughput alone "
        "does not show when."
    )


def _known(of: Callable[[Download], float | None], found: Iterable[Download]) -> list[float]:
    return [number for each in found if (number := of(each)) is not None]
