"""A race: the settings that may be the fastest over a link, or over several together, and how it ends."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum

from bentpipe.advise.contenders import Contender
from bentpipe.advise.runs import Runs, Stop
from bentpipe.stats import Bounds, Estimate, bounds_above, log_estimate, mean_estimate, pooled_spread

LOOKS = (2, 4, 8, 16, 32, 64)
"""Runs of each setting after which they are compared."""
ALPHA = 0.05
"""The chance that the truly fastest setting falls out, for each link by itself, over all looks."""
MARGIN = 0.01
"""Settings whose load times differ by less are equal: nobody notices 1 %, and other pages differ by more."""
TOGETHER = ""
"""The name of the race over all links together."""


class Standing(Enum):
    """What the runs say of a setting against the leader of its race."""

    LEADS = "leads"
    EQUAL = "equal"
    """Slower by less than the margin, if at all."""
    SLOWER = "slower"
    OPEN = "open"
    """Not told apart from the leader."""
    FAILED = "failed"
    """Some of its runs have no load time."""
    UNTRIED = "untried"


class Verdict(Enum):
    """How a race ended."""

    FASTEST = "fastest"
    """All others are significantly slower."""
    EQUAL = "equal"
    """All others are significantly slower, or equal within the margin."""
    BUDGET = "budget"
    INTERRUPTED = "interrupted"
    RUNS = "runs"
    """The most runs did not tell all apart."""


@dataclass(frozen=True, kw_only=True)
class Placed:
    """A setting in a race: where it stands, and how far above the leader (a ratio less one)."""

    contender: Contender
    standing: Standing
    above: Bounds | None = None


@dataclass
class Race:
    """The settings that may be the fastest over one link, or over several together.

    Attributes
    ----------
    name : str
        The link's, or TOGETHER.
    links : tuple of str
        Those whose load times count, each alike.
    """

    name: str
    links: tuple[str, ...]
    placed: dict[Contender, Placed] = field(default_factory=dict)
    verdict: Verdict | None = None

    @property
    def left(self) -> tuple[Contender, ...]:
        """Those that have not fallen out."""
        out = (Standing.SLOWER, Standing.FAILED)
        return tuple(each.contender for each in self.placed.values() if each.standing not in out)

    @property
    def leader(self) -> Contender | None:
        """The one with the least mean; None before the first look, and where every setting fails."""
        leading = (each.contender for each in self.placed.values() if each.standing is Standing.LEADS)
        return next(leading, None)

    def look(self, runs: Runs, *, is_last: bool) -> None:
        """Compare those that are left by the runs that there are; after the last look none are made."""
        tried: list[Contender] = []
        for contender in self.left:
            if any(runs.failures(link, contender) for link in self.links):
                self._place(contender, Standing.FAILED)
            elif any(len(runs.times_s(link, contender)) < LOOKS[0] for link in self.links):
                self._place(contender, Standing.UNTRIED)
            else:
                tried.append(contender)
        if not tried:
            return
        estimates = self._estimates(runs, tried)
        leader = min(tried, key=lambda one: estimates[one].mean)
        alpha = ALPHA / len(LOOKS) / max(1, len(tried) - 1)
        for contender in tried:
            above = bounds_above(estimates[contender], estimates[leader], alpha=alpha)
            standing = Standing.LEADS if contender is leader else _standing(above, is_last=is_last)
            self._place(contender, standing, above)

    def conclude(self, stop: Stop | None, *, is_last: bool) -> None:
        """Say how it ended, if it has."""
        if self.verdict is not None:
            return
        standings = {each.standing for each in self.placed.values()}
        if stop is not None:
            self.verdict = Verdict(stop.value)
        elif not standings & {Standing.OPEN, Standing.UNTRIED}:
            self.verdict = Verdict.EQUAL if Standing.EQUAL in standings else Verdict.FASTEST
        elif is_last:
            self.verdict = Verdict.RUNS

    def _place(self, contender: Contender, standing: Standing, above: Bounds | None = None) -> None:
        self.placed[contender] = Placed(contender=contender, standing=standing, above=above)

    def _estimates(self, runs: Runs, tried: Sequence[Contender]) -> Mapping[Contender, Estimate]:
        by_link = []
        for link in self.links:
            samples = {one: runs.times_s(link, one) for one in tried}
            pooled = pooled_spread(samples.values())
            by_link.append({one: log_estimate(sample, pooled) for one, sample in samples.items()})
        return {one: mean_estimate([estimates[one] for estimates in by_link]) for one in tried}


def _standing(above: Bounds, *, is_last: bool) -> Standing:
    if above.high < MARGIN:
        return Standing.EQUAL
    # Who seems slower by less than the margin may turn out to be equal.
    is_clear = above.value > MARGIN or is_last
    return Standing.SLOWER if above.low > 0 and is_clear else Standing.OPEN
