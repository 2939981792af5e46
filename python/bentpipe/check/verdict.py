"""Whether the runs of a cell keep the limits of a budget."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from bentpipe.check.budget import Bound, Budget, Limit
from bentpipe.check.load_change import LoadChange, load_change
from bentpipe.check.runs import Run
from bentpipe.scenario import Cell
from bentpipe.stats import Difference, representative
from bentpipe.stats.paired import least_pairs, paired_relative_change, paired_relative_difference


class Verdict(Enum):
    """What the runs say of a limit."""

    KEPT = "kept"
    BROKEN = "broken"
    UNJUDGED = "not judged"


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One limit of a budget in one cell.

    Attributes
    ----------
    budget : Budget
        Whose limit it is.
    cell : Cell
        What was run.
    limit : Limit
        The limit.
    verdict : Verdict
        Whether it is kept.
    values : sequence of float
        Of the metric, in the order of the seeds.
    found : float or None
        Their statistic; None where there is none.
    before : float or None
        The baseline's, of a regression.
    change : Difference or None
        For the worse, of a regression: 0.03 is 3 % worse; None where it cannot be told.
    is_certain : bool
        Whether the interval of the change lies on one side of the limit; true of other limits.
    needed_pairs : int or None
        The fewest that tell anything of a change, where there are fewer; None of other findings.
    why : str
        What kept it from being judged by its values; empty where nothing did.
    """

    budget: Budget
    cell: Cell
    limit: Limit
    verdict: Verdict
    values: Sequence[float]
    found: float | None
    before: float | None = None
    change: Difference | None = None
    is_certain: bool = True
    needed_pairs: int | None = None
    why: str = ""


def judged(budget: Budget, cell: Cell, limit: Limit, runs: Sequence[Run]) -> Finding:
    """Return whether a cell keeps a limit below or above; a run without numbers breaks it."""
    values, why = _values(budget, runs)
    if why:
        return Finding(
            budget=budget, cell=cell, limit=limit, verdict=Verdict.BROKEN, values=values, found=None, why=why
        )
    found = budget.statistic.of(values)
    is_kept = found < limit.value if limit.bound is Bound.BELOW else found > limit.value
    verdict = Verdict.KEPT if is_kept else Verdict.BROKEN
    return Finding(budget=budget, cell=cell, limit=limit, verdict=verdict, values=values, found=found)


def unjudged(budget: Budget, cell: Cell, limit: Limit, *, why: str) -> Finding:
    """Return that nothing can be said of a limit."""
    verdict = Verdict.UNJUDGED
    return Finding(budget=budget, cell=cell, limit=limit, verdict=verdict, values=(), found=None, why=why)


def compared(
    budget: Budget,
    cell: Cell,
    limit: Limit,
    now: Sequence[Run],
    before: Sequence[Run],
    *,
    confidence: float,
) -> Finding:
    """Return whether a cell is worse than its baseline by no more than a limit.

    Run i of both has seed i. The change decides; the finding is certain where its interval lies on one side
    of the limit, and not where there are too few pairs for one.
    """
    values, why = _values(budget, now)
    reference, gone = _values(budget, before)

    def finding(verdict: Verdict, *, why: str = "") -> Finding:
        found = budget.statistic.of(values) if values else None
        past = budget.statistic.of(reference) if reference else None
        return Finding(
            budget=budget, cell=cell, limit=limit, verdict=verdict, values=values, found=found, before=past,
            why=why,
        )  # fmt: skip

    if why:
        return finding(Verdict.BROKEN, why=why)
    if gone:
        return finding(Verdict.UNJUDGED, why=f"of the baseline, {gone}")
    if budget.statistic.of(reference) == 0:
        # No share of nothing; the same is no change.
        is_same = budget.statistic.of(values) == 0 or budget.metric.is_better_high
        return finding(Verdict.KEPT if is_same else Verdict.BROKEN, why="" if is_same else "it was 0 before")
    change = _worsened(budget, values, reference, confidence=confidence)
    ci = change.ci
    needed = _needed_pairs(budget, confidence=confidence)
    return Finding(
        budget=budget,
        cell=cell,
        limit=limit,
        verdict=Verdict.BROKEN if change.value > limit.value else Verdict.KEPT,
        values=values,
        found=budget.statistic.of(values),
        before=budget.statistic.of(reference),
        change=change,
        is_certain=ci is not None and (ci.high <= limit.value or ci.low > limit.value),
        needed_pairs=needed if ci is None and len(values) < needed else None,
    )


def change_of_loads(now: Sequence[Run], before: Sequence[Run]) -> LoadChange | None:
    """Return what became of a page load, by the pair of runs with the median change; None without loads."""
    both = [
        (one.load, other.load)
        for one, other in zip(now, before, strict=True)
        if one.load is not None and other.load is not None
    ]
    if not both:
        return None
    changes_s = [one.last.last_byte_s - other.last.last_byte_s for one, other in both]
    return load_change(*both[representative(changes_s)])


def _values(budget: Budget, runs: Sequence[Run]) -> tuple[list[float], str]:
    """Return the metric of the runs that have it, and why not all have."""
    values = [run.metrics[budget.metric.name] for run in runs if budget.metric.name in run.metrics]
    failed = [run for run in runs if run.failure]
    if failed:
        return values, f"{len(failed)} of {len(runs)} runs have no numbers: {failed[0].failure}"
    if len(values) < len(runs):
        return values, f"{len(runs) - len(values)} of {len(runs)} runs have no {budget.metric.name}"
    return values, ""


def _needed_pairs(budget: Budget, *, confidence: float) -> int:
    """Return the fewest pairs whose change can have an interval: of means two, for they have a variance."""
    return 2 if budget.statistic.is_mean else least_pairs(budget.statistic.share, confidence=confidence)


def _worsened(
    budget: Budget, values: Sequence[float], reference: Sequence[float], *, confidence: float
) -> Difference:
    if budget.statistic.is_mean:
        change = paired_relative_difference(values, reference, confidence=confidence)
    else:
        change = paired_relative_change(
            values,
            reference,
            share=budget.statistic.share,
            seed=budget.scenario.seed,
            confidence=confidence,
        )
    return change.negated() if budget.metric.is_better_high else change
