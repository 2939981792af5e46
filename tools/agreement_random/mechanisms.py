"""Why cells disagree: data/agreement/mechanisms.toml, by mechanism the cells that it was found in."""

from pathlib import Path

from pydantic import Field

from bentpipe.errors import InputError
from bentpipe.scenario.written.location import Location
from bentpipe.scenario.written.table import TABLES, Table, validated
from bentpipe.scenario.written.toml import read_toml
from tools.agreement.kept import FOLDER as DATA

FILE = DATA / "mechanisms.toml"


class Mechanism(Table):
    """What makes the engines differ, and where."""

    title: str = Field(description="a line of text")
    text: str = Field(description="how it comes about, and how it was found")
    cells: list[str] = Field(description='names of cells such as ["1-17"]')


class _MechanismsTable(Table):
    mechanism: list[Mechanism] = Field(default=[], description=TABLES)


def mechanisms(file: Path = FILE) -> tuple[Mechanism, ...]:
    """Return the mechanisms of a file in its order; none where there is no such file.

    Raises
    ------
    InputError
        Where it cannot be understood, or a cell stands under two of them.
    """
    if not file.is_file():
        return ()
    where = Location(file=str(file))
    found = validated(_MechanismsTable, read_toml(file), where).mechanism
    seen: set[str] = set()
    for number, mechanism in enumerate(found, start=1):
        for cell in mechanism.cells:
            if cell in seen:
                raise _twice(where.at(f"mechanism.{number}.cells"), cell)
            seen.add(cell)
    return tuple(found)


def _twice(where: Location, cell: str) -> InputError:
    return where.error(expected="each cell under one mechanism", found=f"{cell} twice")
