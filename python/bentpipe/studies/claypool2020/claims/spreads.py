"""How much downloads differ from each other: spreads, and effect sizes in terms of them."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

from bentpipe.figures.style import control_label
from bentpipe.stats import Interval, Phase, t_test
from bentpipe.studies.claypool2020 import published
from bentpipe.studies.claypool2020.claims.levels import SLUGS
from bentpipe.studies.claypool2020.claims.orders import pair_label
from bentpipe.studies.claypool2020.downloads import (
    NINETIETH,
    RESENT,
    RTT,
    THROUGHPUT,
    Downloads,
    Quantity,
    values,
)
from bentpipe.studies.measure import nothing
from bentpipe.studies.published_number import NORMAL_95
from bentpipe.studies.rules import Agreement, Decision, Rule, above, below
from bentpipe.studies.verdict import Measurement, Verdict, judge, verdict

REFERENCE = "cubic"
"""What every other is tested against."""

_ROUNDING = 1e-9

CLASSES = ((0.0, 0.2, "small"), (0.2, 0.5, "medium"), (0.5, 0.8, "large"), (0.8, math.inf, "very large"))
"""Of effect sizes, as section IV.C has them."""


@dataclass(frozen=True, kw_only=True)
class Spread:
    """Which of two has downloads that differ more from each other, in one quantity of a phase."""

    claim_id: str
    claim: str
    source: str
    phase: Phase
    quantity: Quantity
    pairs: Sequence[tuple[str, str]]
    rule: Rule


_OVERALL, _STEADY, _START_UP = Phase.OVERALL, Phase.STEADY, Phase.START_UP
SPREADS = tuple(
    Spread(
        claim_id=f"{phase.slug}-spread-{claim_id}",
        claim=f"{phase.value.capitalize()}: {claim}",
        source=source,
        phase=phase,
        quantity=quantity,
        pairs=pairs,
        rule=rule,
    )
    for phase, claim_id, claim, source, quantity, rule, pairs in (
        (_OVERALL, "ninetieth-bbr", "BBR's fast seconds vary more than CUBIC's and Hybla's", "Fig. 5",
         NINETIETH, above, [("bbr", "cubic"), ("bbr", "hybla")]),
        (_OVERALL, "ninetieth-pcc", "PCC's fast seconds vary more than CUBIC's and Hybla's", "Fig. 5",
         NINETIETH, above, [("vivace", "cubic"), ("vivace", "hybla")]),
        (_OVERALL, "rtt-bbr", "BBR's round trips vary less than CUBIC's", "Table IV", RTT, below,
         [("bbr", "cubic")]),
        (_OVERALL, "rtt-pcc", "PCC's round trips vary least", "Table IV", RTT, below,
         [("vivace", other) for other in ("bbr", "cubic", "hybla")]),
        (_STEADY, "bbr", "BBR's throughput varies least", "Table V", THROUGHPUT, below,
         [("bbr", other) for other in ("cubic", "hybla", "vivace")]),
        (_STEADY, "ninetieth-hybla", "Hybla's fast seconds vary least", "Fig. 8", NINETIETH, below,
         [("hybla", other) for other in ("bbr", "cubic", "vivace")]),
        (_STEADY, "ninetieth-pcc", "PCC's fast seconds vary most", "Fig. 8", NINETIETH, above,
         [("vivace", other) for other in ("bbr", "cubic", "hybla")]),
        (_STEADY, "rtt-bbr", "BBR's round trips vary less than CUBIC's", "Table VII", RTT, below,
         [("bbr", "cubic")]),
        (_STEADY, "rtt-pcc", "PCC's round trips vary least", "Table VII", RTT, below,
         [("vivace", other) for other in ("bbr", "cubic", "hybla")]),
        (_STEADY, "resent-pcc", "What PCC sends again has a heavier tail than BBR's", "Fig. 10", RESENT,
         above, [("vivace", "bbr")]),
        (_START_UP, "rtt-pcc", "PCC's round trips vary least", "Table VIII", RTT, below,
         [("vivace", other) for other in ("bbr", "cubic", "hybla")]),
    )
)  # fmt: skip


def spread_verdicts(downloads: Downloads) -> Iterator[Verdict]:
    """Judge each statement about spreads on each of its pairs."""
    for spread in SPREADS:
        findings = []
        for pair in spread.pairs:
            sample, reference = (values(downloads[cc], spread.phase, spread.quantity) for cc in pair)
            findings.append(judge(pair_label(pair), deviation_ratio(sample, reference), spread.rule))
        yield verdict(spread.claim_id, spread.claim, findings, source=spread.source)


def effect_size_verdicts(downloads: Downloads) -> Iterator[Verdict]:
    """Tables III, VI and IX: by how many standard deviations the means lie apart."""
    for phase, row in published.TESTS.items():
        numbers = published.THROUGHPUT_MBPS[phase]
        for control, test in row.items():
            sign = 1 if numbers[control].value > numbers[REFERENCE].value else -1
            samples = [values(downloads[cc], phase, THROUGHPUT) for cc in (control, REFERENCE)]
            found = t_test(*samples, comparisons=len(row))
            measured = (
                effect_of(found.d, len(samples[0]), len(samples[1])) if found else nothing("not measured")
            )
            label = f"{control_label(control)} against CUBIC"
            finding = judge(
                label,
                measured,
                effect(sign * test.d),
                published=f"d = {sign * test.d:g}",
                ours=f"d = {found.d:.2f}" if found else "not measured",
            )
            yield verdict(
                f"{phase.slug}-effect-{SLUGS[control]}",
                f"{phase.value.capitalize()}: effect size of the throughput of {label}",
                [finding],
                source=published.TESTS_SOURCE[phase],
            )


def deviation_ratio(sample: Sequence[float], reference: Sequence[float]) -> Measurement:
    """How far the sample's standard deviation lies above the reference's, in percent.

    The interval is that of the ratio of variances of normal samples (Fisher's F).
    """
    if min(len(sample), len(reference)) < 2:
        return nothing("not measured")
    basis = f"{len(sample)} and {len(reference)} runs, standard deviations"
    deviations = [_deviation(values) for values in (sample, reference)]
    if not any(deviations):
        return Measurement(percent=0.0, ci=Interval(low=0.0, high=0.0), basis=f"{basis}: neither varies")
    if not deviations[1]:
        return nothing("nothing to compare with: the second of the two does not vary")
    ratio = deviations[0] / deviations[1]
    degrees = (len(sample) - 1, len(reference) - 1)
    high, low = (math.sqrt(float(stats.f.ppf(p, *degrees))) for p in (0.025, 0.975))
    ci = Interval(low=100 * (ratio / low - 1), high=100 * (ratio / high - 1))
    return Measurement(
        percent=100 * (ratio - 1),
        ci=ci,
        basis=f"{len(sample)} and {len(reference)} runs, standard deviations",
    )


def _deviation(values: Sequence[float]) -> float:
    """The standard deviation; what rounding makes of equal values is none."""
    deviation = float(np.std(values, ddof=1))
    return deviation if deviation > _ROUNDING * abs(float(np.mean(values))) else 0.0


def effect_of(d: float, n: int, m: int) -> Measurement:
    """Cohen's d in percent of a standard deviation, with its normal interval."""
    reach = NORMAL_95 * effect_error(d, n, m)
    ci = Interval(low=100 * (d - reach), high=100 * (d + reach))
    return Measurement(percent=100 * d, ci=ci, basis=f"{n} and {m} runs, percent of a standard deviation")


def effect_error(d: float, n: int, m: int) -> float:
    """The standard error of Cohen's d (Hedges, Olkin 1985, section 5.B)."""
    return math.sqrt((n + m) / (n * m) + d**2 / (2 * (n + m)))


def effect(d: float) -> Rule:
    """Claimed: an effect of this class and direction, or one within the published one's own interval."""
    low, high, name = next(each for each in CLASSES if each[0] <= abs(d) < each[1])
    reach = NORMAL_95 * effect_error(d, published.DOWNLOADS, published.DOWNLOADS)
    least, most = 100 * min(low, abs(d) - reach), 100 * max(high, abs(d) + reach)
    if not low:
        least = -most
    region = (least, most) if d > 0 else (-most, -least)

    def decide(percent: float, ci: Interval) -> Decision:
        if region[0] <= percent <= region[1]:
            return Agreement.AGREES, f"{name}, as published, or within the published interval"
        if ci.high < region[0] or ci.low > region[1]:
            return Agreement.DIFFERS, f"not {name}, nor within the published interval"
        return Agreement.NOT_TESTABLE, f"the interval reaches what counts as {name}"

    return Rule(claimed=f"{name} effect", low=region[0], high=region[1], decide=decide)
