"""The cells with what was measured of them: data/agreement/random.csv, a row for each cell and quantity.

Cells stand there as they were written, so that a set stays what it is when drawing changes. An emulated
value is of the specification whose digest stands beside it: where the cell has become another one since, it
counts for nothing.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeAlias

from bentpipe.scenario import canonical_json
from tools.agreement import table
from tools.agreement.kept import FACTS
from tools.agreement.kept import FOLDER as DATA
from tools.agreement_random.cells import FIRST_REPETITIONS, FIXED, RandomCell

FILE = DATA / "random.csv"
_COLUMNS = ("cell", "digest", "quantity", "emulated", "simulated", "run")

Values: TypeAlias = Mapping[int, float | None]
"""By repetition; None of a run that has failed or has no such figure."""
_NOTHING, _NOT_YET = "-", "?"


@dataclass(frozen=True, kw_only=True)
class Measured:
    """A cell with what both engines say of it.

    Attributes
    ----------
    cell : RandomCell
    simulated, emulated : mapping of str to Values
        By quantity, in its own unit; as many repetitions are wanted as were simulated.
    facts : mapping of str to str
        What the emulated values were measured with.
    """

    cell: RandomCell
    simulated: Mapping[str, Values]
    emulated: Mapping[str, Values] = field(default_factory=dict)
    facts: Mapping[str, str] = field(default_factory=dict)

    @property
    def repetitions(self) -> int:
        """How many runs are wanted."""
        return max(map(len, self.simulated.values()), default=0)

    @property
    def missing(self) -> tuple[int, ...]:
        """The repetitions that have not been emulated."""
        done = {repetition for values in self.emulated.values() for repetition in values}
        return tuple(repetition for repetition in range(self.repetitions) if repetition not in done)

    @property
    def is_measured(self) -> bool:
        """Whether all runs were emulated, or of those that are planned as many as say how far chance goes."""
        return not self.missing or self.repetitions - len(self.missing) >= FIRST_REPETITIONS

    def with_emulated(
        self, repetition: int, values: Mapping[str, float | None], facts: Mapping[str, str]
    ) -> "Measured":
        """Return the same with one more emulated run."""
        grown = {
            name: {**self.emulated.get(name, {}), repetition: values.get(name)} for name in self.simulated
        }
        return replace(self, emulated=grown, facts=facts)


class Store:
    """The measured cells by name, those of each set in the order of their numbers.

    Attributes
    ----------
    outdated : tuple of str
        Cells whose emulated values count for nothing, for their specifications have changed.
    """

    def __init__(self, file: Path = FILE) -> None:
        self._file = file
        self._cells: dict[str, Measured] = {}
        outdated = []
        for rows in _by_cell(table.read(file)).values():
            measured = _measured(rows)
            name, written = measured.cell.name, rows[0]["digest"]
            if measured.emulated and measured.cell.digest != written:
                measured = replace(measured, emulated={}, facts={})
                outdated.append(name)
            self._cells[name] = measured
        self.outdated = tuple(outdated)

    def __contains__(self, name: str) -> bool:
        return name in self._cells

    def __getitem__(self, name: str) -> Measured:
        return self._cells[name]

    def all(self) -> tuple[Measured, ...]:
        """Return every cell, fixed ones first."""
        return tuple(sorted(self._cells.values(), key=lambda measured: place_of(measured.cell.name)))

    def put(self, *measured: Measured) -> None:
        """Take cells, or what is new of them, and write the file in one piece."""
        self._cells |= {each.cell.name: each for each in measured}
        rows = [row for each in self.all() for row in _rows(each)]
        if rows:
            table.write(self._file, rows, columns=_COLUMNS, facts=FACTS)


def seed_of(name: str) -> int | None:
    """Return the seed of the set that a cell was drawn for; None of a fixed one."""
    seed, _, index = name.partition("-")
    return int(seed) if seed.isdecimal() and index.isdecimal() else None


def is_of_set(name: str, *, seed: int, number: int) -> bool:
    """Whether a cell is fixed, or one of the first so many of a seed."""
    return seed_of(name) is None or (seed_of(name) == seed and place_of(name)[1] < number)


def place_of(name: str) -> tuple[int, int]:
    """Return what orders cells: fixed ones as they are listed, then by seed and number."""
    seed = seed_of(name)
    if seed is not None:
        return seed, int(name.partition("-")[2])
    fixed = [cell.name for cell in FIXED]
    return -1, fixed.index(name) if name in fixed else len(fixed)


def _rows(measured: Measured) -> Iterable[dict[str, str]]:
    cell = measured.cell
    for name, simulated in measured.simulated.items():
        yield {
            "cell": cell.name,
            "digest": cell.digest,
            "quantity": name,
            "emulated": _text(measured.emulated.get(name, {}), measured.repetitions),
            "simulated": _text(simulated, measured.repetitions),
            "run": canonical_json(cell.run),
            **{fact: measured.facts.get(fact, "") for fact in FACTS},
        }


def _measured(rows: list[dict[str, str]]) -> Measured:
    head = rows[0]
    cell = RandomCell(name=head["cell"], run=json.loads(head["run"]))
    simulated = {row["quantity"]: _values(row["simulated"]) for row in rows}
    measured = Measured(cell=cell, simulated=simulated)
    emulated = {row["quantity"]: _values(row["emulated"]) for row in rows}
    if not any(emulated.values()):
        return measured
    return replace(measured, emulated=emulated, facts={fact: head[fact] for fact in FACTS})


def _by_cell(rows: Iterable[dict[str, str]]) -> dict[str, list[dict[str, str]]]:
    cells: dict[str, list[dict[str, str]]] = {}
    for row in rows:
        cells.setdefault(row["cell"], []).append(row)
    return cells


def _text(values: Values, repetitions: int) -> str:
    return " ".join(_word(values, repetition) for repetition in range(repetitions))


def _word(values: Values, repetition: int) -> str:
    if repetition not in values:
        return _NOT_YET
    value = values[repetition]
    return _NOTHING if value is None else repr(value)


def _values(text: str) -> Values:
    words = enumerate(text.split())
    return {n: None if word == _NOTHING else float(word) for n, word in words if word != _NOT_YET}
