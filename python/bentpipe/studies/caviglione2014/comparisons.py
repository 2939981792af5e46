"""How the study's claims compare cells: with a number, with each other, and by how many seconds."""

from collections.abc import Sequence

from bentpipe.stats import Interval, absolute_difference
from bentpipe.studies.caviglione2014.loads import Factors, Quantity, values
from bentpipe.studies.measure import against, against_number, deviation_of, difference_of, nothing
from bentpipe.studies.published_number import PublishedNumber
from bentpipe.studies.rules import Rule
from bentpipe.studies.study import Runs
from bentpipe.studies.verdict import Finding, Measurement, judge


def number(runs: Runs, quantity: Quantity, cell: Factors, theirs: PublishedNumber, *, label: str) -> Finding:
    """Judge a quantity of a cell against a published number."""
    return against(
        f"{label}: {quantity.name}", values(runs, quantity, cell), theirs, decimals=quantity.decimals
    )


def pair(
    runs: Runs, quantity: Quantity, sample: Factors, reference: Factors, rule: Rule, *, label: str
) -> Finding:
    """Judge how far a quantity of one cell lies above that of another."""
    found = (values(runs, quantity, cell) for cell in (sample, reference))
    return judge(label, difference_of(*found), rule)


def seconds_against(
    sample_s: Sequence[float], reference_s: Sequence[float], theirs: PublishedNumber, *, label: str
) -> Finding:
    """Judge the seconds by which one mean lies above another against a published number of them."""
    if not sample_s or not reference_s:
        return against_number(label, nothing("not measured"), theirs, ours="not measured")
    value_s, ci = absolute_difference(sample_s, reference_s)
    measured = deviation_of(value_s, ci, theirs.value, basis=_counted(sample_s, reference_s))
    return against_number(label, measured, theirs, ours=_told(value_s, ci))


def seconds_more(
    sample_s: Sequence[float], reference_s: Sequence[float], rule: Rule, *, label: str
) -> Finding:
    """Judge on which side of zero the seconds are by which one mean lies above another."""
    if not sample_s or not reference_s:
        return judge(label, nothing("not measured"), rule)
    value_s, ci = absolute_difference(sample_s, reference_s)
    measured = Measurement(percent=value_s, ci=ci, basis=f"{_counted(sample_s, reference_s)}, seconds")
    return judge(label, measured, rule, ours=_told(value_s, ci))


def _told(value_s: float, ci: Interval | None) -> str:
    reach = f" ({ci.low:.1f} to {ci.high:.1f})" if ci else ""
    return f"{value_s:.1f}{reach} s"


def _counted(sample: Sequence[float], reference: Sequence[float]) -> str:
    counts = sorted({len(sample), len(reference)})
    return f"{' to '.join(str(count) for count in counts)} runs each"
