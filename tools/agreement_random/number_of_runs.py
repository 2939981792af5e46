"""The table of how often cells were emulated, and of what a perfect simulator reaches with as many runs."""

from collections.abc import Sequence

from tools.agreement_random.comparing import BARS, Compared, distribution
from tools.agreement_random.perfect import SETS, Emulated, Reached, reached
from tools.agreement_random.quantities import Scope
from tools.agreement_random.tables import line, percent

_ABOUT = """
What the engines reach, and what a *perfect* simulator would, by how often cells were emulated:
"""


def by_number_of_runs(found: Sequence[Compared]) -> list[str]:
    """Return the table, of the quantities of whole cells; nothing where chance decides in none."""
    whole = [each for each in found if each.quantity.scope is Scope.WHOLE]
    groups: dict[str, list[Compared]] = {}
    for each in sorted(whole, key=lambda each: (each.chance_decides, len(each.emulated))):
        groups.setdefault(_group(each), []).append(each)
    if not any(each.chance_decides for each in whole):
        return []
    shares = [f"within {bar:.0%}" for bar in BARS]
    heads = ["runs of a cell", "cells", "median", *shares, *(f"perfect: {share}" for share in shares)]
    rows = [_row(title, group, _reached(group)) for title, group in groups.items()]
    every = _reached(whole)
    return [
        _ABOUT,
        line(heads),
        line(["---", *["---:"] * (len(heads) - 1)]),
        *rows,
        _row("all", whole, every),
        f"\nThe perfect one is within both bars in {every.holds:.0%} of {SETS} sets of such cells.",
    ]


def _group(found: Compared) -> str:
    runs = len(found.emulated)
    if found.chance_decides:
        return f"{runs}, chance decides"
    return "1" if runs == 1 else "5 or more, seeds decide"


def _reached(found: Sequence[Compared]) -> Reached:
    return reached(
        [Emulated(runs=len(each.emulated), sample=each.sample if each.is_by_sample else ()) for each in found]
    )


def _row(title: str, found: Sequence[Compared], perfect: Reached) -> str:
    errors = distribution(found)
    return line(
        [
            title,
            str(len(found)),
            percent(errors.median),
            *(f"{errors.within(bar):.1%}" for bar in BARS),
            *(f"{share:.1%}" for share in perfect.within),
        ]
    )
