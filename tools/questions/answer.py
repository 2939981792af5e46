"""What the runs of a question come to: kept in data/questions/NAME.json."""

from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

import bentpipe
from bentpipe.ledger import Entry, Ledger
from bentpipe.model.frozen import Frozen
from bentpipe.report.cells import CellResult, results
from bentpipe.report.pairs import Samples, TwoCells
from bentpipe.report.source import read
from bentpipe.stats import Interval, mean_interval
from tools.questions.asked import Question

FOLDER = Path("data/questions")
SCENARIOS = Path("scenarios")
CONFIDENCE = 0.95


class Estimate(Frozen):
    """A mean, or a difference in percent, with its interval; none where runs are equal or there is one."""

    value: float
    low: float | None
    high: float | None


class AnswerRow(Frozen):
    """One setting under one condition.

    `means` are of the question's columns, None where no run has the quantity. `difference_percent` is how far
    the first lies above the reference's, None of the reference itself; all intervals hold jointly.
    `is_paired` says whether runs of one repetition, which share their path, were compared with each other.
    """

    condition: tuple[str, ...]
    setting: str
    n: int
    means: tuple[Estimate | None, ...]
    difference_percent: Estimate | None
    is_paired: bool


class Answer(Frozen):
    """All rows of a question, in the order of its scenario."""

    name: str
    title: str
    repetitions: int
    rows: tuple[AnswerRow, ...]


def measure(question: Question, folder: Path) -> Answer:
    """Run the scenario in virtual time, as far as the folder of results does not have it."""
    scenario = bentpipe.Scenario.read(SCENARIOS / f"{question.name}.toml")
    with Ledger(scenario.run(folder=folder).folder) as ledger:
        source = read(ledger)
        cells = results(source)
        return Answer(
            name=question.name,
            title=source.scenario.title,
            repetitions=max(len(cell.runs) for cell in cells),
            rows=rows(question, cells),
        )


def keep(answer: Answer, folder: Path = FOLDER) -> None:
    """Keep an answer."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{answer.name}.json").write_text(answer.model_dump_json(indent=1) + "\n", encoding="utf-8")


def kept(name: str, folder: Path = FOLDER) -> Answer:
    """Return the answer that is kept of a question."""
    return Answer.model_validate_json((folder / f"{name}.json").read_text(encoding="utf-8"))


def rows(question: Question, cells: Sequence[CellResult]) -> tuple[AnswerRow, ...]:
    """Return a row for each cell, those of a condition together, in the order of their first."""
    references = {
        _values(cell, question.conditions): cell
        for cell in cells
        if question.reference.items() <= cell.factors.items()
    }
    # Bonferroni, as frames of differences have it.
    confidence = 1 - (1 - CONFIDENCE) / max(len(cells) - len(references), 1)
    order = list(references)
    return tuple(
        _row(question, cell, references[_values(cell, question.conditions)], confidence)
        for cell in sorted(cells, key=lambda cell: order.index(_values(cell, question.conditions)))
    )


def _row(question: Question, cell: CellResult, reference: CellResult, confidence: float) -> AnswerRow:
    runs = _succeeded(cell)
    cells = TwoCells(own=runs, reference=_succeeded(reference))
    compared = cells.samples(question.columns[0].values)
    return AnswerRow(
        condition=_values(cell, question.conditions),
        setting=" ".join(_values(cell, question.settings)),
        n=len(runs),
        means=tuple(_mean(column.values(runs)) for column in question.columns),
        difference_percent=None if cell is reference else _difference(compared, confidence),
        is_paired=cell is not reference and compared.is_paired,
    )


def _succeeded(cell: CellResult) -> list[Entry]:
    return [run for run in cell.runs if run.status == "succeeded"]


def _values(cell: CellResult, factors: Sequence[str]) -> tuple[str, ...]:
    return tuple(cell.factors[name] for name in factors if name in cell.factors)


def _mean(values: Sequence[float]) -> Estimate | None:
    return _estimate(fmean(values), mean_interval(values)) if values else None


def _difference(compared: Samples, confidence: float) -> Estimate | None:
    if not compared.own or not any(compared.reference):
        return None
    relative = compared.compared(confidence=confidence).relative
    if relative is None:
        return None
    return _estimate(100 * relative.value, None if relative.ci is None else relative.ci.scaled(100))


def _estimate(value: float, interval: Interval | None) -> Estimate:
    if interval is None:
        return Estimate(value=value, low=None, high=None)
    return Estimate(value=value, low=interval.low, high=interval.high)
