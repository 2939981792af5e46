"""The matrix of a scenario: every combination of its lists."""

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from bentpipe.scenario.written.dotted import flattened
from bentpipe.scenario.written.location import Location, quoted
from bentpipe.scenario.written.toml import TomlTable

MOST_RUNS = 10_000_000
"""A plan beyond this is a slip of the pen: in virtual time, at 10 ms a run, it would take a day."""
MOST_CELLS = 100_000
"""Each is resolved before anything runs."""

EXPECTED = 'a table of lists such as { http = ["h2", "h3"] }, or a list of such tables'


@dataclass(frozen=True, kw_only=True)
class Block:
    """One table of the matrix: dotted keys of [run], each with its values."""

    values: Mapping[str, Sequence[object]]

    def __len__(self) -> int:
        """Return the number of combinations."""
        return math.prod(len(values) for values in self.values.values())

    def combinations(self) -> Iterator[TomlTable]:
        """Yield every combination, the last key varying fastest."""
        for combination in itertools.product(*self.values.values()):
            yield dict(zip(self.values, combination, strict=True))

    def without(self, dropped: Sequence[str]) -> "Block":
        """Return the block with some keys left out."""
        return Block(values={key: values for key, values in self.values.items() if key not in dropped})

    def crossed(self, varied: Mapping[str, Sequence[object]]) -> "Block":
        """Return the block with further keys, each with its values, in place of those that it has already."""
        return Block(values={**self.without(list(varied)).values, **varied})


def parse_matrix(written: object, where: Location) -> tuple[Block, ...]:
    """Return the blocks of a matrix; one that is not written is a single empty block.

    Raises
    ------
    InputError
        When it is not made of non-empty lists without repeated values.
    """
    if written is None:
        return (Block(values={}),)
    if isinstance(written, list) and written:
        return tuple(_block(table, where.at(str(n))) for n, table in enumerate(written, start=1))
    return (_block(written, where),)


def check_size(blocks: Sequence[Block], repetitions: int, where: Location) -> None:
    """Raise an InputError when the blocks make more cells or runs than anybody can mean."""
    cells = sum(len(block) for block in blocks)
    if cells > MOST_CELLS:
        raise where.error(expected=f"at most {MOST_CELLS} cells", found=f"{cells} cells")
    runs = repetitions * cells
    if runs > MOST_RUNS:
        raise where.error(expected=f"at most {MOST_RUNS} runs", found=f"{runs} runs")


def _block(written: object, where: Location) -> Block:
    if not isinstance(written, dict) or not written:
        raise where.error(expected=EXPECTED, found=quoted(written))
    values: dict[str, Sequence[object]] = {}
    for key, candidates in flattened(written).items():
        place = where.at(key)
        if not isinstance(candidates, list):
            raise place.error(expected="a list of values", found=quoted(candidates))
        if not candidates:
            raise place.error(expected="at least one value", found="an empty list")
        for n, value in enumerate(candidates):
            # A list of Python's would take 1, 1.0 and true for the same.
            if any(type(value) is type(other) and value == other for other in candidates[:n]):
                raise place.error(expected="each value once", found=f"{quoted(value)} twice")
        values[key] = candidates
    return Block(values=values)
