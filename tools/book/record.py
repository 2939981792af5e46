"""The record of a run, from the classes that are generated from its schema."""

import inspect
import typing
from collections.abc import Iterator

from pydantic.fields import FieldInfo

from bentpipe.model.frozen import Frozen
from bentpipe.model.record import RunRecord
from bentpipe.model.spec import RunSpec
from bentpipe.stats.units import unit_of
from tools.book import attributes
from tools.book.markdown import table

INTRODUCTION = """# Record of a run

`bentpipe page --json` prints one, `bentpipe show DIR/RUN` one of a folder of results. Instants count from
the start of the workload unless the text says otherwise; names end in their unit. The JSON schema is
[run-record](run-record.schema.json), that of `spec` [run-spec](run-spec.schema.json).
"""


def page() -> str:
    """Return the page: each class of the record with its fields, units and meanings."""
    classes = dict.fromkeys(_classes(RunRecord))
    return "\n".join([INTRODUCTION, *map(_section, classes)])


def _classes(one: type[Frozen]) -> Iterator[type[Frozen]]:
    """Yield a class and those within it in the order of fields; the specification has a schema of its own."""
    yield one
    for field in one.model_fields.values():
        for below in _within(field.annotation):
            if below is not RunSpec:
                yield from _classes(below)


def _within(annotation: object) -> Iterator[type[Frozen]]:
    if isinstance(annotation, type) and issubclass(annotation, Frozen):
        yield annotation
    for part in typing.get_args(annotation):
        yield from _within(part)


def _section(one: type[Frozen]) -> str:
    texts = attributes.of_class(one)
    rows = [_row(name, field, texts.get(name, "")) for name, field in one.model_fields.items()]
    return f"## {one.__name__}\n\n{inspect.getdoc(one)}\n\n{table(['Field', 'Unit', 'Meaning'], rows)}"


def _row(name: str, field: FieldInfo, text: str) -> list[str]:
    within = list(_within(field.annotation))
    link = "".join(f" ([{one.__name__}](#{one.__name__.lower()}))" for one in within if one is not RunSpec)
    return [f"`{field.alias or name}`", _unit(name, field) or "", f"{text}{link}"]


def _unit(name: str, field: FieldInfo) -> str | None:
    """Return the unit of a number; the names of others end in no unit."""
    kinds = {float, int}
    is_number = field.annotation in kinds or bool(kinds & set(typing.get_args(field.annotation)))
    return unit_of(name) if is_number else None
