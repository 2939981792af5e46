"""Every key of a scenario: form, meaning and default, with the reason of the default."""

import re
from collections.abc import Iterator

from bentpipe.scenario import defaults
from bentpipe.scenario.written.link_schema import LinkTable
from bentpipe.scenario.written.schema import RunTable, ScenarioTable
from bentpipe.scenario.written.table import Table, holds_by_name, keys, list_depth, subtable
from tools.book import attributes
from tools.book.markdown import slug, table

INTRODUCTION = """# Scenario keys

Generated from `python/bentpipe/scenario/written` and, for the defaults with their reasons,
`python/bentpipe/scenario/defaults.py`. [Scenarios](../guide/scenarios.md) shows how they are used. A list of
tables is written `[]` here: `flows[].cc` is the `cc` of one of them.
"""
CONSTANT = re.compile(r"\{([A-Z0-9_]+)\}")
NAMED = "*"
"""Stands for names that authors give, such as those of mixes."""


def page() -> str:
    """Return the page: the file, a run, and a link, each with the tables within."""
    seen: dict[type[Table], str] = {LinkTable: "A link"}
    sections = [
        *_sections("The file", "", ScenarioTable, seen),
        *_sections("A run", "", RunTable, seen),
        *_sections("A link", "link", LinkTable, seen),
    ]
    return "\n".join([INTRODUCTION, *sections])


def meaning(schema: type[Table], key: str) -> str:
    """Return what a key means, without its default.

    Raises
    ------
    KeyError
        A key without a text: it has to be written below the key in the schema.
    """
    return _parts(schema, key)[0]


def default(schema: type[Table], key: str) -> str:
    """Return the default, with its reason where it is a constant of `defaults`; empty without one."""
    return CONSTANT.sub(_constant, _parts(schema, key)[1])


def _parts(schema: type[Table], key: str) -> tuple[str, str]:
    name = next(name for name, field in schema.model_fields.items() if (field.alias or name) == key)
    words = attributes.of_class(schema)[name].split()
    text, _, default_ = " ".join(words).partition("Default: ")
    return text.strip(), default_.removesuffix(".")


def _constant(match: re.Match[str]) -> str:
    value = getattr(defaults, match[1])
    shown = str(value).lower() if isinstance(value, bool) else str(value)
    return f"`{shown}`. {attributes.of_module(defaults).get(match[1], '').rstrip('.')}"


def _sections(title: str, prefix: str, schema: type[Table], seen: dict[type[Table], str]) -> Iterator[str]:
    """Yield a section for a table and those within it; what is there already is named where it stands."""
    rows: list[list[str]] = []
    below: list[tuple[str, type[Table]]] = []
    for key, field in keys(schema).items():
        path = f"{prefix}.{key}" if prefix else key
        within = subtable(field)
        told = meaning(schema, key)
        if within is not None and within in seen:
            told = f"{told} Keys: [{seen[within]}](#{slug(seen[within])})."
        elif within is not None:
            place = path + _step(schema, key)
            seen[within] = f"`{place}`"
            below.append((place, within))
            told = f"{told} Keys: [`{place}`](#{slug(place)})."
        rows.append([f"`{path}`", field.description or "", told, default(schema, key)])
    yield f"## {title}\n\n{schema.__doc__}\n\n{table(['Key', 'Value', 'Meaning', 'Default'], rows)}"
    for place, within in below:
        yield from _sections(f"`{place}`", place, within, seen)


def _step(schema: type[Table], key: str) -> str:
    if holds_by_name(keys(schema)[key].annotation):
        return f".{NAMED}"
    return "[]" if list_depth(schema, key) else ""
