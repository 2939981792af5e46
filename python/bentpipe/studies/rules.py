"""The rules by which findings fall. Fixed before any measurement; each has a region of what it accepts."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

from bentpipe.stats import Interval

TOLERANCE_POINTS = 10.0
"""How far from "about N %" ours may be, how far from equal "alike" may be: percentage points."""

SMALLEST_EFFECT_PERCENT = 2.0
"""The smallest effect of interest: a claimed direction that ours bears out by less is not borne out.

In virtual time repetitions hardly differ, so that a difference of 0.3 % is significant; none of the papers
could have seen it.
"""


class Agreement(Enum):
    """Whether our measurement bears out a claim."""

    AGREES = "agrees"
    DIFFERS = "differs"
    NOT_TESTABLE = "not testable"


Decision: TypeAlias = tuple[Agreement, str]
"""Whether it agrees, and why in a sentence."""


@dataclass(frozen=True, kw_only=True)
class Rule:
    """How a number in percent with its interval is judged.

    Attributes
    ----------
    claimed : str
        What is claimed, in a few words.
    low, high : float
        The region that the rule accepts, in percent; infinite where it is open. Figures draw it.
    decide : callable
        From the number and its interval to the decision.
    """

    claimed: str
    low: float
    high: float
    decide: Callable[[float, Interval], Decision]

    def __call__(self, percent: float, ci: Interval) -> Decision:
        """Judge a number by its interval."""
        return self.decide(percent, ci)


def _below(percent: float, ci: Interval, *, smallest: float) -> Decision:
    if ci.low > 0:
        return Agreement.DIFFERS, "significantly above, the other way round"
    if ci.high >= 0:
        return Agreement.DIFFERS, "no significant difference"
    if percent > -smallest:
        return Agreement.DIFFERS, f"significantly below, but by less than {smallest:g} %"
    return Agreement.AGREES, "significantly below"


def _above(percent: float, ci: Interval, *, smallest: float) -> Decision:
    if ci.high < 0:
        return Agreement.DIFFERS, "significantly below, the other way round"
    if ci.low <= 0:
        return Agreement.DIFFERS, "no significant difference"
    if percent < smallest:
        return Agreement.DIFFERS, f"significantly above, but by less than {smallest:g} %"
    return Agreement.AGREES, "significantly above"


below = Rule(
    claimed="below",
    low=-math.inf,
    high=-SMALLEST_EFFECT_PERCENT,
    decide=lambda percent, ci: _below(percent, ci, smallest=SMALLEST_EFFECT_PERCENT),
)
"""Claimed: less. The whole interval must lie below zero, and the number at the smallest effect or beyond."""

above = Rule(
    claimed="above",
    low=SMALLEST_EFFECT_PERCENT,
    high=math.inf,
    decide=lambda percent, ci: _above(percent, ci, smallest=SMALLEST_EFFECT_PERCENT),
)
"""Claimed: more. The whole interval must lie above zero, and the number at the smallest effect or beyond."""

fewer = Rule(
    claimed="below", low=-math.inf, high=0.0, decide=lambda percent, ci: _below(percent, ci, smallest=0.0)
)
"""As `below`, of a difference in points, which has no smallest effect of its own."""

more = Rule(
    claimed="above", low=0.0, high=math.inf, decide=lambda percent, ci: _above(percent, ci, smallest=0.0)
)
"""As `above`, of a difference in points."""


def about(claimed_percent: float) -> Rule:
    """Claimed: about so many percent. Ours must be significant, in that direction, within the tolerance."""
    direction = below if claimed_percent < 0 else above

    def decide(percent: float, ci: Interval) -> Decision:
        agreement, sentence = direction(percent, ci)
        if agreement is Agreement.DIFFERS:
            return agreement, sentence
        distance = abs(percent - claimed_percent)
        where = f"{distance:.1f} points from the claimed {claimed_percent:+.0f} %"
        if distance <= TOLERANCE_POINTS:
            return Agreement.AGREES, f"{sentence}, {where}"
        return Agreement.DIFFERS, f"{sentence}, but {where}, beyond {TOLERANCE_POINTS:.0f}"

    return Rule(
        claimed=f"about {claimed_percent:+.0f} %",
        low=max(claimed_percent - TOLERANCE_POINTS, direction.low),
        high=min(claimed_percent + TOLERANCE_POINTS, direction.high),
        decide=decide,
    )


def near(margin_percent: float, *, published_reach_percent: float = 0.0) -> Rule:
    """Claimed: a number, from which ours deviates by so many percent. Ours must lie within the margin.

    Parameters
    ----------
    margin_percent : float
        What another rig may make of the number, in percent of it.
    published_reach_percent : float
        How far the published mean's own 95 % interval reaches to either side, in percent of it; 0 where
        the publication has none.
    """

    def decide(percent: float, ci: Interval) -> Decision:
        reach = math.hypot((ci.high - ci.low) / 2, published_reach_percent)
        where = f"{abs(percent):.1f} % {'above' if percent > 0 else 'below'} the published"
        if reach > 2 * margin_percent:
            return Agreement.NOT_TESTABLE, f"{where}, known to {reach:.0f} % alone"
        if abs(percent) <= margin_percent:
            return Agreement.AGREES, f"{where}, within {margin_percent:g}"
        if abs(percent) - reach > margin_percent:
            return Agreement.DIFFERS, f"{where}, beyond {margin_percent:g}"
        return Agreement.NOT_TESTABLE, f"{where}, and the intervals reach to within {margin_percent:g}"

    return Rule(
        claimed=f"within {margin_percent:g} %", low=-margin_percent, high=margin_percent, decide=decide
    )


def _alike(_: float, ci: Interval) -> Decision:
    margin = f"{TOLERANCE_POINTS:.0f} %"
    if ci.within(-TOLERANCE_POINTS, TOLERANCE_POINTS):
        return Agreement.AGREES, f"equal within {margin}"
    if ci.low > TOLERANCE_POINTS or ci.high < -TOLERANCE_POINTS:
        return Agreement.DIFFERS, f"they differ by more than {margin}"
    return (
        Agreement.NOT_TESTABLE,
        f"the interval reaches beyond {margin}: too few or too scattered runs to tell",
    )


alike = Rule(claimed="alike", low=-TOLERANCE_POINTS, high=TOLERANCE_POINTS, decide=_alike)
"""Claimed: no difference that matters. The whole interval must lie within the tolerance around zero."""


def _not_above(_: float, ci: Interval) -> Decision:
    if ci.low > 0:
        return Agreement.DIFFERS, "significantly above"
    if ci.high <= TOLERANCE_POINTS:
        return Agreement.AGREES, "not significantly above"
    return Agreement.NOT_TESTABLE, "the interval is too wide: too few or too scattered runs to tell"


not_above = Rule(claimed="not above", low=-math.inf, high=0.0, decide=_not_above)
"""Claimed: no more. The interval must reach zero or below, and be narrow enough to have shown more."""


def at_least(level_percent: float) -> Rule:
    """Claimed: a level reached. The whole interval must lie at or above it."""

    def decide(_: float, ci: Interval) -> Decision:
        if ci.low >= level_percent:
            return Agreement.AGREES, f"at or above {level_percent:.0f} %"
        if ci.high < level_percent:
            return Agreement.DIFFERS, f"below {level_percent:.0f} %"
        return Agreement.NOT_TESTABLE, f"the interval includes {level_percent:.0f} %"

    return Rule(claimed=f"at least {level_percent:.0f} %", low=level_percent, high=math.inf, decide=decide)


def less_than(level_percent: float) -> Rule:
    """Claimed: a level missed. The whole interval must lie below it."""
    reached = at_least(level_percent)
    opposite = {Agreement.AGREES: Agreement.DIFFERS, Agreement.DIFFERS: Agreement.AGREES}

    def decide(percent: float, ci: Interval) -> Decision:
        agreement, sentence = reached(percent, ci)
        return opposite.get(agreement, agreement), sentence

    return Rule(claimed=f"less than {level_percent:.0f} %", low=-math.inf, high=level_percent, decide=decide)
