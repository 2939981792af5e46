"""From a scenario file to a resolved scenario: parse, complete by the matrix, resolve."""

import re
import tomllib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from types import MappingProxyType

from bentpipe.errors import InputError
from bentpipe.scenario import defaults, resolve
from bentpipe.scenario.factors import factors_of
from bentpipe.scenario.model import Cell, Scenario, canonical_json
from bentpipe.scenario.written.command_line import COMMAND_LINE, CommandLine
from bentpipe.scenario.written.dotted import is_at_or_below, with_dotted
from bentpipe.scenario.written.location import Location, closest, quoted
from bentpipe.scenario.written.matrix import Block, check_size, parse_matrix
from bentpipe.scenario.written.quantity import count
from bentpipe.scenario.written.schema import RunTable, ScenarioTable
from bentpipe.scenario.written.table import keys, validated
from bentpipe.scenario.written.toml import TomlTable, read_toml

MOST_REPETITIONS = 10_000
LARGEST_SEED = 2**53 - 1
"""The largest integer that every reader of JSON keeps."""
WORKLOADS = ("page", "bulk", "ping")
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
class Override:
    """One `--set KEY=VALUE`."""

    key: str
    value: object


def load(
    path: Path | str,
    *,
    overrides: Sequence[str] = (),
    varied: Mapping[str, Sequence[object]] = MappingProxyType({}),
    extent: Extent = Extent.FULL,
    clock: Clock = Clock.REAL,
) -> Scenario:
    """Return the resolved scenario of a file.

    Parameters
    ----------
    path : Path
        The TOML file.
    overrides : sequence of str
        `KEY=VALUE` with dotted keys of [run], or repetitions, seed, name, title or description.
    varied : mapping of str to values
        Keys of [run] that every cell is measured with besides, once with each of their values; for errors the
        options of the command line of these names. No override is about one of them.
    extent : Extent
        The whole of it, or its quick version.
    clock : Clock
        The engine's: in virtual time a scenario may ask for more repetitions.

    Raises
    ------
    InputError
        For everything in it that cannot be used; nothing has been run then.
    """
    path = Path(path)
    document = read_toml(path)
    return resolve_document(
        document,
        file=str(path),
        folder=path.parent,
        default_name=path.stem,
        overrides=[parse_override(text) for text in overrides],
        varied=varied,
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
    table = validated(ScenarioTable, document, where)
    matrix, repetitions, place = table.matrix, table.repetitions, where.at("matrix")
    repetitions_place = where.at("repetitions")
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
    name = _checked_name(default_name if table.name is None else table.name, where.at("name"))
    written_blocks = [block.crossed(varied) for block in parse_matrix(matrix, place)]
    builder = _Builder(
        run=table.run or {},
        where=where,
        matrix_where=place,
        folder=folder,
        overrides=tuple(o for o in overrides if o.key not in SCENARIO_KEYS),
        command_line=CommandLine(overridden=overridden, options=varied.keys()),
        workloads=_workloads(
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
        seed=count(seed, where.at("seed"), least=0, most=LARGEST_SEED),
        cells=_distinct((builder.cell(varied) for block in blocks for varied in block.combinations()), place),
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


@dataclass(frozen=True, kw_only=True)
class _Builder:
    """Makes cells of [run], a combination of the matrix, and the overrides, in this order."""

    run: Mapping[str, object]
    where: Location
    matrix_where: Location
    folder: Path
    overrides: tuple[Override, ...]
    command_line: CommandLine
    workloads: frozenset[str]
    """Those that the scenario has cells of."""

    def without_overridden(self, block: Block) -> Block:
        """Return the block without the keys that an override decides."""
        decided = [
            key
            for key in block.values
            if any(is_at_or_below(key, override.key) for override in self.overrides)
        ]
        return block.without(decided)

    def cell(self, varied: Mapping[str, object]) -> Cell:
        """Return the resolved cell of one combination; its errors name where the value was written."""
        run: TomlTable = dict(self.run)
        where = self.where.at("run")
        try:
            # Outer keys first: "link" before "link.forward.loss.ber".
            for key in sorted(varied, key=lambda key: key.count(".")):
                run = with_dotted(run, key, varied[key], self.command_line.place(key, self.matrix_where))
            for override in self.overrides:
                if not self._is_about(override, run):
                    continue
                place = Location(file=COMMAND_LINE, field=f"--set {override.key}")
                run = with_dotted(run, override.key, override.value, place)
            table = validated(RunTable, run, where)
            spec = resolve.resolve_run(table, where, folder=self.folder)
        except InputError as error:
            raise self._at_its_origin(error, varied) from None
        return Cell(factors=factors_of(table, spec, varied, link=self._link_of(varied)), spec=spec)

    def _is_about(self, override: Override, run: Mapping[str, object]) -> bool:
        """Whether an override is about a cell: the settings of a workload are about the cells that have it.

        Of a scenario that has no such cell they are about all of them, which is refused there.
        """
        workload, own = override.key.partition(".")[0], _workloads(run)
        return not own or workload in own or workload not in self.workloads

    def _link_of(self, varied: Mapping[str, object]) -> object:
        """Return the link as written, without the settings below it."""
        overriding = [override.value for override in self.overrides if override.key == "link"]
        return overriding[-1] if overriding else varied.get("link", self.run.get("link"))

    def _at_its_origin(self, error: InputError, varied: Mapping[str, object]) -> InputError:
        """Return the error of a value of [run] under the key by which it came there."""
        key = error.field.removeprefix("run.")
        if error.file != self.where.file or key == error.field:
            return error
        is_varied = any(is_at_or_below(key, name) for name in varied)
        place = self.command_line.place(key, self.matrix_where if is_varied else self.where.at("run"))
        return error.at(file=place.file, field=place.field)


def _workloads(keys: Iterable[str]) -> frozenset[str]:
    """Return the workloads that dotted keys of [run] belong to."""
    return frozenset(key.partition(".")[0] for key in keys) & frozenset(WORKLOADS)


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


def _distinct(cells: Iterable[Cell], where: Location) -> tuple[Cell, ...]:
    """Return each cell once: those with equal specifications share their measurements and their factors.

    Raises
    ------
    InputError
        When different cells have the same factors, for their runs would be taken for one cell's.
    """
    by_spec: dict[str, Cell] = {}
    for cell in cells:
        key = canonical_json(cell.spec)
        first = by_spec.get(key)
        factors = cell.factors if first is None else {**cell.factors, **first.factors}
        by_spec[key] = Cell(factors=factors, spec=cell.spec)
    distinct = tuple(by_spec.values())
    seen: set[frozenset[tuple[str, str]]] = set()
    for cell in distinct:
        name = frozenset(cell.factors.items())
        if name in seen:
            expected = "links and pages that differ to have names that differ"
            raise where.error(expected=expected, found=f"two cells called {' '.join(cell.factors.values())}")
        seen.add(name)
    return distinct
