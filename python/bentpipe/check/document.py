"""A check as JSON: what `--json` prints and `check.json` has."""

from bentpipe import __version__
from bentpipe.check.budget import Bound
from bentpipe.check.load import LoadedObject
from bentpipe.check.load_change import LoadChange, Pair, Step
from bentpipe.check.order import Checked
from bentpipe.check.verdict import Finding
from bentpipe.check.words import sentences


def document(checked: Checked) -> dict[str, object]:
    """Return a check as JSON: values in the metrics' units, changes as ratios less one, worse above zero."""
    return {
        "name": checked.file.name,
        "bentpipe": __version__,
        "baseline": checked.baseline,
        "is_kept": checked.is_kept,
        "findings": [_finding(each) for each in checked.findings],
        "changes": [{"factors": dict(each.cell.factors), **_change(each.change)} for each in checked.changes],
    }


def _finding(finding: Finding) -> dict[str, object]:
    budget, change = finding.budget, finding.change
    told: dict[str, object] = {
        "budget": budget.name,
        "factors": dict(finding.cell.factors),
        "metric": budget.metric.name,
        "statistic": budget.statistic.name,
        "bound": finding.limit.bound.value,
        "limit": finding.limit.value,
        "verdict": finding.verdict.value,
        "found": finding.found,
        "values": list(finding.values),
        "why": finding.why or None,
    }
    if finding.limit.bound is not Bound.REGRESSION:
        return told
    ci = None if change is None else change.ci
    return {
        **told,
        "before": finding.before,
        "worse": None if change is None else change.value,
        "ci": None if ci is None else [ci.low, ci.high],
        "confidence": None if ci is None else ci.confidence,
        "is_certain": finding.is_certain,
        "needed_pairs": finding.needed_pairs,
    }


def _change(change: LoadChange) -> dict[str, object]:
    return {
        "now_s": change.now.last.last_byte_s,
        "before_s": change.before.last.last_byte_s,
        "sentences": list(sentences(change)),
        "last": change.now.last.url,
        "last_before": change.before.last.url,
        "steps": [_step(step) for step in change.steps],
        "elsewhere_s": change.elsewhere_s,
        "added": [_object(each) for each in change.added],
        "removed": [_object(each) for each in change.removed],
        "resized": [_pair(pair) for pair in change.resized],
        "later": [_pair(pair) for pair in change.later],
    }


def _step(step: Step) -> dict[str, object]:
    return {
        "url": step.now.url,
        "is_new": step.before is None,
        "asked_s": step.asked_s,
        "waited_s": step.waited_s,
        "received_s": step.received_s,
    }


def _object(item: LoadedObject) -> dict[str, object]:
    keys = ("url", "bytes", "discovered_s", "request_s", "first_byte_s", "last_byte_s")
    return {key: getattr(item, key) for key in keys}


def _pair(pair: Pair) -> dict[str, object]:
    return {"now": _object(pair.now), "before": _object(pair.before)}
