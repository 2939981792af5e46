"""What the study's claims compare: protocols, congestion controls and page structures, on a link."""

import math
from collections.abc import Sequence

from bentpipe.figures.style import control_label, look
from bentpipe.stats import Interval, mean_relative_difference
from bentpipe.studies.alshagri2023.cells import cell, pages, pages_across
from bentpipe.studies.alshagri2023.paint import largest_complete_times_s
from bentpipe.studies.measure import difference, nothing
from bentpipe.studies.rules import Rule
from bentpipe.studies.study import Runs
from bentpipe.studies.verdict import Finding, Measurement, judge

LCP = "lcp"
"""Not the record's metric, which takes the first of equal objects: `paint.largest_complete_s`."""


def protocols(
    runs: Runs,
    sample: str,
    reference: str,
    link: str,
    structures: Sequence[str],
    rule: Rule,
    *,
    metric: str = "plt_s",
    cc: str = "bbr",
    where: str = "",
) -> Finding:
    """One protocol against another on the same pages."""
    label = f"{look(sample).label} against {look(reference).label}" + (f", {where}" if where else "")
    on = [pair for structure in structures for pair in pages(structure)]
    return judge(label, measured(runs, metric, link, (sample, cc), (reference, cc), on), rule)


def controls(runs: Runs, http: str, link: str, sample: str, reference: str, rule: Rule) -> Finding:
    """One congestion control against another, uniform pages."""
    label = f"{look(http).label}: {control_label(sample)} against {control_label(reference)}"
    found = measured(runs, "plt_s", link, (http, sample), (http, reference), pages("uniform"))
    return judge(label, found, rule)


def structures(runs: Runs, http: str, link: str, metric: str, rule: Rule) -> Finding:
    """The triangular page against the uniform one of its size."""
    on = pages_across("triangular", "uniform")
    found = measured(runs, metric, link, (http, "bbr"), (http, "bbr"), on)
    return judge(f"{look(http).label}: triangular against uniform", found, rule)


def measured(
    runs: Runs,
    metric: str,
    link: str,
    sample: tuple[str, str],
    reference: tuple[str, str],
    on: Sequence[tuple[str, str]],
) -> Measurement:
    """Mean over pages of the relative difference of two pairs of protocol and congestion control."""
    if metric != LCP:
        return difference(
            runs, metric, sample=cell(link, *sample), reference=cell(link, *reference), pages=on
        )
    strata = [
        (
            largest_complete_times_s(runs, **cell(link, *sample), page=ours),
            largest_complete_times_s(runs, **cell(link, *reference), page=theirs),
        )
        for ours, theirs in on
    ]
    known = [pair for pair in strata if all(pair)]
    if not known:
        names = ", ".join(page for page, _ in on)
        return nothing(f"not measured: {link} {sample[0]} {sample[1]}: {names}")
    found = mean_relative_difference(known)
    counts = [len(values) for pair in known for values in pair]
    return Measurement(
        percent=found.value * 100,
        ci=found.ci.scaled(100) if found.ci else None,
        basis=f"{len(known)} pages, {min(counts)} runs or more per cell",
        gap=f"only {len(known)} of {len(on)} pages measured" if len(known) < len(on) else None,
    )


def points_between(one: Measurement, other: Measurement, *, weight: float = 1.0) -> Measurement:
    """How far one difference lies above `weight` times another, in points; the two are independent."""
    if one.percent is None or other.percent is None:
        return nothing(one.gap or other.gap or "not measured")
    value = one.percent - weight * other.percent
    gap = one.gap or other.gap
    if one.ci is None or other.ci is None:
        return Measurement(percent=value, ci=None, basis=one.basis, gap=gap)
    reach = math.hypot(_reach(one.ci), weight * _reach(other.ci))
    ci = Interval(low=value - reach, high=value + reach, confidence=one.ci.confidence)
    return Measurement(percent=value, ci=ci, basis=f"{one.basis}, points", gap=gap)


def _reach(ci: Interval) -> float:
    return (ci.high - ci.low) / 2
