"""From keywords to the table of a scenario: values of Python become TOML's, lists become its matrix."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from pathlib import PurePath
from typing import Final

import numpy as np

from bentpipe.scenario.written.dotted import CHANGED_TABLES, REPLACED_SCALARS, is_at_or_below, with_dotted
from bentpipe.scenario.written.location import Location, closest
from bentpipe.scenario.written.matrix import Block, parse_matrix
from bentpipe.scenario.written.schema import RunTable, ScenarioTable
from bentpipe.scenario.written.table import keys, list_depth
from bentpipe.scenario.written.toml import TomlTable

OUTSIDE_RUN = tuple(key for key in keys(ScenarioTable) if key != "run")
"""Keys of a scenario; all others are those of its table [run]."""


class _Nothing:
    """No value; None is one that takes a key away."""


_NOTHING: Final = _Nothing()


def composed(table: Mapping[str, object], settings: Mapping[str, object], where: Location) -> TomlTable:
    """Return a scenario's table with settings in place of what it says of their keys.

    A key replaces all that stands below it: `tcp` the whole table, `tcp.initial_window` one key of it. A list
    varies, unless a list is what the key holds; of such a key a list of lists does. None takes the key away.

    Parameters
    ----------
    table : mapping
        The scenario as written; it is not changed.
    settings : mapping
        By keys, which may be dotted.
    where : Location
        What errors name.

    Raises
    ------
    InputError
        For a key that there is not, and for a value that TOML has not.
    """
    made: TomlTable = dict(table)
    # Outer keys first, "link" before "link.forward.loss.p", and the matrix before what is added to it.
    for key in sorted(settings, key=lambda key: (_head(key) not in OUTSIDE_RUN, key.count("."))):
        made = _with_setting(made, key, plain(settings[key], where.at(key)), where)
    return made


def _with_setting(table: TomlTable, key: str, value: object, where: Location) -> TomlTable:
    if _head(key) in OUTSIDE_RUN:
        rest = _without_key(table, key)
        return rest if value is None else with_dotted(rest, key, value, where.at(key))
    known = keys(RunTable)
    if _head(key) not in known:
        names = (*known, *OUTSIDE_RUN)
        expected = f"a key that starts with one of {', '.join(names)}"
        raise where.at(key).error(
            expected=expected, found="an unknown key", suggestion=closest(_head(key), names)
        )
    run = _table(table.get("run"))
    blocks = parse_matrix(table.get("matrix"), where.at("matrix"))
    fixed, varied = _parted(key, value)
    blocks = tuple(_without(block, key) for block in blocks)
    run = _without_key(run, key)
    if fixed is not None and not isinstance(fixed, _Nothing):
        if _decides_a_block(blocks, key):
            varied = {key: [fixed], **varied}
        else:
            run = with_dotted(run, key, fixed, where.at(key))
    blocks = tuple(Block(values={**block.values, **varied}) for block in blocks)
    rest = {name: each for name, each in table.items() if name not in ("run", "matrix")}
    return {**rest, "run": run, **_matrix(blocks)}


def plain(value: object, where: Location) -> object:
    """Return a value as a file of TOML would have it."""
    match value:
        case None | bool() | int():
            return value
        case str():
            return str(value)
        case np.generic() | np.ndarray():
            return plain(value.tolist(), where)
        case float():
            return float(value)
        case timedelta():
            return _duration(value)
        case PurePath():
            return str(value)
        case Mapping():
            table: TomlTable = {}
            for key, each in value.items():
                if each is not None:
                    table = with_dotted(table, str(key), plain(each, where.at(str(key))), where)
            return table
        case Iterable() if not isinstance(value, bytes | set | frozenset):
            return [plain(each, where) for each in value]
    raise where.error(
        expected="a number, a text, true or false, a duration, a path, a list or a dictionary",
        found=f"a value of type {type(value).__name__}",
    )


def _duration(value: timedelta) -> str:
    """Write a duration by the largest unit of which it is a whole number."""
    microseconds = value // timedelta(microseconds=1)
    for unit, length in (("s", 1_000_000), ("ms", 1_000)):
        if microseconds % length == 0:
            return f"{microseconds // length} {unit}"
    return f"{microseconds} us"


def _parted(key: str, value: object) -> tuple[object, dict[str, Sequence[object]]]:
    """Return what of a value holds for all cells, and by dotted keys what varies."""
    if isinstance(value, list):
        is_varied = _depth(value) > list_depth(RunTable, key)
        return (_NOTHING, {key: value}) if is_varied else (value, {})
    if not isinstance(value, dict):
        return value, {}
    fixed: TomlTable = {}
    varied: dict[str, Sequence[object]] = {}
    for name, each in value.items():
        own, further = _parted(f"{key}.{name}", each)
        if not isinstance(own, _Nothing):
            fixed[name] = own
        varied |= further
    kind = REPLACED_SCALARS.get(key)
    if kind is not None and list(fixed) == [kind]:
        # A link that is a preset and no more is called by the preset's name.
        return fixed[kind], varied
    if key in CHANGED_TABLES:
        varied = {key if name == f"{key}.{kind}" else name: values for name, values in varied.items()}
    return (fixed if fixed or not varied else _NOTHING), varied


def _depth(value: object) -> int:
    """Return how deep lists stand within lists."""
    if not isinstance(value, list):
        return 0
    return 1 + min(map(_depth, value), default=0)


def _decides_a_block(blocks: Sequence[Block], key: str) -> bool:
    """Whether a value has to stand in the matrix to hold.

    So it does below a key that the matrix replaces, and where there are several tables, of which one may have
    the key.
    """
    is_below = any(is_at_or_below(key, other) for block in blocks for other in block.values)
    return is_below or len(blocks) > 1


def _without(block: Block, key: str) -> Block:
    return block.without([other for other in block.values if is_at_or_below(other, key)])


def _without_key(table: Mapping[str, object], key: str) -> TomlTable:
    """Return a table without a dotted key."""
    head, _, rest = key.partition(".")
    below = table.get(head)
    if rest and isinstance(below, dict):
        return {**table, head: _without_key(below, rest)}
    return {name: each for name, each in table.items() if rest or name != head}


def _matrix(blocks: Sequence[Block]) -> TomlTable:
    """Return the key `matrix` of blocks; none where nothing varies."""
    tables = [dict(block.values) for block in blocks]
    if not any(tables):
        return {}
    return {"matrix": tables[0] if len(tables) == 1 else tables}


def _table(value: object) -> TomlTable:
    return dict(value) if isinstance(value, dict) else {}


def _head(key: str) -> str:
    return key.partition(".")[0]
