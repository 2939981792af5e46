"""What a search comes to: each link's settings in order, the best against the present one, and how sure."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from bentpipe.advise.contenders import Contender
from bentpipe.advise.factors import Setting
from bentpipe.advise.question import Question
from bentpipe.advise.race import TOGETHER, Race, Standing, Verdict
from bentpipe.advise.runs import Runs
from bentpipe.advise.search import Found, recommended
from bentpipe.stats import Difference, Interval, mean_interval, mean_relative_difference, relative_difference


@dataclass(frozen=True, kw_only=True)
class Row:
    """A setting over a link.

    Attributes
    ----------
    setting : Setting
        What it is.
    runs : int
        That succeeded.
    mean_s : float
        Of their load times.
    ci_s : Interval or None
        Its 95 % interval; None below three runs, of which it would say nothing.
    against_best, against_present : Difference or None
        Relative, with a 95 % interval; None of itself, and where the other one has no load time.
    standing : Standing
        What the runs say of it against the leader.
    """

    setting: Setting
    runs: int
    mean_s: float
    ci_s: Interval | None
    against_best: Difference | None
    against_present: Difference | None
    standing: Standing


@dataclass(frozen=True, kw_only=True)
class LinkAdvice:
    """What is best over a link.

    Attributes
    ----------
    link : str
        As it was named.
    best : Row or None
        What is recommended; None where no setting loaded the page.
    present : Row or None
        What is in use; None where it did not load the page.
    rows : sequence of Row
        Of those that were tried the best one first, then by their means.
    counts : mapping of Standing to int
        How many settings stand where, the recommended one left out.
    verdict : Verdict
        How the search ended.
    median_runs : mapping of str to str
        The names of the runs with the median load time, of `best` and of `present`.
    """

    link: str
    best: Row | None
    present: Row | None
    rows: Sequence[Row]
    counts: Mapping[Standing, int]
    verdict: Verdict
    median_runs: Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class OnALink:
    """What the setting that is best on the whole does over one link."""

    link: str
    mean_s: float
    against_present: Difference | None
    against_best: Difference | None
    """Of this link alone; None where it is that."""


@dataclass(frozen=True, kw_only=True)
class Whole:
    """What is best over all links, each counted alike.

    Attributes
    ----------
    setting : Setting
        What is recommended.
    gain : Difference
        Mean over the links of the relative difference from the present setting.
    links : sequence of OnALink
        What it does on each.
    counts, verdict
        As of a link.
    """

    setting: Setting
    gain: Difference
    links: Sequence[OnALink]
    counts: Mapping[Standing, int]
    verdict: Verdict


@dataclass(frozen=True, kw_only=True)
class Advice:
    """The answer to a question; `whole` is there with several links that a setting loads the page over.

    `tried` of the `named` settings have runs; `is_all` says whether these are all that there are.
    """

    question: Question
    tried: int
    named: int
    is_all: bool
    links: Sequence[LinkAdvice]
    whole: Whole | None


def advice(question: Question, found: Found, runs: Runs) -> Advice:
    """Return what a search comes to."""
    races = {race.name: race for race in found.races}
    links = tuple(_of_link(races[link], found, runs) for link in question.links)
    named = {each.contender for race in found.races for each in race.placed.values()}
    tried = [one for one in named if any(runs.times_s(link, one) for link in question.links)]
    return Advice(
        question=question,
        tried=len(tried),
        named=len(named),
        is_all=found.is_all,
        links=links,
        whole=_whole(races[TOGETHER], found, runs) if TOGETHER in races else None,
    )


def _of_link(race: Race, found: Found, runs: Runs) -> LinkAdvice:
    link = race.name
    best = recommended(race, found.present)
    times_s = {one: runs.times_s(link, one) for one in race.placed}

    def row(one: Contender) -> Row:
        return Row(
            setting=one.setting,
            runs=len(times_s[one]),
            mean_s=fmean(times_s[one]),
            ci_s=mean_interval(times_s[one]) if len(times_s[one]) > 2 else None,
            against_best=_against(times_s, one, best),
            against_present=_against(times_s, one, found.present),
            standing=race.placed[one].standing,
        )

    ranked = sorted(found.shown.get(link, ()), key=lambda one: (one is not best, fmean(times_s[one])))
    ends = {"best": best, "present": found.present}
    return LinkAdvice(
        link=link,
        best=None if best is None else row(best),
        present=row(found.present) if times_s[found.present] else None,
        rows=tuple(map(row, ranked)),
        counts=_counts(race, best),
        verdict=_verdict(race),
        median_runs={
            end: runs.median_run(link, one) for end, one in ends.items() if one is not None and times_s[one]
        },
    )


def _against(
    times_s: Mapping[Contender, Sequence[float]], one: Contender, other: Contender | None
) -> Difference | None:
    if other is None or one is other or not times_s[other]:
        return None
    return relative_difference(times_s[one], times_s[other])


def _counts(race: Race, best: Contender | None) -> Mapping[Standing, int]:
    return Counter(each.standing for each in race.placed.values() if each.contender is not best)


def _verdict(race: Race) -> Verdict:
    assert race.verdict is not None, "a search concludes every race"
    return race.verdict


def _whole(race: Race, found: Found, runs: Runs) -> Whole | None:
    present = found.present
    best = recommended(race, present)
    if best is None or not all(runs.times_s(link, present) for link in race.links):
        return None
    of_link = {each.name: recommended(each, present) for each in found.races}
    on_links = []
    for link in race.links:
        own, mean_s = of_link[link], fmean(runs.times_s(link, best))
        times_s = {one: runs.times_s(link, one) for one in (best, present, own) if one is not None}
        on_links.append(
            OnALink(
                link=link,
                mean_s=mean_s,
                against_present=_against(times_s, best, present),
                against_best=_against(times_s, best, own),
            )
        )
    return Whole(
        setting=best.setting,
        gain=mean_relative_difference(
            [(runs.times_s(link, best), runs.times_s(link, present)) for link in race.links]
        ),
        links=tuple(on_links),
        counts=_counts(race, best),
        verdict=_verdict(race),
    )
