"""Whole models from the parts that a test is about."""

import types
from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel
from typing_extensions import TypeAliasType

from bentpipe.model.reason import EngineFailedReason, Reason
from bentpipe.model.record import RunRecord
from bentpipe.model.spec import RunSpec
from bentpipe.reasons import sentence

M = TypeVar("M", bound=BaseModel)


def record_with(**parts) -> RunRecord:
    """A record with these parts; of all else zeros and nothing."""
    return complete(RunRecord, parts)


def spec_with(**parts) -> RunSpec:
    """A run's specification with these parts; of all else zeros and nothing."""
    return complete(RunSpec, parts)


def because(error: str) -> Reason:
    """A reason with somebody else's words."""
    return EngineFailedReason(error=error)


def said(reasons: Sequence[Reason]) -> list[str]:
    """The sentences of reasons."""
    return [sentence(reason) for reason in reasons]


def complete(model: type[M], parts: Mapping[str, Any]) -> M:
    """A model with what is given of it; what it requires besides is zero, empty or the first of its kind."""
    return model.model_validate(_filled(model, parts))


def changed(model: M, **parts: Any) -> M:
    """The same with other parts, each replaced as a whole and completed."""
    given = {name: getattr(model, name) for name in model.model_fields_set}
    return complete(type(model), {**given, **parts})


def _filled(kind: Any, given: Any) -> Any:
    """The value with all that the type requires."""
    kind = _bare(kind)
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return given if isinstance(given, BaseModel) else _fields(kind, given or {})
    if isinstance(given, Mapping) and _is_union(kind):
        return _filled(_member(kind, given), given)
    if isinstance(given, list | tuple) and get_origin(kind) is Sequence:
        return [_filled(get_args(kind)[0], each) for each in given]
    return _least(kind) if given is _MISSING else given


class _Missing:
    def __bool__(self) -> bool:
        return False


_MISSING = _Missing()


def _fields(model: type[BaseModel], given: Mapping[str, Any]) -> dict[str, Any]:
    names = {name: field.alias or name for name, field in model.model_fields.items()}
    known = {*names, *names.values()}
    values = {name: value for name, value in given.items() if name not in known}
    for name, field in model.model_fields.items():
        value = given.get(names[name], given.get(name, _MISSING))
        if name == "kind" and isinstance(field.default, str):
            values[name] = field.default
        elif value is not _MISSING or field.is_required():
            values[names[name]] = _filled(field.annotation, value)
    return values


def _member(union: Any, given: Mapping[str, Any]) -> Any:
    """The variant of a tagged union that is meant, by default the first."""
    members = [
        inner
        for one in map(_bare, get_args(union))
        for inner in (get_args(one) if _is_union(one) else (one,))
    ]
    models = [one for one in members if isinstance(one, type) and issubclass(one, BaseModel)]
    named = [
        m for m in models if "kind" in m.model_fields and m.model_fields["kind"].default == given.get("kind")
    ]
    return (named or models)[0]


def _least(kind: Any) -> Any:
    if _is_union(kind):
        variants = get_args(kind)
        return None if type(None) in variants else _filled(variants[0], _MISSING)
    origin = get_origin(kind)
    if origin is Literal:
        return get_args(kind)[0]
    if origin in (Sequence, list, tuple):
        return []
    if origin is not None and issubclass(origin, Mapping):
        return {}
    if issubclass(kind, Enum):
        return next(iter(kind))
    return kind()


def _is_union(kind: Any) -> bool:
    return get_origin(kind) in (Union, types.UnionType)


def _bare(kind: Any) -> Any:
    """A type without its alias and annotations."""
    while True:
        if isinstance(kind, TypeAliasType):
            kind = kind.__value__
        elif get_origin(kind) is Annotated:
            kind = get_args(kind)[0]
        else:
            return kind
