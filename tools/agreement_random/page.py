"""The section of docs/agreement.md on random cells: the distribution of the error, and what is beyond it."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from statistics import median

from bentpipe.scenario.factors import label
from tools.agreement.grid import TEST_LEVEL
from tools.agreement.kept import FACTS
from tools.agreement_random.cells import CONFIRMED_REPETITIONS, HOST_JITTER, MOST_REPETITIONS
from tools.agreement_random.comparing import (
    BARS,
    LISTED,
    MEDIAN_BAR,
    Compared,
    Distribution,
    distribution,
    worst_of_each_cell,
)
from tools.agreement_random.kinds import kinds
from tools.agreement_random.mechanisms import Mechanism
from tools.agreement_random.needed import SETS, Reached
from tools.agreement_random.quantities import Scope
from tools.agreement_random.store import Measured, seed_of

HEADING = "## Random cells"
CHANCE = "Chance"
OF_HOSTS = "A tenth of a millisecond decides"
NOT_EXPLAINED = "Not explained"
DECIDED = 0.04
"""Range of a cell's emulated runs over their median, up to which they say one thing: the bar's error."""
_QUANTILES = (0.9, 0.97, 0.99)
_SCOPES = {
    Scope.WHOLE: "Page load time, completion, goodput or round trip: one per cell",
    Scope.FLOW: "Completion or goodput of each of several flows",
    Scope.SHARE: "Share of each of several flows, as a difference",
}
_EVERY, _WORST = "All of these", "Each cell by the worst of its quantities"


def distributions(found: Iterable[Compared]) -> Mapping[str, Distribution]:
    """Return the distributions that the page shows, by what they are called; fixed cells are not in them."""
    drawn = [each for each in found if _is_drawn(each)]
    scopes = {
        title: distribution(each for each in drawn if each.quantity.scope is scope)
        for scope, title in _SCOPES.items()
    }
    named = {**scopes, _EVERY: distribution(drawn), _WORST: distribution(worst_of_each_cell(drawn))}
    return {title: errors for title, errors in named.items() if errors.errors}


def holds(found: Sequence[Compared]) -> bool:
    """Whether all quantities together are within the bars."""
    every = distributions(found).get(_EVERY)
    return every is not None and every.holds


def section(
    cells: Sequence[Measured],
    found: Sequence[Compared],
    known: Sequence[Mechanism],
    *,
    with_other_seeds: Sequence[Compared],
    with_jitter: Sequence[Compared],
    needed: Sequence[Reached],
    figure: str,
) -> str:
    """Return the section.

    Parameters
    ----------
    cells, found
        All, and what of them is compared.
    known
        Mechanisms of some.
    with_other_seeds, with_jitter
        The simulator compared with itself with other seeds, and with the jitter of hosts.
    needed
        What a perfect simulator reaches, by the number of runs.
    figure
        The file of the figure beside the page.
    """
    drawn = [each for each in cells if seed_of(each.cell.name) is not None]
    fixed = [each for each in found if seed_of(each.measured.cell.name) is None]
    listed = [each for each in _by_error(found) if each.is_listed]
    return "\n".join(
        [
            f"{HEADING}\n",
            _introduction(drawn),
            f"![Share of the quantities with at most this error]({figure})\n",
            *_distribution_table(distributions(found)),
            *_of_each_seed(found),
            *_by_spread(found, with_other_seeds),
            *_runs_needed(needed),
            _METHOD,
            *([_WITH_JITTER, *_distribution_table(distributions(with_jitter)), ""] if with_jitter else []),
            f"### Beyond {LISTED:.0%}\n",
            *_listed_lines(listed, known),
            *(["### Cells that disagreed once\n", *_table(fixed), ""] if fixed else []),
            "### What was drawn\n",
            *_drawn_lines(drawn),
            *_provenance(drawn),
        ]
    )


def in_page(text: str, section: str) -> str:
    """Return a page with the section in place of the one that it has, or else before what was measured."""
    without = re.sub(rf"^{re.escape(HEADING)}\n.*?(?=^## |\Z)", "", text, flags=re.MULTILINE | re.DOTALL)
    head, last, tail = without.partition("## What was measured\n")
    return f"{head}{section}\n{last}{tail}" if last else f"{without.rstrip()}\n\n{section}"


def _introduction(drawn: Sequence[Measured]) -> str:
    seeds = sorted({seed for each in drawn if (seed := seed_of(each.cell.name)) is not None})
    done = sum(not each.missing for each in drawn)
    named = ("seed " if len(seeds) == 1 else "seeds ") + " and ".join(map(str, seeds))
    return f"""\
`make agreement-random SEED=1 N=300` draws cells from all that both engines have. A cell is drawn again if
its settings exclude each other, or if a run fails in virtual time, takes more than 25 s or sends more than
200 000 packets.

