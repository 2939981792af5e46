"""Writing tables as TOML: for people, who read dotted keys more easily than tables within tables."""

import json
import math
import re
from collections.abc import Mapping, Sequence

from bentpipe.scenario.written.dotted import flattened

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


def toml_text(table: Mapping[str, object]) -> str:
    """Return a table as TOML text that `tomllib` reads as an equal one.

    Scalars and lists of it come first, then each table under its name, with what is nested in it as dotted keys.
    A dot in a key parts it from the key below, as in a matrix.
    """
    heads = {key: value for key, value in table.items() if not _is_section(value)}
    parts = [_lines(heads)] if heads else []
    for key, value in table.items():
        if isinstance(value, Mapping) and value:
            parts.append(f"[{_key(key)}]\n{_lines(value)}")
        elif _is_section(value):
            assert isinstance(value, Sequence)
            parts += [f"[[{_key(key)}]]\n{_lines(each)}" for each in value]
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


def _is_section(value: object) -> bool:
    """Whether a value stands under a heading of its own."""
    if isinstance(value, Mapping):
        return bool(value)
    is_list = isinstance(value, list) and bool(value)
    return is_list and all(isinstance(each, Mapping) and each for each in value)


def _lines(table: Mapping[str, object]) -> str:
    return "".join(f"{_key(key)} = {toml_value(value)}\n" for key, value in flattened(table).items())


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
