"""Classes of service, from what is written to the run specification."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from bentpipe.model.draft.dvbs2 import ClassSpec
from bentpipe.model.draft.queue import QueueSpec
from bentpipe.scenario.written.dscp import code_point
from bentpipe.scenario.written.location import Location, quoted
from bentpipe.scenario.written.satellite_schema import ClassTable, QueueTable

MOST = 16
"""More than there are code points in use."""
OTHER = "other"
"""What the packets of no class are called in series and figures."""

Queue: TypeAlias = Callable[[QueueTable | None, Location], QueueSpec]
"""Resolves a queue of the direction that the classes belong to."""


def class_specs(tables: Sequence[ClassTable], where: Location, *, queue: Queue) -> list[ClassSpec]:
    """Return classes in the order of their priority, the most urgent first.

    Raises
    ------
    InputError
        When there are too many, two share a name or a code point, or one has none.
    """
    if len(tables) > MOST:
        raise where.error(expected=f"at most {MOST} classes", found=f"{len(tables)} classes")
    specs: list[ClassSpec] = []
    for number, table in enumerate(tables, start=1):
        place = where.at(str(number))
        spec: ClassSpec = {
            "name": _name(table, place, taken=[spec["name"] for spec in specs]),
            "dscp": _code_points(table, place, taken={point for spec in specs for point in spec["dscp"]}),
            "queue": queue(table.queue, place.at("queue")),
        }
        specs.append(spec)
    return specs


def _name(table: ClassTable, where: Location, *, taken: Sequence[str]) -> str:
    place = where.at("name")
    if table.name is None:
        raise place.error(expected='a name such as "voice"', found="nothing")
    is_word = table.name.isascii() and table.name.replace("-", "").isalnum() and table.name.islower()
    if not is_word or table.name == OTHER:
        expected = f'small letters, digits and dashes, and not "{OTHER}"'
        raise place.error(expected=expected, found=quoted(table.name))
    if table.name in taken:
        raise place.error(expected="a name of its own", found=f"{quoted(table.name)} twice")
    return table.name


def _code_points(table: ClassTable, where: Location, *, taken: set[int]) -> list[int]:
    place = where.at("dscp")
    if not table.dscp:
        expected = 'code points such as ["EF"] or [46]'
        raise place.error(expected=expected, found="nothing" if table.dscp is None else "an empty list")
    points: list[int] = []
    for number, written in enumerate(table.dscp, start=1):
        point = code_point(written, place.at(str(number)))
        if point in taken or point in points:
            raise place.at(str(number)).error(
                expected="each code point once", found=f"{quoted(written)} twice"
            )
        points.append(point)
    return points
