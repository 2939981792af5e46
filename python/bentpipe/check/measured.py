"""What a budget measures, as a scenario: its keys and those of the head of its file, put together."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bentpipe.check.budget_schema import BudgetFileTable, MeasuredTable
from bentpipe.check.merged import KEYS, Settings
from bentpipe.errors import InputError
from bentpipe.scenario import Clock, Override, Scenario, read_scenario, resolve_document
from bentpipe.scenario.load import MOST_REPETITIONS
from bentpipe.scenario.written.location import Location
from bentpipe.scenario.written.quantity import count
from bentpipe.scenario.written.table import refuse

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
        Of those of its own and of the head's that are no tables of a scenario, and of these tables.
    settings : Settings
        Of the keys in them.
    """

    budget: Location
    keys: Mapping[str, Location]
    settings: Settings

    def of(self, field: str) -> Location:
        """Return where a key of the scenario that was made of them was written."""
        table, _, key = field.partition(".")
        if table == "matrix":
            number, _, in_block = key.partition(".")
            key = in_block if number.isdecimal() else key
        if key and table in ("run", "matrix") and (found := self.settings.place(key)) is not None:
            return found
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
        When it has a scenario's file and keys beside it, a key twice, or a matrix that is none.
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
    settings = Settings.of(head, top).under(Settings.of(budget, place))
    for table, where in ((head, top), (budget, place)):
        keys |= {key: where.at(key) for key in ("run", "matrix") if getattr(table, key) is not None}
    return Written(
        table={"repetitions": repetitions if times is None else times, **settings.table(), **seed},
        file=str(path),
        folder=path.parent,
        places=Places(budget=place, keys=keys, settings=settings),
    )


def _repetitions(
    head: BudgetFileTable, budget: MeasuredTable, *, top: Location, place: Location
) -> tuple[int | None, dict[str, Location]]:
    for table, where in ((budget, place.at("repetitions")), (head, top.at("repetitions"))):
        if table.repetitions is not None:
            times = count(table.repetitions, where, least=1, most=MOST_REPETITIONS)
            return times, {"repetitions": where}
    return None, {}
