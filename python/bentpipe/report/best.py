"""What is best: cells that differ in choices alone, ranked under each condition."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from bentpipe.report.cells import CellResult
from bentpipe.report.pairs import share_seeds
from bentpipe.report.quantities import Quantity
from bentpipe.scenario.factors import is_choice
from bentpipe.stats import (
    HIGHER_IS_BETTER,
    Contender,
    Ranking,
    Summary,
    cell_key,
    cell_label,
    metric_values,
    rank,
)

MOST_SENTENCES = 4
"""Of more conditions one sentence tells what holds in most."""
_MOST_NAMED = 2
_WITHOUT_DECIMALS = 100
_DOES_BEST = {
    "plt_s": "loads fastest",
    "completion_s": "completes first",
    "goodput_bps": "carries most",
    "jain_index": "shares most evenly",
    "rtt_mean_s": "has the shortest round trip",
}


@dataclass(frozen=True, kw_only=True)
class Rated:
    """A cell with how it stands; `choice` is what tells it from the others under its condition."""

    cell: CellResult
    choice: str
    summary: Summary
    contender: Contender[str]


@dataclass(frozen=True, kw_only=True)
class Best:
    """The cells of one condition, the best first.

    `condition` has the factors by which it differs from other conditions, `label` the same for people, empty
    where there is only one. `is_paired` says whether runs of one repetition were compared with each other.
    """

    condition: Mapping[str, str]
    label: str
    quantity: Quantity
    is_paired: bool
    rated: tuple[Rated, ...]

    @property
    def is_choice(self) -> bool:
        """Whether there is something to choose from."""
        return len(self.rated) > 1

    @property
    def among_best(self) -> tuple[Rated, ...]:
        """The best, and those that do not differ significantly from it."""
        return tuple(each for each in self.rated if each.contender.is_among_best)

    @property
    def sentence(self) -> str:
        """What is best, by how much and how sure."""
        best, following = self.rated[0], self.rated[1]
        found = (
            f"{f'{self.label}: ' if self.label else ''}{best.choice} {_does_best(self.quantity)}, "
            f"{mean_text(self.quantity, best.summary)} (n = {best.summary.n})"
        )
        tied = self.among_best[1:]
        if not tied:
            return f"{found}; next {following.choice}, {behind_text(following)}."
        reason = "" if best.contender.n > 1 and following.contender.n > 1 else " with so few runs"
        if len(tied) > _MOST_NAMED:
            return f"{found}, but {len(tied)} others cannot be told from it{reason}."
        named = " and ".join(each.choice for each in tied)
        return f"{found}, but {named} cannot be told from it{reason}."


def gather(cells: Sequence[CellResult]) -> tuple[Best, ...]:
    """Rank the cells that have a headline, by condition and quantity, in the order of the scenario."""
    groups: dict[tuple[Quantity, tuple[tuple[str, str], ...]], list[CellResult]] = {}
    for cell in cells:
        if cell.headline is not None:
            groups.setdefault((cell.headline[0], cell_key(_conditions(cell))), []).append(cell)
    return tuple(
        _best(members, quantity, dict(condition), is_only=len(groups) == 1)
        for (quantity, condition), members in groups.items()
    )


def sentences(bests: Sequence[Best]) -> tuple[str, ...]:
    """Return what is best under each condition; of many conditions what is in most of them."""
    compared = [best for best in bests if best.is_choice]
    if len(compared) <= MOST_SENTENCES:
        return tuple(best.sentence for best in compared)
    return tuple(
        _over_conditions(quantity, [best for best in compared if best.quantity == quantity])
        for quantity in dict.fromkeys(best.quantity for best in compared)
    )


def mean_text(quantity: Quantity, summary: Summary) -> str:
    """Return a mean with how far its interval reaches, such as "3.104 ± 0.052 s"."""
    ci = summary.mean_ci
    reach = "" if ci is None else f" ± {ci.high - summary.mean:.{quantity.decimals}f}"
    return f"{summary.mean:.{quantity.decimals}f}{reach} {quantity.unit}".rstrip()


def behind_text(rated: Rated) -> str:
    """Return how far a cell stands behind the best, such as "+12.0 % [+8.1, +15.9]"."""
    behind = rated.contender.behind
    if behind is None:
        return ""
    ci = behind.ci.scaled(100) if behind.ci else None
    reach = f" [{_signed(ci.low)}, {_signed(ci.high)}]" if ci else ""
    return f"{_signed(100 * behind.value)} %{reach}"


def _signed(percent: float) -> str:
    return f"{percent:+.1f}" if abs(percent) < _WITHOUT_DECIMALS else f"{percent:+.0f}"


def _best(
    cells: Sequence[CellResult], quantity: Quantity, condition: Mapping[str, str], *, is_only: bool
) -> Best:
    order = cells[0].varied
    by_label = {cell.label: cell for cell in cells}
    is_paired = share_seeds(*(cell.runs for cell in cells))
    repetitions = {label: _repetitions(cell, quantity) for label, cell in by_label.items()}
    ranking: Ranking[str] | None = rank(
        {label: metric_values(cell.runs, quantity.metric) for label, cell in by_label.items()},
        is_lower_better=quantity.metric not in HIGHER_IS_BETTER,
        pairs=repetitions if is_paired else None,
    )
    assert ranking is not None, "cells with a headline have values"
    return Best(
        condition=condition,
        label="" if is_only else cell_label(condition, order=order),
        quantity=quantity,
        is_paired=is_paired,
        rated=tuple(_rated(by_label[each.cell], each) for each in ranking.contenders),
    )


def _repetitions(cell: CellResult, quantity: Quantity) -> list[int]:
    return [
        run.repetition
        for run in cell.runs
        if run.status == "succeeded" and run.metrics.get(quantity.metric) is not None
    ]


def _rated(cell: CellResult, contender: Contender[str]) -> Rated:
    assert cell.headline is not None
    chosen = {name: cell.factors[name] for name in cell.varied if name in cell.factors and is_choice(name)}
    choice = cell_label(chosen, order=cell.varied) or cell.label
    return Rated(cell=cell, choice=choice, summary=cell.headline[1], contender=contender)


def _conditions(cell: CellResult) -> Mapping[str, str]:
    return {name: cell.factors[name] for name in cell.varied if name in cell.factors and not is_choice(name)}


def _over_conditions(quantity: Quantity, bests: Sequence[Best]) -> str:
    """Return which choice is among the best in most conditions, and in how many it is so alone."""
    among, alone = Counter(_choices(bests)), Counter(_winners(bests))
    # The first of those that are equal, as the scenario has them.
    choice = max(among, key=lambda each: (among[each], alone[each]))
    shares = f"{among[choice]} of {len(bests)} conditions, alone in {alone[choice] or 'none'}"
    return f"By {quantity.label.lower()} {choice} is among the best in {shares}."


def _choices(bests: Sequence[Best]) -> Iterator[str]:
    for best in bests:
        yield from (each.choice for each in best.among_best)


def _winners(bests: Sequence[Best]) -> Iterator[str]:
    for best in bests:
        if len(best.among_best) == 1:
            yield best.among_best[0].choice


def _does_best(quantity: Quantity) -> str:
    return _DOES_BEST.get(quantity.metric, f"has the best {quantity.label.lower()}")
