"""What the head of a file of budgets and a budget say of [run] and [matrix], put together key by key."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Self

from bentpipe.check.budget_schema import MeasuredTable
from bentpipe.scenario.cells import WORKLOADS
from bentpipe.scenario.written.dotted import flattened, is_at_or_below, with_dotted
from bentpipe.scenario.written.location import Location
from bentpipe.scenario.written.matrix import parse_matrix
from bentpipe.scenario.written.toml import TomlTable

KEYS = ("page", "link", "http", "cc")
"""Keys of [run] that a budget may have itself: a value as in [run], a list as in [matrix]."""
OF_PAGES = ("page", "http")
"""Those of page loads: a budget with another workload does not take them from the head."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Dotted keys of [run]: those with a value, and those that vary.

    Attributes
    ----------
    run : mapping
        Each key with its value, or a table of some.
    blocks : sequence of mapping
        Tables of the matrix, each key with its values; one empty table where nothing varies.
    places : mapping of str to Location
        Of each key the table in which it stands, from where it is named.
    """

    run: Mapping[str, object]
    blocks: Sequence[Mapping[str, Sequence[object]]]
    places: Mapping[str, Location]

    @classmethod
    def of(cls, table: MeasuredTable, where: Location) -> Self:
        """Return what a head or a budget says itself.

        Raises
        ------
        InputError
            For a matrix that is none, and for a key that stands beside [run] or [matrix] and in it.
        """
        run = flattened(table.run or {})
        blocks = [block.values for block in parse_matrix(table.matrix, where.at("matrix"))]
        varied_below = {key for block in blocks for key in block}
        short = {key: value for key in KEYS if (value := getattr(table, key)) is not None}
        for key in short:
            for name, keys in (("run", run), ("matrix", varied_below)):
                if any(is_at_or_below(each, key) for each in keys):
                    expected = f"it once, here or in {where.at(name).field}"
                    raise where.at(key).error(expected=expected, found="both")
        varied = {key: value for key, value in short.items() if isinstance(value, list)}
        return cls(
            run={**run, **{key: value for key, value in short.items() if key not in varied}},
            blocks=[{**block, **varied} for block in blocks],
            places={
                **dict.fromkeys(run, where.at("run")),
                **dict.fromkeys(varied_below, where.at("matrix")),
                **dict.fromkeys(short, where),
            },
        )

    def under(self, upper: "Settings") -> "Settings":
        """Return these with those of `upper` in place of each that it says too.

        Settings of a workload stay away where `upper` has another one. A key that varies here and has a value
        there has that alone; tables of both matrices are combined, each with each. One of whose keys none is
        left stays as an empty one, a combination of its own.
        """
        kept = self._fitting(upper)
        run: TomlTable = {}
        for key, value in (*kept.run.items(), *upper.run.items()):
            run = with_dotted(run, key, value, {**kept.places, **upper.places}[key].at(key))
        return Settings(
            run=run,
            blocks=[
                {**_beneath(lower, upper.run, block), **block}
                for lower in kept.blocks
                for block in upper.blocks
            ],
            places={**kept.places, **upper.places},
        )

    def _fitting(self, upper: "Settings") -> "Settings":
        """Return these without what belongs to workloads that `upper` does not have, where it has one."""
        own = {name for key in upper.names() if (name := key.partition(".")[0]) in WORKLOADS}
        if not own:
            return self
        other = {*WORKLOADS} - own | (set() if "page" in own else {*OF_PAGES})

        def fits(key: str) -> bool:
            return key.partition(".")[0] not in other

        return Settings(
            run={key: value for key, value in self.run.items() if fits(key)},
            blocks=[{key: values for key, values in block.items() if fits(key)} for block in self.blocks],
            places={key: place for key, place in self.places.items() if fits(key)},
        )

    def names(self) -> Iterator[str]:
        """Yield every key."""
        yield from self.run
        for block in self.blocks:
            yield from block

    def table(self) -> TomlTable:
        """Return them as tables of a scenario."""
        if not any(self.blocks):
            return {"run": dict(self.run)}
        varied = [dict(block) or self._as_it_is() for block in self.blocks]
        return {"run": dict(self.run), "matrix": varied if len(varied) > 1 else varied[0]}

    def _as_it_is(self) -> TomlTable:
        """Return a table of the matrix for [run] itself: one beside others says a key, be it with its value.

        It was left empty by a budget that has decided all of its keys, so [run] is not.
        """
        key = next((key for key in KEYS if key in self.run), next(iter(self.run)))
        return {key: [self.run[key]]}

    def place(self, key: str) -> Location | None:
        """Return where a key, or a table of some, was written; None where none is near."""
        for written in reversed(list(self.places)):
            if is_at_or_below(key, written) or is_at_or_below(written, key):
                return self.places[written].at(key)
        return None


def _beneath(
    lower: Mapping[str, Sequence[object]], run: Mapping[str, object], block: Mapping[str, Sequence[object]]
) -> dict[str, Sequence[object]]:
    """Return what is left of a table of a matrix beneath other keys, with those of `run` that change it."""
    left = {
        key: values
        for key, values in lower.items()
        if not any(is_at_or_below(key, each) for each in (*run, *block))
    }
    changing = {key: [value] for key, value in run.items() if any(is_at_or_below(key, each) for each in left)}
    return {**left, **changing}
