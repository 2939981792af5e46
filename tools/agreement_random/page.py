"""The section of docs/agreement.md on random cells: the distribution of the error, and what is beyond it."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from statistics import median

from bentpipe.scenario.factors import label
from tools.agreement.grid import TEST_LEVEL
from tools.agreement.kept import FACTS
from tools.agreement_random.cells import HOST_JITTER
from tools.agreement_random.comparing import (
    BARS,
    LISTED,
    MEDIAN_BAR,
    TOLERANCE,
    Compared,
    Distribution,
    distribution,
    worst_of_each_cell,
)
from tools.agreement_random.kinds import kinds
from tools.agreement_random.mechanisms import Mechanism
from tools.agreement_random.number_of_runs import by_number_of_runs
from tools.agreement_random.planning import LONGEST_S, NUMBERS
from tools.agreement_random.quantities import Scope
from tools.agreement_random.sampling import RUNS
from tools.agreement_random.store import Measured, seed_of
from tools.agreement_random.tables import distribution_table, line, percent

HEADING = "## Random cells"
CHANCE = "Chance"
NOT_EXPLAINED = "Not explained"
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
    """Whether the cells, by one quantity each, are within the bars."""
    whole = distributions(found).get(_SCOPES[Scope.WHOLE])
    return whole is not None and whole.holds


def section(
    cells: Sequence[Measured],
    found: Sequence[Compared],
    known: Sequence[Mechanism],
    *,
    figure: str,
) -> str:
    """Return the section.

    Parameters
    ----------
    cells, found
        All, and what of them is compared.
    known
        Mechanisms of some.
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
            *distribution_table(distributions(found)),
            *_of_each_seed(found),
            *by_number_of_runs([each for each in found if _is_drawn(each)]),
            _METHOD,
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
    done = sum(each.is_measured for each in drawn)
    waiting = sum(each.is_measured and bool(each.missing) for each in drawn)
    *others, last = map(str, seeds) if seeds else [""]
    named = f"seeds {', '.join(others)} and {last}" if others else f"seed {last}"
    told = f" ({waiting} of them less often than is planned)" if waiting else ""
    return f"""\
`make agreement-random SEED=1 N=300` draws cells from all that both engines have. A cell is drawn again if
its settings exclude each other, or if a run fails in virtual time, takes more than 25 s or sends more than
200 000 packets.

Of {len(drawn)} ({named}, `data/agreement/random.csv`) both engines have
measured {done}{told}. `python -m tools.agreement_random show 1-17` prints one as a scenario.
"""


_BARS = " and ".join(f"{share:.0%} within {bar:.0%}" for bar, share in BARS.items())
_NUMBERS = ", ".join(map(str, NUMBERS[:-1])) + f" or {NUMBERS[-1]}"
_METHOD = f"""
Bars: a median below {MEDIAN_BAR:.1%}, {_BARS}, of one quantity per cell.
The error is that of medians, of a share the difference. *Alone*: runs that succeed in one engine only.
Simulated programs wake as late, and packets come as far apart, as [measured](models/host.md#parameters).

A cell is emulated once where five simulated runs are equal; else, or if that is off by 2 %, five times.
Where these are off equal seeds by what varies over {TOLERANCE:.0%} at most, the seeds decide. Else chance
does: their median is held against {RUNS} simulated runs with other seeds and {HOST_JITTER} of jitter where
a direction has none (the RTT of an empty emulated link deviates by 0.10 ms), unless equal seeds leave less
open. Such a cell is emulated {_NUMBERS} times, the least that leaves medians of so many
simulated runs within {TOLERANCE:.0%} in {BARS[TOLERANCE]:.0%} of draws, or what
{LONGEST_S / 60:.1f} minutes of two cores allow. Seven further off were emulated as often
again later.
"""


_OF_CHANCE = f"""\
The runs of an engine differ among themselves by more than the error, and the two-sample test (level
{TEST_LEVEL:.0%}) does not tell the emulated ones from {RUNS} simulated ones as above.
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
    return ["\nThe first of these by seed:\n", *distribution_table(named)]


def _is_drawn(found: Compared) -> bool:
    return seed_of(found.measured.cell.name) is not None


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
    # A cell is one of chance when all of its quantities that are listed are.
    decided = {each.measured.cell.name for each in listed if not each.is_chance}
    chance = [each for each in rest if each.measured.cell.name not in decided]
    rest = [each for each in rest if each not in chance]
    if chance:
        parts += [f"#### {CHANCE}\n", _OF_CHANCE, *_table(chance), ""]
    if rest:
        parts += [f"#### {NOT_EXPLAINED}\n", *_table(rest), ""]
    cells = len({each.measured.cell.name for each in listed})
    counts = f"{cells} cells, of which {len(rest)} are not explained; the worst quantity of each.\n"
    return [counts, *parts]


def _table(found: Iterable[Compared]) -> list[str]:
    heads = ["cell", "quantity", "runs", "emulate", "simulate", "error", "spread", "p", "what"]
    lines = [line(heads), line(["---", "---", *["---:"] * 6, "---"])]
    for each in found:
        quantity = each.quantity
        p_value = each.p_value
        values = [
            " ".join([f"{median(side) * quantity.scale:.3f}", quantity.unit]).strip() if side else "-"
            for side in (each.emulated, each.expected)
        ]
        lines.append(
            line(
                [
                    each.measured.cell.name,
                    quantity.title,
                    _runs(each),
                    *values,
                    percent(each.error, sign="+"),
                    percent(each.spread),
                    "-" if p_value is None else f"{p_value:.2g}",
                    f"`{_what(each.measured)}`",
                ]
            )
        )
    return lines


def _runs(found: Compared) -> str:
    alone = f", {found.alone} alone" if found.alone else ""
    return f"{len(found.emulated)}{alone}"


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
        lines.append(line([what, values]))
    return [*lines, ""]


def _provenance(drawn: Sequence[Measured]) -> list[str]:
    lines = ["| emulated with | |", "| --- | --- |"]
    measured = [each for each in drawn if each.facts]
    for fact in FACTS:
        values = Counter(each.facts.get(fact, "") for each in measured)
        lines.append(line([fact.replace("_", " "), ", ".join(filter(None, values))]))
    return [*lines, ""] if measured else []


def _by_error(found: Iterable[Compared]) -> list[Compared]:
    return sorted(found, key=lambda each: -abs(each.error))
