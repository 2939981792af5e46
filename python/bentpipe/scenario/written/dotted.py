"""Dotted keys: setting one in a table as written, and telling whether one stands below another."""

from collections.abc import Mapping

from bentpipe.scenario.written.location import Location, quoted
from bentpipe.scenario.written.toml import TomlTable

REPLACED_SCALARS = {"link": "base", "pep": "kind"}
"""Keys whose text stands for a table with this one key."""
CHANGED_TABLES = ("pep",)
"""Of them those whose text changes the key of a table that is there, which keeps its other settings."""
DROPPED_SCALARS = ("jitter", "loss", "queue", "up", "down")
"""Keys whose scalar gives way when a key below it is set."""


def with_dotted(table: Mapping[str, object], key: str, value: object, where: Location) -> TomlTable:
    """Return a copy of `table` in which the dotted `key` has `value`.

    Raises
    ------
    InputError
        When a part of the key stands for something that is not a table.
    """
    head, _, rest = key.partition(".")
    if not head or key.endswith("."):
        raise where.error(expected='a key such as "tcp.initial_window"', found=quoted(key))
    below = table.get(head, {})
    if not rest and head in CHANGED_TABLES and isinstance(value, str) and isinstance(below, dict):
        return {**table, head: {**below, REPLACED_SCALARS[head]: value}}
    if not rest:
        return {**table, head: value}
    if isinstance(below, str) and head in REPLACED_SCALARS:
        below = {REPLACED_SCALARS[head]: below}
    elif not isinstance(below, dict) and head in DROPPED_SCALARS:
        below = {}
    if not isinstance(below, dict):
        raise where.error(expected=f"{head} to be a table so that {key} can be set", found=quoted(below))
    return {**table, head: with_dotted(below, rest, value, where)}


def is_at_or_below(key: str, other: str) -> bool:
    """Whether `key` is `other` or stands in its table."""
    return key == other or key.startswith(f"{other}.")


def flattened(table: Mapping[str, object]) -> TomlTable:
    """Return nested tables as one table of dotted keys; lists and scalars are the leaves."""
    flat: TomlTable = {}
    for key, value in table.items():
        if isinstance(value, dict) and value:
            flat |= {f"{key}.{rest}": leaf for rest, leaf in flattened(value).items()}
        else:
            flat[key] = value
    return flat