Of {len(drawn)} ({named}, `data/agreement/random.csv`) both engines have
measured {done}. `python -m tools.agreement_random show 1-17` prints one as a scenario.
"""


_LATER = CONFIRMED_REPETITIONS - MOST_REPETITIONS
_BARS = " and ".join(f"{share:.0%} within {bar:.0%}" for bar, share in BARS.items())
_METHOD = f"""
Bars: a median below {MEDIAN_BAR:.1%}, {_BARS}. The error is that of the
medians of runs with equal seeds, of a share the difference.
A cell is emulated once where five simulated runs are equal, five times where chance decides or the first run
is off by more than 2 %. *Alone*: runs that succeed in one engine only.

Where the test tells the engines apart and no mechanism is known, {_LATER} further runs are tested alone
(*runs*: {MOST_REPETITIONS} + {_LATER}).
Errors stay those of the first {MOST_REPETITIONS}.
"""


_OF_CHANCE = f"""\
The emulated runs differ among themselves by more than the error, and the two-sample test (level
{TEST_LEVEL:.0%}) does not tell them from 25 simulated runs of other seeds.
"""


_OF_HOSTS = f"""\
Hosts of a kernel and the link process take about 0.1 ms for what simulated ones do at once. With
{HOST_JITTER} of jitter the test does not tell 25 simulated runs of other seeds from the emulated ones; these
or those differ among themselves by more than the error.
"""

_WITH_JITTER = f"""\
What a tenth of a millisecond leaves open: equal seeds with {HOST_JITTER} of jitter in directions that have
none (the RTT of an empty emulated link deviates by 0.10 ms), and without.
"""


_BY_SPREAD = """
The same by the range of a cell's emulated runs over their median, and of a perfect simulator: of as many
simulated runs with other seeds.
"""


def _of_each_seed(found: Sequence[Compared]) -> list[str]:
    """Return a table of the quantities of whole cells by the seed that drew them, where there are several."""
    by_seed: dict[int, list[Compared]] = {}
    for each in found:
        seed = seed_of(each.measured.cell.name)
        if seed is not None and each.quantity.scope is Scope.WHOLE:
            by_seed.setdefault(seed, []).append(each)
    if len(by_seed) < 2:
        return []
    named = {f"Seed {seed}": distribution(of_seed) for seed, of_seed in sorted(by_seed.items())}
    return ["\nThe first of these by seed:\n", *_distribution_table(named)]


def _by_spread(found: Sequence[Compared], with_other_seeds: Sequence[Compared]) -> list[str]:
    """Return a table of the same by what a cell's emulated runs leave open, beside a perfect simulator's."""
    whole = [each for each in found if each.quantity.scope is Scope.WHOLE and _is_drawn(each)]
    open_ = {each.measured.cell.name for each in whole if each.spread > DECIDED}
    if not with_other_seeds or not open_:
        return []
    itself = [each for each in with_other_seeds if each.quantity.scope is Scope.WHOLE and _is_drawn(each)]

    def named(what: str, errors: Sequence[Compared]) -> Mapping[str, Distribution]:
        parts = {
            f"up to {DECIDED:.0%}": [each for each in errors if each.measured.cell.name not in open_],
            f"more than {DECIDED:.0%}": [each for each in errors if each.measured.cell.name in open_],
        }
        return {f"Range {part}: {what}": distribution(of_part) for part, of_part in parts.items() if of_part}

    return [
        _BY_SPREAD,
        *_distribution_table({**named("the engines", whole), **named("the simulator, other seeds", itself)}),
    ]


_NEEDED = f"""
How many runs the bars ask of a perfect simulator: medians of simulated runs against medians of as many
others. *Sets*: of {SETS}, those within both bars. *Emulated*: on two cores, at least.
"""


def _runs_needed(needed: Sequence[Reached]) -> list[str]:
    """Return a table of what a perfect simulator reaches, by the number of runs of each cell."""
    if not needed:
        return []
    heads = ["runs", *(f"within {bar:.1%}" for bar in BARS), "sets", "emulated"]
    rows = [
        [
            str(each.runs),
            *(f"{share:.1%}" for share in each.within),
            f"{each.holds:.0%}",
            f"{each.emulated_h:.1f} h",
        ]
        for each in needed
    ]
    return [_NEEDED, _line(heads), _line(["---:"] * len(heads)), *map(_line, rows)]


def _is_drawn(found: Compared) -> bool:
    return seed_of(found.measured.cell.name) is not None


def _distribution_table(named: Mapping[str, Distribution]) -> list[str]:
    limits = (MEDIAN_BAR, *BARS)
    heads = ["", "quantities", "median", *(f"{share:.0%}" for share in _QUANTILES), "worst"]
    heads += [*(f"within {limit:.1%}" for limit in limits), "holds"]
    lines = [_line(heads), _line(["---", *["---:"] * (len(heads) - 2), "---"])]
    for title, errors in named.items():
        quantiles = [errors.median, *(errors.quantile(share) for share in (*_QUANTILES, 1.0))]
        lines.append(
            _line(
                [
                    title,
                    str(len(errors.errors)),
                    *(_percent(error) for error in quantiles),
                    *(f"{errors.within(limit):.1%}" for limit in limits),
                    "yes" if errors.holds else "**no**",
                ]
            )
        )
    return lines


def _listed_lines(listed: Sequence[Compared], known: Sequence[Mechanism]) -> list[str]:
    if not listed:
        return ["No cell.\n"]
    rest = _by_error(worst_of_each_cell(listed))
    parts: list[str] = []
    for mechanism in known:
        own = [each for each in rest if each.measured.cell.name in mechanism.cells]
        rest = [each for each in rest if each not in own]
        if own:
            parts += [f"#### {mechanism.title}\n", f"{mechanism.text.strip()}\n", *_table(own), ""]
    # A cell is one of chance when all of its quantities that are listed are, and so with the next.
    decided = {each.measured.cell.name for each in listed if not each.is_chance}
    chance = [each for each in rest if each.measured.cell.name not in decided]
    told_apart = {each.measured.cell.name for each in listed if each.is_told_apart}
    of_hosts = [each for each in rest if each not in chance and each.measured.cell.name not in told_apart]
    rest = [each for each in rest if each not in chance and each not in of_hosts]
    if chance:
        parts += [f"#### {CHANCE}\n", _OF_CHANCE, *_table(chance), ""]
    if of_hosts:
        parts += [f"#### {OF_HOSTS}\n", _OF_HOSTS, *_table(of_hosts, with_jitter=True), ""]
    if rest:
        parts += [f"#### {NOT_EXPLAINED}\n", *_table(rest), ""]
    cells = len({each.measured.cell.name for each in listed})
    counts = f"{cells} cells, of which {len(rest)} are not explained; the worst quantity of each.\n"
    return [counts, *parts]


def _table(found: Iterable[Compared], *, with_jitter: bool = False) -> list[str]:
    heads = ["cell", "quantity", "runs", "emulate", "simulate", "error", "spread", "p", "what"]
    lines = [_line(heads), _line(["---", "---", *["---:"] * 6, "---"])]
    for each in found:
        quantity = each.quantity
        p_value = each.p_value_with_jitter if with_jitter else each.p_value
        values = [
            " ".join([f"{median(side) * quantity.scale:.3f}", quantity.unit]).strip() if side else "-"
            for side in (each.emulated, each.simulated)
        ]
        lines.append(
            _line(
                [
                    each.measured.cell.name,
                    quantity.title,
                    _runs(each),
                    *values,
                    _percent(each.error, sign="+"),
                    _percent(each.spread),
                    "-" if p_value is None else f"{p_value:.2g}",
                    f"`{_what(each.measured)}`",
                ]
            )
        )
    return lines


def _runs(found: Compared) -> str:
    later = f" + {len(found.later)}" if found.later else ""
    alone = f", {found.alone} alone" if found.alone else ""
    return f"{len(found.emulated)}{later}{alone}"


def _what(measured: Measured) -> str:
    run = {key: value for key, value in measured.cell.run.items() if key != "validity"}
    return label(run).replace("|", "/")


def _drawn_lines(drawn: Sequence[Measured]) -> list[str]:
    counts: dict[str, Counter[str]] = {}
    for each in drawn:
        for what, values in kinds(each.cell.runs(1)[0].spec).items():
            counts.setdefault(what, Counter()).update({*values})
    lines = ["| | cells |", "| --- | --- |"]
    for what, counter in counts.items():
        values = ", ".join(f"{value} {count}" for value, count in sorted(counter.items()))
        lines.append(_line([what, values]))
    return [*lines, ""]


def _provenance(drawn: Sequence[Measured]) -> list[str]:
    lines = ["| emulated with | |", "| --- | --- |"]
    measured = [each for each in drawn if each.facts]
    for fact in FACTS:
        values = Counter(each.facts.get(fact, "") for each in measured)
        lines.append(_line([fact.replace("_", " "), ", ".join(filter(None, values))]))
    return [*lines, ""] if measured else []


def _by_error(found: Iterable[Compared]) -> list[Compared]:
    return sorted(found, key=lambda each: -abs(each.error))


def _percent(value: float, *, sign: str = "") -> str:
    return f"{value:{sign}.2%}" if math.isfinite(value) else "-"


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
