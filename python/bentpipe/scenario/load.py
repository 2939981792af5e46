"""From a scenario file to a resolved scenario: parse, complete by the matrix, resolve."""

import re
import tomllib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from types import MappingProxyType

from bentpipe.errors import InputError
from bentpipe.scenario import defaults
from bentpipe.scenario.cells import CellBuilder, Override, workloads_of
from bentpipe.scenario.model import Scenario
from bentpipe.scenario.written.command_line import COMMAND_LINE, CommandLine
from bentpipe.scenario.written.location import Location, closest, quoted
from bentpipe.scenario.written.matrix import check_size, parse_matrix
from bentpipe.scenario.written.quantity import count
from bentpipe.scenario.written.schema import RunTable, ScenarioTable
from bentpipe.scenario.written.table import keys, validated
from bentpipe.scenario.written.toml import read_toml
from bentpipe.scenario.written.variation import Variation

MOST_REPETITIONS = 1_000_000
LARGEST_SEED = 2**53 - 1
"""The largest integer that every reader of JSON keeps."""
SCENARIO_KEYS = ("name", "title", "description", "repetitions", "seed")


class Extent(Enum):
    """How much of a scenario is wanted."""

    FULL = "full"
    QUICK = "quick"
    """What its [quick] table says; without one, a single repetition."""


class Clock(Enum):
    """The time in which runs pass."""

    REAL = "real"
    VIRTUAL = "virtual"
    """What the scenario's [simulate] table says holds too."""


@dataclass(frozen=True, kw_only=True)
class WrittenScenario:
    """A scenario as its author wrote it, in a file or elsewhere.

    Attributes
    ----------
    table : mapping
        Its keys, as TOML has them.
    file : str
        What errors call the place.
    folder : Path
        From which paths in it count.
    default_name : str
        Its name where it gives none.
    """

    table: Mapping[str, object]
    file: str
    folder: Path
    default_name: str


def read_scenario(path: Path | str) -> WrittenScenario:
    """Return the scenario of a file as written; raises InputError where that is no TOML."""
    path = Path(path)
    return WrittenScenario(table=read_toml(path), file=str(path), folder=path.parent, default_name=path.stem)


def load(
    scenario: WrittenScenario | Path | str,
    *,
    overrides: Sequence[str] = (),
    varied: Mapping[str, Sequence[object]] = MappingProxyType({}),
    variations: Sequence[Variation] = (),
    extent: Extent = Extent.FULL,
    clock: Clock = Clock.REAL,
) -> Scenario:
    """Return the resolved scenario of a file, or of what was written elsewhere.

    Parameters
    ----------
    scenario : WrittenScenario or Path
        As written, or the TOML file.
    overrides : sequence of str
        `KEY=VALUE` with dotted keys of [run], or repetitions, seed, name, title or description.
    varied : mapping of str to values
        Keys of [run] that every cell is measured with besides, once with each of their values; for errors the
        options of the command line of these names. No override is about one of them.
    variations : sequence of Variation
        Settings that replace the file's in some of its cells; an override still holds over them.
    extent : Extent
        The whole of it, or its quick version.
    clock : Clock
        The engine's: in virtual time a scenario may ask for more repetitions.

    Raises
    ------
    InputError
        For everything in it that cannot be used; nothing has been run then.
    """
    written = scenario if isinstance(scenario, WrittenScenario) else read_scenario(scenario)
    return resolve_document(
        written.table,
        file=written.file,
        folder=written.folder,
        default_name=written.default_name,
        overrides=[parse_override(text) for text in overrides],
        varied=varied,
        variations=variations,
        extent=extent,
        clock=clock,
    )


