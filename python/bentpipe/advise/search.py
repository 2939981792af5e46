"""The search: rounds of ever more runs, in which settings that are significantly slower fall out."""

import itertools
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bentpipe.advise.contenders import Contender, Contenders
from bentpipe.advise.progress import Listener
from bentpipe.advise.proposals import Proposals
from bentpipe.advise.question import Question
from bentpipe.advise.race import LOOKS, TOGETHER, Placed, Race, Standing
from bentpipe.advise.runs import Runs, Stop, Wanted
from bentpipe.advise.shown import shown
from bentpipe.stats import log_estimate, mean_estimate, pooled_spread

FINAL_RUNS = 10
"""Of the settings in a table, for an interval of each."""
MOST_TRIED = 400
"""Settings that are tried; where there are more, an optimiser chooses them."""
TRYING_SHARE = 0.7
"""Of the budget, for trying settings; the rest is for telling the best ones apart."""
ALWAYS_ALL = 64
"""Settings that are all tried whatever the budget: an optimiser has nothing to learn from so few."""
BATCH = 16
"""Settings that the optimiser proposes at a time."""


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
    shown : mapping of str to tuple of Contender
        The settings that stand in the table of each link, the best one first.
    """

    present: Contender
    races: tuple[Race, ...]
    is_all: bool
    shown: Mapping[str, tuple[Contender, ...]]


def recommended(race: Race, present: Contender) -> Contender | None:
    """Return, of the settings that are equal to the leader of a race, the one that changes least."""
    near = (Standing.LEADS, Standing.EQUAL)
    equal = [each for each in race.placed.values() if each.standing in near]
    if not equal:
        return None
    return min(equal, key=lambda each: (each.contender.changes(present), _value(each))).contender


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
                race.look(runs, is_last=runs_each == LOOKS[-1])
            race.conclude(stop, is_last=runs_each == LOOKS[-1])
        if stop is None:
            left = {race.name: len(race.left) for race in races}
            listener.looked(runs_each=runs_each, left=left)
        if all(race.verdict is not None for race in races):
            break
    tables = {}
    for race in races:
        best = recommended(race, present)
        if race.name != TOGETHER and best is not None:
            tables[race.name] = shown(race, runs, best=best, present=present)
    if stop is None:
        runs.measure(_of_end(races, tables, present))
    return Found(present=present, races=tuple(races), is_all=is_all, shown=tables)


def _try(
    question: Question, contenders: Contenders, runs: Runs, listener: Listener, *, started_s: float
) -> tuple[Stop | None, bool]:
    """Name what is to be compared, all of it where there is time; measure what the optimiser asks for."""
    until_s = started_s + TRYING_SHARE * (runs.deadline_s - started_s)
    links = question.links
    size = question.space.size(at_most=MOST_TRIED + 1)
    needed_s = size * len(links) * LOOKS[0] * (runs.run_s or 0.0)
    fits = size <= MOST_TRIED and time.monotonic() + needed_s <= until_s
    if size <= ALWAYS_ALL or fits:
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


def _of_end(
    races: Sequence[Race], tables: Mapping[str, Sequence[Contender]], present: Contender
) -> list[Wanted]:
    """Return the runs that the settings of the tables, and the best one on the whole, need for intervals."""
    whole = [recommended(race, present) for race in races if race.name == TOGETHER]
    return [
        _wanted(link, one, FINAL_RUNS)
        for link, table in tables.items()
        for one in (*table, *whole)
        if one is not None
    ]


def _wanted(link: str, contender: Contender, repetitions: int) -> Wanted:
    return Wanted(link=link, contender=contender, repetitions=repetitions)
