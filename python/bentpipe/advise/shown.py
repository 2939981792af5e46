"""The settings that stand in a link's table: of hundreds those that somebody would ask for."""

from collections.abc import Sequence
from statistics import fmean

from bentpipe.advise.contenders import Contender
from bentpipe.advise.factors import CC, HTTP
from bentpipe.advise.race import Race, Standing
from bentpipe.advise.runs import Runs

MOST_NEAR = 8
"""Of those that are not slower than the leader."""


def shown(race: Race, runs: Runs, *, best: Contender, present: Contender) -> tuple[Contender, ...]:
    """Return the best setting of a link, those not slower, the best of each kind, and the present one.

    A kind is an HTTP version or a congestion control: who cannot have the best one looks for theirs.
    """
    near = (Standing.LEADS, Standing.EQUAL, Standing.OPEN)
    ranked = _ranked(race, runs)
    top = [one for one in ranked if race.placed[one].standing in near][:MOST_NEAR]
    firsts = [
        next(one for one in ranked if one.setting.get(key) == value)
        for key in (HTTP, CC)
        for value in dict.fromkeys(one.setting.get(key) for one in ranked)
    ]
    wanted = dict.fromkeys([best, *top, *firsts, present])
    return tuple(one for one in wanted if runs.times_s(race.name, one))


def _ranked(race: Race, runs: Runs) -> Sequence[Contender]:
    """Return those that loaded the page in every run, the fastest first."""
    able = [
        placed.contender
        for placed in race.placed.values()
        if placed.standing is not Standing.FAILED and runs.times_s(race.name, placed.contender)
    ]
    return sorted(able, key=lambda one: fmean(runs.times_s(race.name, one)))
