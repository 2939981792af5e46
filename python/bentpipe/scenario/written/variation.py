"""Settings that replace a scenario's in some of its cells, out of the tables of rigs and ablations."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import TypeVar

from bentpipe.scenario.written.dotted import flattened
from bentpipe.scenario.written.location import Location, closest, quoted
from bentpipe.scenario.written.schema import RunTable
from bentpipe.scenario.written.table import keys
from bentpipe.scenario.written.variation_schema import A_NAME, VariationTable

ENGINES = ("emulate", "simulate")

Choice = TypeVar("Choice", bound=Enum)


@dataclass(frozen=True, kw_only=True)
class Variation:
    """Settings of [run] that hold, over [run] and over the matrix, in the cells that `where` names.

    A cell keeps its factors whatever a variation changes, so that cells with and without it can be compared.

    Attributes
    ----------
    name : str
        Its name, for people and for files.
    settings : mapping
        Dotted keys of [run] and their values, as a scenario would have them.
    where : mapping of str to values
        Factors of cells, each with the values for which it holds; without any it holds in all.
    place : Location
        Where the settings are written, for errors.
    """

    name: str
    settings: Mapping[str, object]
    place: Location
    where: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def is_about(self, factors: Mapping[str, str]) -> bool:
        """Whether it holds in the cell of these factors."""
        return all(factors.get(name) in values for name, values in self.where.items())


def name_of(written: VariationTable, where: Location) -> str:
    """Return the name of a fact or of an ablation."""
    name = text(written.name, where.at("name"), expected=A_NAME)
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9.-]{0,59}", name):
        raise where.at("name").error(expected=A_NAME, found=quoted(name))
    return name


def text(written: str | None, where: Location, *, expected: str) -> str:
    """Return a text that has to be there."""
    if written is None or not written.strip():
        raise where.error(expected=expected, found="nothing" if written is None else quoted(written))
    return " ".join(written.split())


def choice(written: str | None, kinds: type[Choice], where: Location) -> Choice:
    """Return one of several words."""
    names = [str(kind.value) for kind in kinds]
    if written not in names:
        found = "nothing" if written is None else quoted(written)
        suggestion = None if written is None else closest(written, names)
        raise where.error(expected=f"one of {', '.join(names)}", found=found, suggestion=suggestion)
    return kinds(written)


def variation(written: VariationTable, name: str, where: Location) -> Variation | None:
    """Return the settings of a fact or of an ablation; None where it has none."""
    if not written.settings:
        return None
    settings = flattened(written.settings)
    known = keys(RunTable)
    for key in settings:
        head = key.partition(".")[0]
        if head not in known:
            raise where.at(f"settings.{key}").error(
                expected=f"a key that starts with one of {', '.join(known)}",
                found=f"the unknown key {quoted(head)}",
                suggestion=closest(head, known),
            )
    conditions = {
        factor: (values,) if isinstance(values, str) else tuple(values)
        for factor, values in (written.where or {}).items()
    }
    return Variation(name=name, settings=settings, where=conditions, place=where.at("settings"))


def engines(written: VariationTable, where: Location) -> tuple[str, ...]:
    """Return the engines on which it can be had."""
    if written.engines is None:
        return ENGINES
    for engine in written.engines:
        if engine not in ENGINES:
            raise where.at("engines").error(expected=f"some of {', '.join(ENGINES)}", found=quoted(engine))
    return tuple(written.engines)


def distinct(names: Sequence[str], places: Iterable[Location]) -> None:
    """Raise an InputError when a name stands twice."""
    seen: set[str] = set()
    for name, place in zip(names, places, strict=True):
        if name in seen:
            raise place.at("name").error(expected="each name once", found=f"{quoted(name)} twice")
        seen.add(name)
