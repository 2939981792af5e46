"""Every claim of the study as a pure function of its downloads and echoes."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from bentpipe.figures.style import control_label
from bentpipe.stats import Phase
from bentpipe.stats.flow import PERCENTILES
from bentpipe.studies import rules
from bentpipe.studies.claypool2020 import baseline, published
from bentpipe.studies.claypool2020.downloads import (
    RESENT,
    RTT,
    THROUGHPUT,
    Downloads,
    dip_interval_s,
    downloads,
    echoes,
    object_times_s,
    time_to_reach_s,
    values,
)
from bentpipe.studies.claypool2020.orders import ORDERS, Order
from bentpipe.studies.margins import LEVEL_MARGIN_PERCENT, ROUGH_MARGIN_PERCENT, TIME_MARGIN_PERCENT
from bentpipe.studies.measure import compared, difference_of, share
from bentpipe.studies.rules import TOLERANCE_POINTS, near
from bentpipe.studies.study import Runs
from bentpipe.studies.verdict import Finding, Verdict, judge, verdict

SMALL_MARGIN_PERCENT = 50.0
"""The text gives one digit."""
NEARLY_ALWAYS_PERCENT = 90.0
ALWAYS_PERCENT = 95.0
LATER_SIZES_MB = (25, 30, 50)

RULES: tuple[str, ...] = (
    "Each download gives one value; means and their intervals are over downloads (95 %, Student's t, of "
    "differences Fieller's). Differences are in percent of the second of the two; those of packets sent "
    "again in points, with Welch's interval.",
    "A claimed order agrees when, for every pair named, the whole interval of the difference lies on its "
    "side of zero. It differs when the interval includes zero (no significant difference) or lies on the "
    "other side.",
    f"As fast agrees when the whole interval lies within {TOLERANCE_POINTS:.0f} % of equal.",
    f"A published mean agrees when ours lies within {LEVEL_MARGIN_PERCENT:.0f} % of it.",
    "Times in whole seconds and the ten seconds between BBR's dips agree within "
    f"{TIME_MARGIN_PERCENT:.0f} %; about twice, about three times and CUBIC's 45 s within "
    f"{ROUGH_MARGIN_PERCENT:.0f} %; about 0.5 % of packets within {SMALL_MARGIN_PERCENT:.0f} %.",
    f"Nearly always means {NEARLY_ALWAYS_PERCENT:.0f} % of the downloads or more, at most "
    f"{ALWAYS_PERCENT:.0f} % or more of them, with the whole interval.",
    f"The baseline's round trips agree within {baseline.RTT_MARGIN_PERCENT:.0f} %, its losses within "
    f"{baseline.LOSS_MARGIN_PERCENT:.0f} %, the share of single losses within "
    f"{baseline.SINGLE_MARGIN_PERCENT:g} %, all runs together; the intervals are a jackknife's over runs.",
    "A claim about several numbers agrees only when each does, and differs when one does.",
)

ASSUMPTIONS: tuple[str, ...] = (
    "The study's PCC is our Vivace; both are of the flavour that minds latency.",
    "Round trips are the sender's smoothed ones every 100 ms; the study's are of each ACK.",
    "Packets retransmitted are in percent of those sent. A download is one value of their distribution: the "
    "study does not say what its distributions are over.",
    "Bonferroni's correction counts the three comparisons with CUBIC in a phase.",
    "Start-up and object times count from the first packet of the handshake.",
    "A phase's throughput is its bytes over its length; percentiles are of its whole seconds. Bytes count "
    "when the application gets them, so that those behind a lost packet come at once when it has come.",
    "A cycle has no pause: each run has a world of its own, in which nothing of the last one is left.",
    "That CUBIC leaves slow start about 15 s in is not tested: its throughput does not show when.",
)


def claims(runs: Runs) -> tuple[Verdict, ...]:
    """Judge every claim; without runs it is not testable."""
    found = downloads(runs)
    return (
        *baseline.verdicts(echoes(runs)),
        *_levels(found),
        *_orders(found),
        *_object_times(found),
        *_retransmissions(found),
        *_courses(found),
    )


def _levels(downloads: Downloads) -> Iterator[Verdict]:
    for quantity, name, table in (
        (THROUGHPUT, "throughput", published.THROUGHPUT_MBPS),
        (RTT, "round-trip", published.RTT_MS),
    ):
        for phase, row in table.items():
            numbers = ", ".join(f"{control_label(cc)} {cell.mean:g}" for cc, cell in row.items())
            yield verdict(
                f"{phase.slug}-{name}",
                f"{phase.value.capitalize()}, mean {quantity.name} in {quantity.unit}: {numbers}",
                [
                    compared(
                        control_label(cc),
                        values(downloads[cc], phase, quantity),
                        cell.mean,
                        margin_percent=LEVEL_MARGIN_PERCENT,
                        unit=quantity.unit,
                        decimals=quantity.decimals,
                    )
                    for cc, cell in row.items()
                ],
            )


def _orders(downloads: Downloads) -> Iterator[Verdict]:
    return (_order(downloads, order) for order in ORDERS)


def _order(downloads: Downloads, order: Order) -> Verdict:
    findings = []
    for pair in order.pairs:
        sample, reference = (values(downloads[control], order.phase, order.quantity) for control in pair)
        findings.append(judge(_against(pair), order.quantity.compared(sample, reference), order.rule))
    return verdict(order.claim_id, order.claim, findings)


def _object_times(downloads: Downloads) -> Iterator[Verdict]:
    for size, times in published.OBJECT_TIMES_S.items():
        numbers = ", ".join(f"{control_label(cc)} about {time:g}" for cc, time in times.items())
        yield verdict(
            f"object-{size}-mb",
            f"Time for {size} MB in s: {numbers}",
            [
                compared(
                    control_label(cc),
                    object_times_s(downloads[cc], size),
                    time,
                    margin_percent=TIME_MARGIN_PERCENT,
                    unit="s",
                    decimals=1,
                )
                for cc, time in times.items()
            ],
        )
    yield verdict(
        "object-multiples",
        f"{published.MULTIPLES_SIZE_MB} MB take BBR and PCC about twice as long as Hybla, CUBIC three times",
        [_multiple(downloads, cc, times) for cc, times in published.MULTIPLES_OF_HYBLA.items()],
    )
    yield verdict(
        "object-5-mb-order",
        "5 MB come first with Hybla, then PCC, BBR, CUBIC",
        [_sooner(downloads, pair, 5) for pair in pairwise(("hybla", "vivace", "bbr", "cubic"))],
    )
    yield verdict(
        "object-bbr-ahead-of-pcc",
        "Beyond 20 MB BBR is ahead of PCC",
        [_sooner(downloads, ("bbr", "vivace"), size) for size in LATER_SIZES_MB],
    )


def _retransmissions(downloads: Downloads) -> Iterator[Verdict]:
    resent = {cc: values(downloads[cc], Phase.OVERALL, RESENT) for cc in downloads}
    below = published.HYBLA_RESENT_NEARLY_ALWAYS_BELOW_PERCENT
    most = published.PCC_RESENT_AT_MOST_PERCENT
    yield verdict(
        "resent-hybla-below-1",
        f"Hybla nearly always sends less than {below:g} % of the packets again",
        [_often([v < below for v in resent["hybla"]], f"Hybla: below {below:g} %", NEARLY_ALWAYS_PERCENT)],
    )
    yield verdict(
        "resent-pcc",
        f"PCC sends about {published.PCC_RESENT_ABOUT_PERCENT:g} % of the packets again, at most {most:g} %",
        [
            compared(
                "PCC",
                resent["vivace"],
                published.PCC_RESENT_ABOUT_PERCENT,
                margin_percent=SMALL_MARGIN_PERCENT,
                unit="%",
                decimals=2,
            ),
            _often([v <= most for v in resent["vivace"]], f"PCC: at most {most:g} %", ALWAYS_PERCENT),
        ],
    )


def _courses(downloads: Downloads) -> Iterator[Verdict]:
    medians = [
        found.phases[Phase.STEADY].throughput_percentiles_bps[PERCENTILES.index(50)] / 1e6
        for found in downloads["bbr"]
    ]
    yield verdict(
        "bbr-steady-course",
        "BBR's steady state is about 140 Mbit/s with a dip every 10 s",
        [
            compared(
                "median second",
                medians,
                published.BBR_STEADY_MBPS,
                margin_percent=LEVEL_MARGIN_PERCENT,
                unit="Mbit/s",
                decimals=1,
            ),
            compared(
                "from dip to dip",
                _known(dip_interval_s(found) for found in downloads["bbr"]),
                published.BBR_DIP_INTERVAL_S,
                margin_percent=TIME_MARGIN_PERCENT,
                unit="s",
                decimals=1,
            ),
        ],
    )
    rate_bps = published.CUBIC_REACHES_MBPS * 1e6
    yield verdict(
        "cubic-slow-to-100-mbps",
        "CUBIC takes about 45 s to 100 Mbit/s",
        [
            compared(
                "first second as fast",
                _known(time_to_reach_s(found, rate_bps) for found in downloads["cubic"]),
                published.CUBIC_REACHES_S,
                margin_percent=ROUGH_MARGIN_PERCENT,
                unit="s",
                decimals=1,
            )
        ],
    )


def _against(pair: tuple[str, str]) -> str:
    return " against ".join(map(control_label, pair))


def _sooner(downloads: Downloads, pair: tuple[str, str], size_mb: int) -> Finding:
    times, others = (object_times_s(downloads[control], size_mb) for control in pair)
    return judge(f"{_against(pair)}, {size_mb} MB", difference_of(times, others), rules.below)


def _multiple(downloads: Downloads, control: str, multiple: int) -> Finding:
    times, hyblas = (object_times_s(downloads[cc], published.MULTIPLES_SIZE_MB) for cc in (control, "hybla"))
    label = f"{control_label(control)} against {multiple} times Hybla's"
    return judge(
        label, difference_of(times, [multiple * time for time in hyblas]), near(ROUGH_MARGIN_PERCENT)
    )


def _often(is_so: Sequence[bool], label: str, level_percent: float) -> Finding:
    return judge(label, share(is_so), rules.at_least(level_percent))


def _known(numbers: Iterable[float | None]) -> list[float]:
    return [number for number in numbers if number is not None]
