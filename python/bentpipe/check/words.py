"""A check in words: limits, what was found, verdicts, and what made a page load slower."""

from collections.abc import Iterator, Sequence
from math import ceil

from bentpipe.addresses import path_of
from bentpipe.amounts import size
from bentpipe.check.budget import Bound, Budget, Limit
from bentpipe.check.load_change import LoadChange, Pair, Step
from bentpipe.check.order import LOOKS, Checked
from bentpipe.check.verdict import Finding, Verdict
from bentpipe.scenario import Cell
from bentpipe.stats import cell_label

HEADING = ("", "BUDGET", "CELL", "METRIC", "LIMIT", "FOUND")
ORDER = ("link", "http", "cc", "page")
MOST_LISTED = 5
"""Objects of a kind that a sentence names."""
NOTICEABLE_SHARE = 0.02
"""Of a load's change, from which a part of an object counts."""


def row(finding: Finding) -> tuple[str, ...]:
    """Return a finding as a row of a table."""
    budget = finding.budget
    return (
        finding.verdict.value,
        budget.name,
        label(budget, finding.cell),
        f"{budget.metric.name} {budget.statistic.name}",
        limit_words(budget, finding.limit),
        found_words(finding),
    )


def label(budget: Budget, cell: Cell) -> str:
    """Return how a cell is told from the others of its budget; of the only one its link and protocol."""
    constants = budget.scenario.constants()
    varied = {key: value for key, value in cell.factors.items() if key not in constants}
    named = {key: cell.factors[key] for key in ("link", "http") if key in cell.factors}
    return cell_label({**named, **varied}, order=ORDER)


def name_of(cell: Cell) -> str:
    """Return what a cell is called where those of several budgets stand together."""
    return cell_label({key: cell.factors[key] for key in ORDER if key in cell.factors}, order=ORDER)


def limit_words(budget: Budget, limit: Limit) -> str:
    """Return a limit, such as "below 6.000 s" or "at most 3 % worse"."""
    if limit.bound is Bound.REGRESSION:
        return f"at most {100 * limit.value:g} % worse"
    return f"{limit.bound.value} {budget.metric.written(limit.value)}"


def found_words(finding: Finding) -> str:
    """Return what was found: the statistic, or its change with an interval, and of how many runs."""
    written = finding.budget.metric.written
    if finding.why:
        return finding.why
    assert finding.found is not None, "what has no value says why"
    runs = len(finding.values)
    of = "1 run" if runs == 1 else f"{runs} runs"
    if finding.limit.bound is not Bound.REGRESSION:
        low, high = min(finding.values), max(finding.values)
        spread = "all the same" if low == high else f"{written(low)} to {written(high)}"
        return (
            f"{written(finding.found)} ({of})" if runs == 1 else f"{written(finding.found)} ({of}, {spread})"
        )
    assert finding.before is not None, "a comparison has both"
    both = f"{written(finding.before)} to {written(finding.found)}"
    if finding.change is None:
        return f"{both} ({of})"
    return f"{_worse(finding)}: {both} ({of} each{_doubt(finding)})"


def _doubt(finding: Finding) -> str:
    """Return whether a change is certain, and what it would need at least where it cannot be."""
    if finding.is_certain:
        return ""
    needed, budget = finding.needed_pairs, finding.budget
    if needed is None:
        return ", not certain"
    words = f", not certain: {budget.statistic.name} needs {needed}"
    if needed <= budget.scenario.repetitions * LOOKS[-1]:
        return words
    return f"{words}, so repetitions = {ceil(needed / LOOKS[-1])} or more"


def _worse(finding: Finding) -> str:
    assert finding.change is not None
    value, ci = finding.change.value, finding.change.ci
    words = "unchanged" if value == 0 else f"{abs(100 * value):.2f} % {'worse' if value > 0 else 'better'}"
    if ci is None or ci.low == ci.high:
        return words
    return f"{words} [{100 * ci.low:+.2f}, {100 * ci.high:+.2f}]"


def summary(checked: Checked) -> str:
    """Return how many limits are kept, in one sentence."""
    counts = {verdict: sum(each.verdict is verdict for each in checked.findings) for verdict in Verdict}
    told = [f"{count} {verdict.value}" for verdict, count in counts.items() if count]
    return f"{len(checked.findings)} limits: {', '.join(told)}."


def sentences(change: LoadChange) -> Iterator[str]:
    """Yield what became of a page load, by which objects, and by what of them."""
    now_s, before_s = change.now.last.last_byte_s, change.before.last.last_byte_s
    yield (
        f"The page takes {now_s:.3f} s in place of {before_s:.3f} s "
        f"({change.change_s:+.3f} s, {100 * change.change_s / before_s:+.1f} %), in the pair of runs with "
        "the median change."
    )
    same_end = any(pair.now is change.now.last and pair.before is change.before.last for pair in change.pairs)
    ends = f"It ends with {path_of(change.now.last.url)}"
    yield f"{ends}, as before." if same_end else f"{ends}, before with {path_of(change.before.last.url)}."
    parts = [words for step in change.steps if (words := _step(step, change))]
    if abs(change.elsewhere_s) >= _noticeable_s(change):
        parts.append(f"{change.elsewhere_s:+.3f} s, as before another way was the longest")
    if parts:
        yield f"On the way to its last byte: {'; '.join(parts)}."
    yield from _lists(change)


def _step(step: Step, change: LoadChange) -> str:
    """Return what an object on the way adds; empty where that is not noticeable."""
    parts = {
        "until asked for": step.asked_s,
        "waiting for the first byte": step.waited_s,
        "receiving": step.received_s,
    }
    told = {words: part for words, part in parts.items() if abs(part) >= _noticeable_s(change)}
    if not told:
        return ""
    resized = "new, " if step.before is None else _resized(Pair(now=step.now, before=step.before))
    return f"{path_of(step.now.url)} {resized}" + ", ".join(
        f"{part:+.3f} s {words}" for words, part in told.items()
    )


def _resized(pair: Pair) -> str:
    change = pair.now.bytes - pair.before.bytes
    return "" if change == 0 else f"({'+' if change > 0 else '-'}{size(abs(change))}) "


def _noticeable_s(change: LoadChange) -> float:
    return max(NOTICEABLE_SHARE * abs(change.change_s), 1e-6)


def _lists(change: LoadChange) -> Iterator[str]:
    for words, objects in (("New", change.added), ("Gone", change.removed)):
        if objects:
            total = size(sum(each.bytes for each in objects))
            names = _listed([f"{path_of(each.url)} {size(each.bytes)}" for each in objects])
            yield f"{words}: {_count(len(objects))} of {total}: {names}."
    if change.resized:
        total_bytes = sum(pair.now.bytes - pair.before.bytes for pair in change.resized)
        sizes = (
            (path_of(each.now.url), size(each.before.bytes), size(each.now.bytes)) for each in change.resized
        )
        names = _listed([f"{name} {before} to {now}" for name, before, now in sizes])
        sign = "+" if total_bytes >= 0 else "-"
        yield f"Of another size: {_count(len(change.resized))}, {sign}{size(abs(total_bytes))}: {names}."
    if change.later:
        names = _listed([f"{path_of(each.now.url)} {each.delay_s:+.3f} s" for each in change.later])
        yield f"Discovered later: {_count(len(change.later))}: {names}."


def _listed(names: Sequence[str]) -> str:
    more = len(names) - MOST_LISTED
    return ", ".join(names[:MOST_LISTED]) + (f" and {more} more" if more > 0 else "")


def _count(number: int) -> str:
    return "1 object" if number == 1 else f"{number} objects"
