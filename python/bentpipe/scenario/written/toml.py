"""Reading TOML files, with every way in which that fails named."""

import tomllib
from pathlib import Path
from typing import TypeAlias

from bentpipe.scenario.written.location import Location
from bentpipe.scenario.written.user_file import read_user_file, utf8_text

LARGEST_FILE_BYTES = 10_000_000

TomlTable: TypeAlias = dict[str, object]
"""A table as parsed; what its values are is known once a schema has been held against it."""


def read_toml(path: Path) -> TomlTable:
    """Return the content of a TOML file.

    Raises
    ------
    InputError
        When it is missing, unreadable, a folder, too large, not UTF-8 or not TOML.
    """
    where = Location(file=str(path))
    content = read_user_file(path, where, kind="TOML", largest_bytes=LARGEST_FILE_BYTES)
    return parse_toml(content, where)


def parse_toml(content: bytes, where: Location) -> TomlTable:
    """Return the table that TOML text holds; an InputError says where it is not TOML."""
    text = utf8_text(content, where)
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise where.error(expected="TOML", found="tables or lists nested too deeply") from None
    except ValueError as error:
        # A TOMLDecodeError names line and column; other ValueErrors come from numbers beyond Python's limits.
        raise where.error(expected="TOML", found=str(error)) from None
