"""A file of budgets as written: names and types of its keys, nothing filled in."""

from pydantic import Field

from bentpipe.scenario.written.table import A_TABLE, COUNT, TABLES, Table
from bentpipe.scenario.written.texts import LINE, Line
from bentpipe.scenario.written.toml import TomlTable

VALUES = "a value or a list of values"
LIMIT = 'a limit such as "6 s"'


class MeasuredTable(Table):
    """What is measured, and how often; values of [run] and [matrix] are checked as those of a scenario."""

    scenario: str | None = Field(default=None, description='a scenario\'s file such as "bulk.toml"')
    page: object = Field(default=None, description=VALUES)
    link: object = Field(default=None, description=VALUES)
    http: object = Field(default=None, description=VALUES)
    cc: object = Field(default=None, description=VALUES)
    run: TomlTable | None = Field(default=None, description=A_TABLE)
    matrix: object = Field(default=None, description="a table of lists, or a list of such tables")
    repetitions: int | None = Field(default=None, description=COUNT)


class BudgetTable(MeasuredTable):
    """One budget: what is measured, and what it is held to."""

    name: Line | None = Field(default=None, description=LINE)
    metric: str = Field(description='a metric such as "plt_s"')
    statistic: str | None = Field(default=None, description='"median", "mean", "min", "max" or "p95"')
    below: str | int | float | None = Field(default=None, description=LIMIT)
    above: str | int | float | None = Field(default=None, description=LIMIT)
    regression: str | None = Field(default=None, description='a share such as "3 %"')


class BudgetFileTable(MeasuredTable):
    """The whole file: each key at its head holds for every budget that does not say it itself."""

    name: str | None = Field(default=None, description="a name")
    seed: int | None = Field(default=None, description=COUNT)
    budget: list[BudgetTable] = Field(description=TABLES)
