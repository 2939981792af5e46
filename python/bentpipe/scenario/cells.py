"""From combinations of a matrix to cells: [run], the matrix, variations and overrides, in this order."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bentpipe.errors import InputError
from bentpipe.scenario import resolve
from bentpipe.scenario.factors import factors_of
from bentpipe.scenario.model import Cell, canonical_json
from bentpipe.scenario.written.command_line import COMMAND_LINE, CommandLine
from bentpipe.scenario.written.dotted import is_at_or_below, with_dotted
from bentpipe.scenario.written.location import Location
from bentpipe.scenario.written.matrix import Block
from bentpipe.scenario.written.schema import RunTable
from bentpipe.scenario.written.table import validated
from bentpipe.scenario.written.toml import TomlTable
from bentpipe.scenario.written.variation import Variation

WORKLOADS = ("page", "bulk", "ping")


@dataclass(frozen=True, kw_only=True)
class Override:
    """One `--set KEY=VALUE`."""

    key: str
    value: object


@dataclass(frozen=True, kw_only=True)
class CellBuilder:
    """Makes the cells of a scenario.

    Attributes
    ----------
    run : mapping
        The table [run] as written.
    where, matrix_where : Location
        Places of the file and of its matrix.
    folder : Path
        Of the scenario's file.
    overrides : tuple of Override
        What `--set` says.
    variations : tuple of Variation
        What replaces settings in some cells.
    command_line : CommandLine
        The keys that it decides.
    workloads : frozenset of str
        Those that the scenario has cells of.
    """

    run: Mapping[str, object]
    where: Location
    matrix_where: Location
    folder: Path
    overrides: tuple[Override, ...]
    variations: tuple[Variation, ...]
    command_line: CommandLine
    workloads: frozenset[str]

    def without_overridden(self, block: Block) -> Block:
        """Return the block without the keys that an override decides."""
        decided = [
            key
            for key in block.values
            if any(is_at_or_below(key, override.key) for override in self.overrides)
        ]
        return block.without(decided)

    def cells(self, blocks: Iterable[Block]) -> tuple[Cell, ...]:
        """Return the cells of a matrix, each once.

        Raises
        ------
        InputError
            When one cannot be resolved, or different cells have the same factors.
        """
        combinations = [varied for block in blocks for varied in block.combinations()]
        distinct = _distinct(((varied, self._cell(varied, ())) for varied in combinations), self.matrix_where)
        return tuple(self._varied(varied, cell) for varied, cell in distinct)

    def _varied(self, combination: Mapping[str, object], cell: Cell) -> Cell:
        """Return the cell with the variations that are about it, under the factors that it has without."""
        about = tuple(variation for variation in self.variations if variation.is_about(cell.factors))
        if not about:
            return cell
        return Cell(factors=cell.factors, spec=self._cell(combination, about).spec)

    def _cell(self, combination: Mapping[str, object], variations: Sequence[Variation]) -> Cell:
        """Return the resolved cell of one combination; its errors name where the value was written."""
        run: TomlTable = dict(self.run)
        where = self.where.at("run")
        try:
            # Outer keys first: "link" before "link.forward.loss.ber".
            for key in sorted(combination, key=lambda key: key.count(".")):
                run = with_dotted(run, key, combination[key], self.command_line.place(key, self.matrix_where))
            for variation in variations:
                for key, value in variation.settings.items():
                    run = with_dotted(run, key, value, variation.place.at(key))
            for override in self.overrides:
                if not self._is_about(override, run):
                    continue
                place = Location(file=COMMAND_LINE, field=f"--set {override.key}")
                run = with_dotted(run, override.key, override.value, place)
            table = validated(RunTable, run, where)
            spec = resolve.resolve_run(table, where, folder=self.folder)
        except InputError as error:
            raise self._at_its_origin(error, combination, variations) from None
        return Cell(factors=factors_of(table, spec, combination, link=self._link_of(combination)), spec=spec)

    def _is_about(self, override: Override, run: Mapping[str, object]) -> bool:
        """Whether an override is about a cell: the settings of a workload are about the cells that have it.

        Of a scenario that has no such cell they are about all of them, which is refused there.
        """
        workload, own = override.key.partition(".")[0], workloads_of(run)
        return not own or workload in own or workload not in self.workloads

    def _link_of(self, combination: Mapping[str, object]) -> object:
        """Return the link as written, without the settings below it."""
        overriding = [override.value for override in self.overrides if override.key == "link"]
        return overriding[-1] if overriding else combination.get("link", self.run.get("link"))

    def _at_its_origin(
        self, error: InputError, combination: Mapping[str, object], variations: Sequence[Variation]
    ) -> InputError:
        """Return the error of a value of [run] under the key by which it came there."""
        key = error.field.removeprefix("run.")
        if error.file != self.where.file or key == error.field:
            return error
        is_varied = any(is_at_or_below(key, name) for name in combination)
        written = self.matrix_where if is_varied else self.where.at("run")
        for variation in variations:
            if any(is_at_or_below(key, name) for name in variation.settings):
                written = variation.place
        place = self.command_line.place(key, written)
        return error.at(file=place.file, field=place.field)


def workloads_of(keys: Iterable[str]) -> frozenset[str]:
    """Return the workloads that dotted keys of [run] belong to."""
    return frozenset(key.partition(".")[0] for key in keys) & frozenset(WORKLOADS)


def _distinct(
    cells: Iterable[tuple[Mapping[str, object], Cell]], where: Location
) -> list[tuple[Mapping[str, object], Cell]]:
    """Return each cell once: those with equal specifications share their measurements and their factors.

    Raises
    ------
    InputError
        When different cells have the same factors, for their runs would be taken for one cell's.
    """
    by_spec: dict[str, tuple[Mapping[str, object], Cell]] = {}
    for combination, cell in cells:
        key = canonical_json(cell.spec)
        first = by_spec.get(key)
        factors = cell.factors if first is None else {**cell.factors, **first[1].factors}
        by_spec[key] = (
            combination if first is None else first[0],
            Cell(factors=factors, spec=cell.spec),
        )
    seen: set[frozenset[tuple[str, str]]] = set()
    for _, cell in by_spec.values():
        name = frozenset(cell.factors.items())
        if name in seen:
            expected = "links and pages that differ to have names that differ"
            raise where.error(expected=expected, found=f"two cells called {' '.join(cell.factors.values())}")
        seen.add(name)
    return list(by_spec.values())
