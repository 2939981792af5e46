"""Tables of a scenario as written: known keys, their types, and where a fault stands."""

from typing import ClassVar, TypeVar, get_args, get_origin

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError
from pydantic.fields import FieldInfo

from bentpipe.errors import InputError
from bentpipe.scenario.written.location import Location, closest, quoted

A_TABLE = "a table"
TABLES = "a list of tables"
COUNT = "a whole number"
RATE = 'a rate such as "10 Mbit/s"'
DURATION = 'a duration such as "250 ms"'
SIZE = 'a size such as "36 MB"'
TRUE_OR_FALSE = "true or false"
QUEUE = 'a queue such as "1 BDP", "100 packets", "36 MB" or "200 ms"'
PROBABILITY = 'a fraction such as 0.01 or "1 %"'
DSCP = 'a code point such as "EF", "AF41", "CS1" or a number from 0 to 63'


def named(key: str) -> BeforeValidator:
    """Accept text where a table is expected, as the table's one key."""
    return BeforeValidator(lambda value: {key: value} if isinstance(value, str) else value)


class Table(BaseModel):
    """A TOML table of which every key is known."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        frozen=True,
        populate_by_name=False,
        # Most tables are read as parts of others alone.
        defer_build=True,
    )

    hint_at_lists: ClassVar[str] = ""
    """What its author may have meant by a list where one value is expected."""

    def written(self) -> tuple[str, ...]:
        """Return the keys that are written, in the schema's order."""
        return tuple(key for key, value in self if value is not None)


_MISSING = "missing"
"""Of pydantic, for a key that has to be there."""

AnyTable = TypeVar("AnyTable", bound=Table)
Value = TypeVar("Value")


def or_default(written: Value | None, default: Value) -> Value:
    """Return what is written, or else the default."""
    return default if written is None else written


def refuse(table: Table, names: tuple[str, ...], where: Location, *, why: str) -> None:
    """Raise an InputError when one of these keys is written."""
    values = dict(table)
    for name in names:
        if values[name] is not None:
            place, found = first_written(values[name], where.at(name))
            raise place.error(expected=f"nothing, as {why}", found=quoted_part(found))


def first_written(value: object, where: Location) -> tuple[Location, object]:
    """Return where a value stands, and the value: of a table the first key that is written in it.

    A key of a table may be written on the command line or in a matrix, the table itself nowhere.
    """
    while isinstance(value, Table) and value.written():
        name = value.written()[0]
        where, value = where.at(type(value).model_fields[name].alias or name), getattr(value, name)
    return where, value


def quoted_part(value: object) -> str:
    """Write a value of a table as its author would recognise it."""
    return "a table" if isinstance(value, Table) else quoted(value)


def validated(schema: type[AnyTable], written: object, where: Location) -> AnyTable:
    """Return what is written as a table of the schema; the first fault becomes an InputError."""
    try:
        return schema.model_validate(written)
    except ValidationError as error:
        faults = error.errors(include_url=False, include_context=False)
        # A key that is not there may be one that is misspelt, which says more.
        fault = min(faults, key=lambda fault: fault["type"] == _MISSING)
        raise _input_error(schema, fault["type"], fault["loc"], fault["input"], where) from None


def keys(schema: type[Table]) -> dict[str, FieldInfo]:
    """Return the keys of a table as written, with what each expects."""
    return {field.alias or name: field for name, field in schema.model_fields.items()}


def subtable(field: FieldInfo) -> type[Table] | None:
    """Return the schema of the table that a key holds, or of those that it holds several of, if any."""
    return _table_within(field.annotation)


def list_depth(schema: type[Table], key: str) -> int:
    """Return how deep the lists are that one value of a dotted key consists of; 0 of no list or no key."""
    here: type[Table] | None = schema
    annotation: object = None
    is_name = False
    for step in key.split("."):
        if is_name:
            is_name, annotation = False, None
            continue
        if here is None or step not in keys(here):
            return 0
        field = keys(here)[step]
        annotation = field.annotation
        here, is_name = subtable(field), holds_by_name(annotation)
    return _depth_within(annotation)


def holds_by_name(annotation: object) -> bool:
    """Whether a key holds tables by names that their author gives."""
    return get_origin(annotation) is dict or any(map(holds_by_name, get_args(annotation)))


def _table_within(annotation: object) -> type[Table] | None:
    if isinstance(annotation, type) and issubclass(annotation, Table):
        return annotation
    return next(filter(None, map(_table_within, get_args(annotation))), None)


def _depth_within(annotation: object) -> int:
    own = 1 if get_origin(annotation) is list else 0
    return own + max(map(_depth_within, get_args(annotation)), default=0)


def _input_error(
    schema: type[Table], kind: str, path: tuple[int | str, ...], found: object, where: Location
) -> InputError:
    here: type[Table] | None = schema
    expected = A_TABLE
    is_name = False
    for step in path:
        if isinstance(step, int):
            where = where.at(str(step + 1))
            continue
        if here is None:
            break
        where = where.at(step)
        if is_name:
            expected, is_name = A_TABLE, False
            continue
        fields = keys(here)
        if step not in fields:
            assert kind == "extra_forbidden"
            expected = f"one of {', '.join(sorted(fields))}"
            found = f"the unknown key {quoted(step)}"
            return where.error(expected=expected, found=found, suggestion=closest(step, fields))
        field = fields[step]
        expected = field.description or A_TABLE
        here, is_name = subtable(field), holds_by_name(field.annotation)
    hint = schema.hint_at_lists if isinstance(found, list) else ""
    return where.error(expected=expected, found="nothing" if kind == _MISSING else f"{quoted(found)}{hint}")
