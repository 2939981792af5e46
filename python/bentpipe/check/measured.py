"""What a budget measures, as a scenario: its keys and those of the head of its file, put together."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bentpipe.check.budget_schema import BudgetFileTable, MeasuredTable
from bentpipe.errors import InputError
from bentpipe.scenario import Clock, Override, Scenario, read_scenario, resolve_document
from bentpipe.scenario.cells import WORKLOADS
from bentpipe.scenario.load import MOST_REPETITIONS
from bentpipe.scenario.written.location import Location
from bentpipe.scenario.written.quantity import count
from bentpipe.scenario.written.table import refuse

KEYS = ("page", "link", "http", "cc")
"""Keys of [run] that a budget may have itself: a value as in [run], a list as in [matrix]."""
OF_PAGES = ("page", "http")
"""Those of page loads: a budget with another workload in its `run` does not take them from the head."""
OWN = (*KEYS, "run", "matrix")
"""What a budget without a scenario's file says."""

_NAME = "check"


@dataclass(frozen=True, kw_only=True)
class Places:
    """Where a budget's keys stand.

    Attributes
    ----------
    budget : Location
        The budget in its file.
    keys : mapping of str to Location
        Of those that are written, there or at the head of the file.
    """

    budget: Location
    keys: Mapping[str, Location]

    def of(self, field: str) -> Location:
        """Return where a key of the scenario that was made of them was written."""
        table, _, key = field.partition(".")
        number, _, in_block = key.partition(".")
        own = in_block if table == "matrix" and number.isdecimal() else key
        name, _, below = own.partition(".")
        if table in ("run", "matrix") and name in KEYS and name in self.keys:
            return self.keys[name].at(below) if below else self.keys[name]
        place = self.keys.get(table, self.budget)
        return place.at(key) if key else place


@dataclass(frozen=True, kw_only=True)
class Written:
    """A scenario as a budget has it.

    Attributes
    ----------
    table : mapping
        As a scenario's file has it.
    file : str
        What its errors name.
    folder : Path
        Where paths in it start.
    places : Places or None
        Where its keys stand; None of a scenario's file.
    """

    table: Mapping[str, object]
    file: str
    folder: Path
    places: Places | None

    def resolved(self, overrides: Sequence[Override] = ()) -> Scenario:
        """Return the scenario in virtual time; its errors name the keys of the budget's file."""
        try:
            return resolve_document(
                self.table,
                file=self.file,
                folder=self.folder,
                default_name=_NAME,
                overrides=overrides,
                clock=Clock.VIRTUAL,
            )
        except InputError as error:
            if self.places is None or error.file != self.file:
                raise
            raise error.at(file=error.file, field=self.places.of(error.field).field) from None

    def place(self, key: str) -> Location:
        """Return where a key of [run] was written."""
        field = f"run.{key}"
        return Location(file=self.file, field=field) if self.places is None else self.places.of(field)


def written(
    head: BudgetFileTable, budget: MeasuredTable, *, path: Path, place: Location, repetitions: int
) -> Written:
    """Return what a budget measures.

    Parameters
    ----------
    head, budget : table
        The file's and the budget's keys.
    path : Path
        The file.
    place : Location
        Of the budget in it.
    repetitions : int
        Where neither of them, nor a scenario, says it.

    Raises
    ------
    InputError
        When it has a scenario's file and keys beside it, or a key twice.
    """
    top = Location(file=str(path))
    says_own = any(value is not None for key, value in budget if key in OWN)
    scenario_of: MeasuredTable = head if budget.scenario is None and not says_own else budget
    times, keys = _repetitions(head, budget, top=top, place=place)
    seed = {} if head.seed is None else {"seed": head.seed}
    if scenario_of.scenario is not None:
        refuse(scenario_of, OWN, top if scenario_of is head else place, why="the scenario says it")
        scenario = read_scenario(path.parent / scenario_of.scenario)
        told = {} if times is None else {"repetitions": times, "simulate": {}}
        return Written(
            table={**scenario.table, **told, **seed},
            file=scenario.file,
            folder=scenario.folder,
            places=None,
        )
    values: dict[str, object] = {}
    for table, where in ((head, top), (budget, place)):
        own = {key: value for key, value in table if key in OWN and value is not None}
        if table is head and any(key in (budget.run or {}) for key in WORKLOADS if key != "page"):
            own = {key: value for key, value in own.items() if key not in OF_PAGES}
        values |= own
        keys |= {key: where.at(key) for key in own}
    _refuse_twice(values, keys)
    short = {key: values[key] for key in KEYS if key in values}
    single = {key: value for key, value in short.items() if not isinstance(value, list)}
    varied = {key: value for key, value in short.items() if isinstance(value, list)}
    run = values.get("run", {})
    assert isinstance(run, dict), "the schema has seen to it"
    table_written = {
        "repetitions": repetitions if times is None else times,
        "run": {**run, **single},
        **_matrix(values.get("matrix"), varied),
        **seed,
    }
    places = Places(budget=place, keys=keys)
    return Written(table=table_written, file=str(path), folder=path.parent, places=places)


def _repetitions(
    head: BudgetFileTable, budget: MeasuredTable, *, top: Location, place: Location
) -> tuple[int | None, dict[str, Location]]:
    for table, where in ((budget, place.at("repetitions")), (head, top.at("repetitions"))):
        if table.repetitions is not None:
            times = count(table.repetitions, where, least=1, most=MOST_REPETITIONS)
            return times, {"repetitions": where}
    return None, {}


def _refuse_twice(values: Mapping[str, object], places: Mapping[str, Location]) -> None:
    """Raise an InputError for a key that stands beside [run] or [matrix] and in it."""
    for table in ("run", "matrix"):
        for block in _blocks(values.get(table)):
            for key in KEYS:
                if key in values and key in block:
                    expected = f"it once, here or in {places[table].field}"
                    raise places[key].error(expected=expected, found="both")


def _blocks(written: object) -> list[Mapping[str, object]]:
    return [each for each in (written if isinstance(written, list) else [written]) if isinstance(each, dict)]


def _matrix(written: object, varied: Mapping[str, object]) -> dict[str, object]:
    """Return a matrix with lists that vary besides; what is none stays, to be refused."""
    if not varied:
        return {} if written is None else {"matrix": written}
    if written is None:
        return {"matrix": varied}
    blocks = _blocks(written)
    if not blocks or (isinstance(written, list) and len(blocks) < len(written)):
        return {"matrix": written}
    crossed = [{**block, **varied} for block in blocks]
    return {"matrix": crossed if isinstance(written, list) else crossed[0]}
