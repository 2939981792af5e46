"""Verdicts on published claims, and the rules by which they fall. Fixed before any measurement."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

from bentpipe.stats import Interval

TOLERANCE_POINTS = 10.0
"""How far from "about N %" ours may be, how far from equal "alike" may be: percentage points."""


class Agreement(Enum):
    """Whether our measurement bears out a claim."""

    AGREES = "agrees"
    DIFFERS = "differs"
    NOT_TESTABLE = "not testable"


@dataclass(frozen=True, kw_only=True)
class Measurement:
    """Our number behind a claim, in percent: a relative difference or a level.

    `basis` says what it was measured on; `gap` why it could not be measured, or only in part.
    """

    percent: float | None
    ci: Interval | None
    basis: str
    gap: str | None = None


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One comparison of a claim, judged."""

    label: str
    agreement: Agreement
    measurement: Measurement
    sentence: str


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """A claim, judged by all its findings: it agrees only when every one does."""

    claim_id: str
    claim: str
    agreement: Agreement
    findings: tuple[Finding, ...]


Rule: TypeAlias = Callable[[float, Interval], tuple[Agreement, str]]


def judge(label: str, measurement: Measurement, rule: Rule) -> Finding:
    """Apply a rule to a measurement; one without number or interval is not testable."""
    if measurement.percent is None:
        agreement, sentence = Agreement.NOT_TESTABLE, measurement.gap or "not measured"
    elif measurement.ci is None:
        agreement = Agreement.NOT_TESTABLE
        sentence = (
            "no interval: that takes two succeeded runs or more in every cell and a reference clear of zero"
        )
    else:
        agreement, sentence = rule(measurement.percent, measurement.ci)
        sentence = "; ".join(filter(None, (sentence, measurement.gap)))
    return Finding(label=label, agreement=agreement, measurement=measurement, sentence=sentence)


def verdict(claim_id: str, claim: str, findings: Sequence[Finding]) -> Verdict:
    """Join findings: one that differs decides, then one that is not testable.

    No correction for several comparisons: a claim about all of them agrees only when each does on its own
    (intersection-union test, Berger 1982), which keeps the error rate of the whole at that of one.
    """
    found = {finding.agreement for finding in findings}
    if Agreement.DIFFERS in found:
        agreement = Agreement.DIFFERS
    elif Agreement.NOT_TESTABLE in found or not found:
        agreement = Agreement.NOT_TESTABLE
    else:
        agreement = Agreement.AGREES
    return Verdict(claim_id=claim_id, claim=claim, agreement=agreement, findings=tuple(findings))


def below(_: float, ci: Interval) -> tuple[Agreement, str]:
    """Claimed: less. The whole interval must lie below zero."""
    if ci.high < 0:
        return Agreement.AGREES, "significantly below"
    if ci.low > 0:
        return Agreement.DIFFERS, "significantly above, the other way round"
    return Agreement.DIFFERS, "no significant difference"


def above(_: float, ci: Interval) -> tuple[Agreement, str]:
    """Claimed: more. The whole interval must lie above zero."""
    if ci.low > 0:
        return Agreement.AGREES, "significantly above"
    if ci.high < 0:
        return Agreement.DIFFERS, "significantly below, the other way round"
    return Agreement.DIFFERS, "no significant difference"


def about(claimed_percent: float) -> Rule:
    """Claimed: about so many percent. Ours must be significant, in that direction, within the tolerance."""

    def rule(percent: float, ci: Interval) -> tuple[Agreement, str]:
        direction = below if claimed_percent < 0 else above
        agreement, sentence = direction(percent, ci)
        if agreement is Agreement.DIFFERS:
            return agreement, sentence
        distance = abs(percent - claimed_percent)
        where = f"{distance:.1f} points from the claimed {claimed_percent:+.0f} %"
        if distance <= TOLERANCE_POINTS:
            return Agreement.AGREES, f"{sentence}, {where}"
        return Agreement.DIFFERS, f"{sentence}, but {where}, beyond {TOLERANCE_POINTS:.0f}"

    return rule


def near(margin_percent: float) -> Rule:
    """Claimed: a number, from which ours deviates by so many percent. Ours must lie within the margin."""

    def rule(percent: float, _: Interval) -> tuple[Agreement, str]:
        where = f"{abs(percent):.1f} % {'above' if percent > 0 else 'below'} the published"
        if abs(percent) <= margin_percent:
            return Agreement.AGREES, f"{where}, within {margin_percent:g}"
        return Agreement.DIFFERS, f"{where}, beyond {margin_percent:g}"

    return rule


def alike(_: float, ci: Interval) -> tuple[Agreement, str]:
    """Claimed: no difference that matters. The whole interval must lie within the tolerance around zero."""
    margin = f"{TOLERANCE_POINTS:.0f} %"
    if ci.within(-TOLERANCE_POINTS, TOLERANCE_POINTS):
        return Agreement.AGREES, f"equal within {margin}"
    if ci.low > TOLERANCE_POINTS or ci.high < -TOLERANCE_POINTS:
        return Agreement.DIFFERS, f"they differ by more than {margin}"
    return (
        Agreement.NOT_TESTABLE,
        f"the interval reaches beyond {margin}: too few or too scattered runs to tell",
    )


def not_above(_: float, ci: Interval) -> tuple[Agreement, str]:
    """Claimed: no more. The interval must reach zero or below, and be narrow enough to have shown more."""
    if ci.low > 0:
        return Agreement.DIFFERS, "significantly above"
    if ci.high <= TOLERANCE_POINTS:
        return Agreement.AGREES, "not significantly above"
    return Agreement.NOT_TESTABLE, "the interval is too wide: too few or too scattered runs to tell"


def at_least(level_percent: float) -> Rule:
    """Claimed: a level reached. The whole interval must lie at or above it."""

    def rule(_: float, ci: Interval) -> tuple[Agreement, str]:
        if ci.low >= level_percent:
            return Agreement.AGREES, f"at or above {level_percent:.0f} %"
        if ci.high < level_percent:
            return Agreement.DIFFERS, f"below {level_percent:.0f} %"
        return Agreement.NOT_TESTABLE, f"the interval includes {level_percent:.0f} %"

    return rule


def less_than(level_percent: float) -> Rule:
    """Claimed: a level missed. The whole interval must lie below it."""
    reached = at_least(level_percent)
    opposite = {Agreement.AGREES: Agreement.DIFFERS, Agreement.DIFFERS: Agreement.AGREES}

    def rule(percent: float, ci: Interval) -> tuple[Agreement, str]:
        agreement, sentence = reached(percent, ci)
        return opposite.get(agreement, agreement), sentence

    return rule
