"""The generated part of docs/questions/NAME.md: a table of what was measured."""

from collections.abc import Iterator
from pathlib import Path

from tools.block import row
from tools.questions.answer import Answer, AnswerRow, Estimate
from tools.questions.asked import Column, Question

FOLDER = Path("docs/questions")
MARK = "measured"


def of(name: str) -> Path:
    """Return the page of a question."""
    return FOLDER / f"{name}.md"


def lines(question: Question, answer: Answer) -> Iterator[str]:
    """Return what stands between the marks."""
    yield f"![{answer.title}]({answer.name}.svg)"
    yield ""
    first = question.columns[0]
    yield row(
        "condition",
        "setting",
        f"{_head(first)}",
        f"against `{_reference(question)}`",
        *(_head(column) for column in question.columns[1:]),
    )
    yield "| --- " * (3 + len(question.columns)) + "|"
    shown: tuple[str, ...] | None = None
    for each in answer.rows:
        yield _row(question, each, is_first=each.condition != shown)
        shown = each.condition
    yield ""
    yield (
        f"Means with 95 % intervals (Student's t) of {answer.repetitions} runs each in virtual time; "
        f"differences of the {first.title} with Fieller's intervals, which hold jointly with 95 % "
        f"(Bonferroni){_pairs(answer)}. Where nothing is random all runs are equal and there is no interval. "
        f"Measured by `bentpipe run scenarios/{answer.name}.toml`."
    )


def _pairs(answer: Answer) -> str:
    return ", by pairs of runs over one path" if any(each.is_paired for each in answer.rows) else ""


def _row(question: Question, each: AnswerRow, *, is_first: bool) -> str:
    first, *others = [
        _number(mean, column.decimals) for mean, column in zip(each.means, question.columns, strict=True)
    ]
    difference = each.difference_percent
    condition = ", ".join(f"`{value}`" for value in each.condition)
    return row(
        condition if is_first else "",
        f"`{each.setting}`",
        first,
        "" if difference is None else _signed(difference),
        *others,
    )


def _reference(question: Question) -> str:
    return " ".join(question.reference.values())


def _head(column: Column) -> str:
    return f"{column.title} [{column.unit}]" if column.unit else column.title


def _number(estimate: Estimate | None, decimals: int) -> str:
    if estimate is None:
        return "-"
    return f"{estimate.value:.{decimals}f}{_within(estimate, decimals, sign='')}"


def _signed(difference: Estimate) -> str:
    return f"{difference.value:+.1f} %{_within(difference, 1, sign='+')}"


def _within(estimate: Estimate, decimals: int, *, sign: str) -> str:
    if estimate.low is None or estimate.high is None or estimate.low == estimate.high:
        return ""
    return f" ({estimate.low:{sign}.{decimals}f} to {estimate.high:{sign}.{decimals}f})"
