"""The shapes of what is resolved are those that Rust's schema of a run's specification has."""

import json
import types
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints, is_typeddict

from bentpipe import _core
from bentpipe.scenario.spec.run import RunSpec

SCHEMA = json.loads(_core.run_spec_schema())
SCALARS = {"integer": int, "number": float, "string": str, "boolean": bool}


def test_specifications_have_the_keys_and_types_that_rust_reads() -> None:
    root = {
        **SCHEMA,
        "properties": {key: value for key, value in SCHEMA["properties"].items() if key != "seed"},
    }
    assert list(differences(RunSpec, root, "")) == []


def differences(shape: Any, schema: dict[str, Any], place: str) -> list[str]:
    schema = resolved(schema)
    if is_typeddict(shape):
        return table_differences(shape, schema, place)
    if get_origin(shape) is list:
        return differences(get_args(shape)[0], schema["items"], f"{place}[]")
    variants = [resolved(variant) for variant in schema.get("oneOf", [schema])]
    if get_origin(shape) in (Union, types.UnionType):
        members = [member for member in get_args(shape) if member is not type(None)]
        if len(members) == 1:
            return differences(members[0], schema, place)
        of_kind = {kind: member for member in members for kind in kinds(member)}
        expected = {variant["properties"]["kind"]["const"]: variant for variant in variants}
        if of_kind.keys() != expected.keys():
            return [f"{place}: {sorted(of_kind)} for {sorted(expected)}"]
        return [
            found
            for kind, variant in expected.items()
            for found in differences(of_kind[kind], variant, f"{place}<{kind}>")
        ]
    if get_origin(shape) is Literal:
        names = {name for each in variants for name in each.get("enum", [each.get("const")])}
        is_kind = place.endswith(".kind") and names <= set(get_args(shape))
        return [] if is_kind or names == set(get_args(shape)) else [f"{place}: {get_args(shape)} for {names}"]
    scalar = schema["type"] if isinstance(schema["type"], str) else schema["type"][0]
    return [] if SCALARS[scalar] is shape else [f"{place}: {shape} for {scalar}"]


def table_differences(shape: Any, schema: dict[str, Any], place: str) -> list[str]:
    hints, properties = get_type_hints(shape), schema["properties"]
    if hints.keys() != properties.keys():
        return [f"{place}: {sorted(hints.keys() ^ properties.keys())}"]
    missing = set(schema["required"]) & properties.keys() - shape.__required_keys__
    return [
        *(f"{place}.{key}: not always there" for key in missing),
        *(
            found
            for key, hint in hints.items()
            for found in differences(hint, properties[key], f"{place}.{key}")
        ),
    ]


def kinds(shape: Any) -> tuple[str, ...]:
    return get_args(get_type_hints(shape)["kind"])


def resolved(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a schema without its reference, and without null where that may stand too."""
    if "anyOf" in schema:
        (schema,) = (one for one in schema["anyOf"] if one.get("type") != "null")
    if "$ref" in schema:
        of = resolved(SCHEMA["$defs"][schema["$ref"].rpartition("/")[2]])
        own = schema.get("properties", {})
        required = [*of.get("required", []), *schema.get("required", [])]
        return {**of, "properties": {**of.get("properties", {}), **own}, "required": required} if own else of
    return schema