def resolve_document(
    document: Mapping[str, object],
    *,
    file: str,
    folder: Path,
    default_name: str,
    overrides: Sequence[Override] = (),
    varied: Mapping[str, Sequence[object]] = MappingProxyType({}),
    variations: Sequence[Variation] = (),
    extent: Extent = Extent.FULL,
    clock: Clock = Clock.REAL,
) -> Scenario:
    """Return the resolved scenario of a table as written; `file` names it in errors."""
    where = Location(file=file)
    _check_decided_once(overrides, varied)
    for override in overrides:
        if override.key in SCENARIO_KEYS:
            document = {**document, override.key: override.value}
    overridden = {override.key for override in overrides}
    command_line = CommandLine(overridden=overridden, options=varied.keys())
    try:
        table = validated(ScenarioTable, document, where)
    except InputError as error:
        place = command_line.place(error.field, where)
        raise error.at(file=place.file, field=place.field) from None
    matrix, repetitions, place = table.matrix, table.repetitions, where.at("matrix")
    repetitions_place = command_line.place("repetitions", where)
    if extent is Extent.QUICK:
        quick = table.quick
        if "repetitions" not in overridden:
            written = None if quick is None else quick.repetitions
            repetitions = defaults.QUICK_REPETITIONS if written is None else written
        if quick is not None and quick.matrix is not None:
            matrix, place = quick.matrix, where.at("quick.matrix")
    elif clock is Clock.VIRTUAL and "repetitions" not in overridden:
        in_virtual_time = None if table.simulate is None else table.simulate.repetitions
        if in_virtual_time is not None:
            repetitions, repetitions_place = in_virtual_time, where.at("simulate.repetitions")
    repetitions = defaults.REPETITIONS if repetitions is None else repetitions
    repetitions = count(repetitions, repetitions_place, least=1, most=MOST_REPETITIONS)
    seed = defaults.SEED if table.seed is None else table.seed
    name = _checked_name(
        default_name if table.name is None else table.name, command_line.place("name", where)
    )
    written_blocks = [block.crossed(varied) for block in parse_matrix(matrix, place)]
    builder = CellBuilder(
        run=table.run or {},
        where=where,
        matrix_where=place,
        folder=folder,
        overrides=tuple(o for o in overrides if o.key not in SCENARIO_KEYS),
        variations=tuple(variations),
        command_line=command_line,
        workloads=workloads_of(
            [*(table.run or {}), *(key for block in written_blocks for key in block.values)]
        ),
    )
    blocks = [builder.without_overridden(block) for block in written_blocks]
    check_size(blocks, repetitions, place)
    return Scenario(
        name=name,
        title=table.title or name,
        description=table.description or "",
        repetitions=repetitions,
        seed=count(seed, command_line.place("seed", where), least=0, most=LARGEST_SEED),
        cells=builder.cells(blocks),
    )


def parse_override(text: str) -> Override:
    """Return the override that `KEY=VALUE` stands for; the value is TOML, or else plain text."""
    key, separator, value = text.partition("=")
    key = key.strip().removeprefix("run.")
    if not separator or not re.fullmatch(r"[A-Za-z0-9_]+(\.[A-Za-z0-9_]+)*", key):
        raise InputError(
            file=COMMAND_LINE,
            field="--set",
            expected="KEY=VALUE such as tcp.initial_window=10",
            found=quoted(text),
        )
    head = key.partition(".")[0]
    known = (*keys(RunTable), *SCENARIO_KEYS)
    if head not in known:
        raise InputError(
            file=COMMAND_LINE,
            field=f"--set {key}",
            expected=f"a key that starts with one of {', '.join(known)}",
            found=f"the unknown key {quoted(head)}",
            suggestion=closest(head, known),
        )
    try:
        return Override(key=key, value=tomllib.loads(f"value = {value}")["value"])
    except (ValueError, RecursionError):
        return Override(key=key, value=value.strip())


def _check_decided_once(overrides: Iterable[Override], varied: Collection[str]) -> None:
    """Refuse what both `--set` and an option of the command line give."""
    for override in overrides:
        if override.key in varied:
            raise InputError(
                file=COMMAND_LINE,
                field=f"--set {override.key}",
                expected=f"nothing beside --{override.key}",
                found=quoted(override.value),
            )


def _checked_name(name: str, where: Location) -> str:
    """Return a name that can be a folder's."""
    if re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}", name):
        return name
    expected = "at most 100 letters, digits, dots, dashes and underscores, not starting with a dot or dash"
    raise where.error(expected=expected, found=quoted(name))
