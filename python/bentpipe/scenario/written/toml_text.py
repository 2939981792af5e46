"""Writing tables as TOML: for people, who read dotted keys more easily than tables within tables."""

import json
import math
import re
from collections.abc import Mapping, Sequence

from bentpipe.scenario.written.dotted import flattened, is_at_or_below

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


def toml_text(table: Mapping[str, object]) -> str:
    """Return a table as TOML text that `tomllib` reads as an equal one.

    Scalars and lists come first, then each table under its name, with what is nested in it as dotted keys.
    A dot in a key parts it from the key below, as in a matrix, but for `link` beside `link.forward.queue`:
    TOML has no value that is a table as well, so that the second is one key in quotes.
    """
    heads = {key: value for key, value in table.items() if not _sections(value)}
    parts = [_lines(heads)] if heads else []
    for key, value in table.items():
        heading = f"[[{_key(key)}]]" if isinstance(value, list) else f"[{_key(key)}]"
        parts += [f"{heading}\n{_lines(section)}" for section in _sections(value)]
    return "\n".join(parts)


def toml_value(value: object) -> str:
    """Return one value as TOML text, in one line."""
    match value:
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case float():
            return _float(value)
        case str():
            return _string(value)
        case Mapping():
            inner = ", ".join(f"{_key(key)} = {toml_value(each)}" for key, each in value.items())
            return f"{{ {inner} }}" if inner else "{}"
        case Sequence():
            return f"[{', '.join(map(toml_value, value))}]"
    raise TypeError(f"TOML has no {type(value).__name__}")


def _sections(value: object) -> list[Mapping[str, object]]:
    """Return the tables of a value that stand under a heading of their own; none of any other value."""
    values = value if isinstance(value, list) else [value]
    tables = [each for each in values if isinstance(each, Mapping) and each]
    return tables if len(tables) == len(values) else []


def _lines(table: Mapping[str, object]) -> str:
    flat = flattened(table)
    quoted = {key for key in flat for other in flat if key != other and is_at_or_below(key, other)}
    names = {key: _string(key) if key in quoted else _key(key) for key in flat}
    return "".join(f"{names[key]} = {toml_value(value)}\n" for key, value in flat.items())


def _key(dotted: str) -> str:
    return ".".join(key if _BARE_KEY.fullmatch(key) else _string(key) for key in dotted.split("."))


def _string(text: str) -> str:
    # JSON's escapes are TOML's, but for DEL, which TOML does not let stand as it is.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _float(value: float) -> str:
    if not math.isfinite(value):
        return "nan" if math.isnan(value) else ("inf" if value > 0 else "-inf")
    text = repr(value)
    # TOML wants a digit before and after the dot; Python writes 1e-07.
    return text if "." in text or "e" in text else f"{text}.0"
