"""What the checks came to, kept with the project: a CSV file each, of which the page is made."""

from pathlib import Path

from tools.agreement import table
from tools.third_party.check import Case, Outcome, Result

FOLDER = Path(__file__).parents[2] / "data/third-party"

_COLUMNS = ("group", "case", "outcome", "note")


def keep(name: str, result: Result) -> None:
    """Write a check's result in place of the one before."""
    rows = [
        {
            "group": case.group,
            "case": case.name,
            "outcome": case.outcome,
            "note": case.note,
            **result.versions,
        }
        for case in result.cases
    ]
    table.write(_file(name), rows, columns=_COLUMNS, facts=tuple(result.versions))


def kept(name: str) -> Result | None:
    """Return a check's result; None where it has never been run."""
    rows = table.read(_file(name))
    if not rows:
        return None
    return Result(
        versions={fact: value for fact, value in rows[0].items() if fact not in _COLUMNS},
        cases=[
            Case(group=row["group"], name=row["case"], outcome=Outcome(row["outcome"]), note=row["note"])
            for row in rows
        ],
    )


def _file(name: str) -> Path:
    return FOLDER / f"{name}.csv"
