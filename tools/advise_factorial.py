"""Whether `bentpipe advise` finds what a full factorial finds: every setting of its space, equally often.

    python -m tools.advise_factorial --page P --link L --out DIR --advice results/advise-P/advice.json

The factorial needs no statistics to find the least mean; it takes as many runs for the slowest setting as for
the fastest. The folder keeps the runs, and the same command goes on.
"""

import argparse
import json
import math
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean

from bentpipe.advise import space
from bentpipe.advise.contenders import Contender, Contenders
from bentpipe.advise.factors import Group
from bentpipe.advise.question import Question, check, key_of
from bentpipe.advise.race import MARGIN
from bentpipe.advise.runs import Runs, Wanted
from bentpipe.advise.words import short
from bentpipe.campaign.interruption import Interruption
from bentpipe.engine.host import cpu_time
from bentpipe.engine.simulate import Simulator
from bentpipe.ledger import Ledger

REPETITIONS = 30


class Dots:
    """A listener that tells how far the runs are, each hundred of them."""

    def __init__(self) -> None:
        self._runs = self._done = 0

    def compares(self, *, settings: int, links: int, is_all: bool) -> None:
        """See Listener."""

    def runs(self, *, runs: int) -> None:
        """See Listener."""
        self._runs = runs

    def ran(self) -> None:
        """See Listener."""
        self._done += 1
        if self._done % 100 == 0:
            print(f"{self._done}/{self._runs}", file=sys.stderr)

    def looked(self, *, runs_each: int, left: Mapping[str, int]) -> None:
        """See Listener."""


def main() -> int:
    """Measure the factorial, print its winners, and compare them with an advice."""
    options = _options()
    choices = space.space(groups=[Group.SITE], over=options.over, fixed=options.settings)
    question = Question(
        page=options.page,
        links=tuple(options.link),
        present=space.present(None, fixed=choices.fixed),
        space=choices,
    )
    check(question)
    started_s = time.monotonic()
    with Ledger.claim(options.out, {"name": "factorial", "page": options.page}) as ledger:
        contenders = Contenders(question)
        runs = Runs(
            question,
            engine=Simulator(),
            ledger=ledger,
            jobs=cpu_time.runs_at_once([]),
            deadline_s=math.inf,
            listener=Dots(),
            interruption=Interruption(),
        )
        wanted = [
            Wanted(link=link, contender=one, repetitions=options.repetitions)
            for one in contenders.all()
            for link in question.links
        ]
        runs.measure(wanted)
        winners = {link: _equal(link, contenders, runs) for link in question.links}
    print(f"{len(contenders)} settings, {len(wanted)} cells x {options.repetitions} runs")
    print(f"{time.monotonic() - started_s:.0f} s for those that were not there")
    for link, equal in winners.items():
        for one, mean_s in equal:
            print(f"{link}: {mean_s:.3f} s {short(one.setting)}")
    return 0 if options.advice is None else _compare(winners, options.advice)


def _equal(link: str, contenders: Contenders, runs: Runs) -> list[tuple[Contender, float]]:
    """Return the settings whose mean is within the margin of the least, with it, the fewest changes first."""
    times_s = {one: runs.times_s(link, one) for one in contenders if not runs.failures(link, one)}
    means_s = {one: fmean(values_s) for one, values_s in times_s.items()}
    most_s = (1 + MARGIN) * min(means_s.values())
    equal = [(one, mean_s) for one, mean_s in means_s.items() if mean_s <= most_s]
    return sorted(equal, key=lambda each: (each[0].changes(contenders.present), each[1]))


def _compare(winners: Mapping[str, Sequence[tuple[Contender, float]]], advice: Path) -> int:
    """Print whether what was advised is what the factorial recommends, or equal to it; 1 where it is not."""
    advised = {each["link"]: each["best"]["setting"] for each in json.loads(advice.read_text())["links"]}
    places = []
    for link, equal in winners.items():
        key = key_of(advised[link])
        places.append(next((n for n, (one, _) in enumerate(equal) if key_of(one.setting) == key), None))
        words = {None: "is not among the fastest", 0: "is the factorial's"}
        print(f"{link}: advised {short(advised[link])} {words.get(places[-1], 'is within the margin')}")
    return int(None in places)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--page", required=True)
    parser.add_argument("--link", required=True, action="append")
    parser.add_argument("--over", action="append", default=[])
    parser.add_argument("--set", dest="settings", action="append", default=[])
    parser.add_argument("--repetitions", type=int, default=REPETITIONS)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--advice", type=Path)
    return parser.parse_args()


if __name__ == "__main__":
    raise SystemExit(main())
