"""The search: rounds of ever more runs, in which settings that are significantly slower fall out."""

import itertools
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum

from bentpipe.advise.contenders import Contender, Contenders
from bentpipe.advise.progress import Listener
from bentpipe.advise.proposals import Proposals
from bentpipe.advise.question import Question
from bentpipe.advise.runs import Runs, Stop, Wanted
from bentpipe.stats import Bounds, Estimate, bounds_above, log_estimate, mean_estimate, pooled_spread

LOOKS = (2, 4, 8, 16, 32, 64)
"""Runs of each setting after which they are compared."""
ALPHA = 0.05
"""The chance that the truly fastest setting falls out, for each link by itself, over all looks."""
MARGIN = 0.01
"""Settings whose load times differ by less are equal: nobody notices 1 %, and other pages differ by more."""
FINAL_RUNS = 10
"""Of the best and of the present setting, for the interval of what lies between them."""
MOST_TRIED = 400
"""Settings that are tried; where there are more, an optimiser chooses them."""
TRYING_SHARE = 0.7
"""Of the budget, for trying settings; the rest is for telling the best ones apart."""
BATCH = 16
"""Settings that the optimiser proposes at a time."""

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

    def look(self, runs: Runs) -> None:
        """Compare those that are left by the runs that there are."""
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
            self._place(contender, _standing(above) if contender is not leader else Standing.LEADS, above)

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


def _standing(above: Bounds) -> Standing:
    if above.high < MARGIN:
        return Standing.EQUAL
    return Standing.SLOWER if above.low > 0 else Standing.OPEN


@dataclass(frozen=True, kw_only=True)
class Found:
    """What a search knows at its end.

    Attributes
    ----------
    present : Contender
        The setting in use.
    races : tuple of Race
        One for each link, and of several links one over all together at the end.
    is_all : bool
        Whether every setting of the space was among them.
    """

    present: Contender
    races: tuple[Race, ...]
    is_all: bool

    def best(self, race: Race) -> Contender | None:
        """Return the setting to recommend: of those equal to the leader the one that changes least."""
        leader = race.leader
        if leader is None:
            return None
        equal = [each for each in race.placed.values() if each.standing in (Standing.LEADS, Standing.EQUAL)]
        best = min(equal, key=lambda each: (each.contender.changes(self.present), _value(each)))
        return best.contender


def _value(placed: Placed) -> float:
    return 0.0 if placed.above is None else placed.above.value


def search(question: Question, runs: Runs, listener: Listener, *, started_s: float) -> Found:
    """Compare the settings of a question until their order is clear, the time is up, or Ctrl-C.

    Every setting is run twice, then those that may still be the fastest 4, 8, 16, 32 and 64 times. Of each
    race, the one that is truly fastest falls out with a probability below `ALPHA`, whatever the number of
    settings: each look has an equal share of it, and in a look each comparison with the leader (Bonferroni).

    Parameters
    ----------
    question : Question
        Checked before.
    runs : Runs
        What measures, with the deadline.
    listener : Listener
        Is told of each step.
    started_s : float
        By `time.monotonic`, of which the share of the budget for trying counts.
    """
    contenders = Contenders(question)
    races = [Race(name=link, links=(link,)) for link in question.links]
    if len(races) > 1:
        races.append(Race(name=TOGETHER, links=question.links))
    present = contenders.present
    stop = runs.measure([_wanted(link, present, LOOKS[0]) for link in question.links])
    is_all = False
    if stop is None:
        stop, is_all = _try(question, contenders, runs, listener, started_s=started_s)
    for race in races:
        race.placed = {one: Placed(contender=one, standing=Standing.UNTRIED) for one in contenders}
    for runs_each in LOOKS:
        if stop is None:
            stop = runs.measure(_of_round(races, present, runs_each))
        for race in races:
            if race.verdict is None:
                race.look(runs)
            race.conclude(stop, is_last=runs_each == LOOKS[-1])
        if stop is None:
            left = {race.name: len(race.left) for race in races}
            listener.looked(runs_each=runs_each, left=left)
        if all(race.verdict is not None for race in races):
            break
    found = Found(present=present, races=tuple(races), is_all=is_all)
    if stop is None:
        runs.measure(_of_end(found))
    return found


def _try(
    question: Question, contenders: Contenders, runs: Runs, listener: Listener, *, started_s: float
) -> tuple[Stop | None, bool]:
    """Name what is to be compared, all of it where there is time; measure what the optimiser asks for."""
    until_s = started_s + TRYING_SHARE * (runs.deadline_s - started_s)
    links = question.links
    size = question.space.size(at_most=MOST_TRIED + 1)
    needed_s = size * len(links) * LOOKS[0] * (runs.run_s or 0.0)
    if size <= MOST_TRIED and time.monotonic() + needed_s <= until_s:
        tried = len(contenders.all())
        listener.compares(settings=tried, links=len(links), is_all=True)
        return None, True
    proposals = Proposals(question.space, contenders, seed=question.seed)
    listener.compares(settings=MOST_TRIED, links=len(links), is_all=False)
    while len(contenders) < MOST_TRIED:
        batch = list(itertools.islice(iter(proposals.next, None), BATCH))
        if not batch:
            break
        wanted = [_wanted(link, one, LOOKS[0]) for one in batch for link in links]
        stop = runs.measure(wanted, deadline_s=until_s)
        if stop is Stop.INTERRUPTED:
            return stop, False
        for one in batch:
            proposals.tell(one, _score(runs, links, one))
        if stop is not None:
            break
    return None, False


def _score(runs: Runs, links: Sequence[str], contender: Contender) -> float | None:
    """Return the mean of the logarithms of its load times, each link alike; None where it fails on one."""
    samples = [runs.times_s(link, contender) for link in links]
    if not all(samples) or any(runs.failures(link, contender) for link in links):
        return None
    pooled = pooled_spread(samples)
    return mean_estimate([log_estimate(sample, pooled) for sample in samples]).mean


def _of_round(races: Sequence[Race], present: Contender, runs_each: int) -> list[Wanted]:
    """Return the runs of a round: of those that are left in a race which goes on, and of the present one."""
    wanted: dict[tuple[str, Contender], Wanted] = {}
    for race in races:
        if race.verdict is None:
            for link in race.links:
                for one in (present, *race.left):
                    wanted[link, one] = _wanted(link, one, runs_each)
    return list(wanted.values())


def _of_end(found: Found) -> list[Wanted]:
    """Return the runs that the present setting and the best ones still need for their intervals."""
    best = {race.name: found.best(race) for race in found.races}
    return [
        _wanted(link, one, FINAL_RUNS)
        for race in found.races
        for link in race.links
        for one in (found.present, best[race.name], best.get(TOGETHER))
        if one is not None
    ]


def _wanted(link: str, contender: Contender, repetitions: int) -> Wanted:
    return Wanted(link=link, contender=contender, repetitions=repetitions)
