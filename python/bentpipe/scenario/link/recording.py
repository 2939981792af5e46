"""Recorded paths: files of others, and of ours, that say how a link or one of its directions changed."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal, TypeAlias, TypedDict, TypeVar, cast

from bentpipe import _core
from bentpipe.model.draft.schedule import ScheduleSpec
from bentpipe.scenario import defaults
from bentpipe.scenario.written.link_schema import DirectionTable, ForwardTable, LinkTable, ReturnTable
from bentpipe.scenario.written.location import Location, closest, quoted
from bentpipe.scenario.written.path_schema import TraceTable
from bentpipe.scenario.written.quantity import duration_ns
from bentpipe.scenario.written.table import or_default, refuse
from bentpipe.scenario.written.user_file import read_user_file

LARGEST_BYTES = 256_000_000
"""A day of a gigabit as Mahimahi writes it would be more; nobody has recorded one."""

DirectionName: TypeAlias = Literal["forward", "return"]
AnyDirection = TypeVar("AnyDirection", bound=DirectionTable)


class DirectionRecording(TypedDict):
    """What a file tells of a direction, as crates/recording gives it."""

    schedule: ScheduleSpec
    mean_bps: int | None
    least_delay_ns: int | None


@dataclass(frozen=True, kw_only=True)
class RecordedLink:
    """A link whose rates and delays are written or are those of its recordings.

    Attributes
    ----------
    table : LinkTable
        As written, with what recordings tell in place of what is not written.
    schedules : mapping
        Of the directions that follow a recording.
    """

    table: LinkTable
    schedules: Mapping[DirectionName, ScheduleSpec]


def recorded_link(table: LinkTable, where: Location) -> RecordedLink:
    """Return a link with what its recordings tell.

    A recording of one direction that is the whole link's is that of the forward one; the return direction
    then has its mean rate and its least delay.

    Raises
    ------
    InputError
        For a file that cannot be read or is no recording.
    """
    forward, return_ = or_default(table.forward, ForwardTable()), or_default(table.return_, ReturnTable())
    if table.trace is None and forward.trace is None and return_.trace is None:
        return RecordedLink(table=table, schedules={})
    found: dict[DirectionName, DirectionRecording] = {}
    spare: DirectionRecording | None = None
    if table.trace is not None:
        refuse(table, ("epochs", "geometry"), where, why="the recording says how the path changes")
        whole = _read(table.trace, where.at("trace"), direction="forward")
        found |= whole
        spare = whole.get("forward")
    if forward.trace is not None:
        found |= _own(forward, forward.trace, where.at("forward"), direction="forward")
    if return_.trace is not None:
        found |= _own(return_, return_.trace, where.at("return"), direction="return")
    return RecordedLink(
        table=table.model_copy(
            update={
                "forward": _filled(forward, found.get("forward", spare)),
                "return_": _filled(return_, found.get("return", spare)),
            }
        ),
        schedules={direction: recording["schedule"] for direction, recording in found.items()},
    )


def _own(
    table: DirectionTable, trace: TraceTable, where: Location, *, direction: DirectionName
) -> dict[DirectionName, DirectionRecording]:
    refuse(table, ("schedule", "rate_variation"), where, why="the recording says how the path changes")
    found = _read(trace, where.at("trace"), direction=direction)
    return {direction: found[direction]} if direction in found else {}


def _filled(table: AnyDirection, recording: DirectionRecording | None) -> AnyDirection:
    """Return a direction with the rate and the delay of a recording where none are written."""
    if recording is None:
        return table
    update = {}
    if table.rate is None and recording["mean_bps"]:
        update["rate"] = f"{recording['mean_bps']} bit/s"
    if table.delay is None and recording["least_delay_ns"] is not None:
        update["delay"] = f"{recording['least_delay_ns']} ns"
    return table.model_copy(update=update)


def _read(
    table: TraceTable, where: Location, *, direction: DirectionName
) -> dict[DirectionName, DirectionRecording]:
    if table.file is None:
        raise where.at("file").error(expected="the path of a recording", found="nothing")
    formats = _core.RECORDING_FORMATS
    if table.format is not None and table.format not in formats:
        raise where.at("format").error(
            expected=f"one of {', '.join(formats)}",
            found=quoted(table.format),
            suggestion=closest(table.format, formats),
        )
    content = _content(table.file, where.at("file"))
    delays = None if table.delays is None else _content(table.delays, where.at("delays"))
    offset_ns = duration_ns(or_default(table.offset, defaults.RECORDING_OFFSET), where.at("offset"))
    repeats = or_default(table.repeats, defaults.RECORDING_REPEATS)
    try:
        text = _recording(content, table.format, delays, direction, offset_ns, repeats)
    except _core.RecordingError as error:
        file = table.delays if error.file == "delays" and table.delays is not None else table.file
        line = "" if error.line is None else f"line {error.line}"
        raise Location(file=file, field=line).error(expected=error.expected, found=error.found) from None
    read = json.loads(text)
    # What crates/recording writes, by the same types as the specification.
    directions: tuple[DirectionName, ...] = ("forward", "return")
    return {name: cast("DirectionRecording", read[name]) for name in directions if read[name] is not None}


@lru_cache(maxsize=16)
def _recording(
    content: bytes,
    kind: str | None,
    delays: bytes | None,
    direction: str,
    offset_ns: int,
    repeats: bool,
) -> str:
    # Cells of a matrix mostly have the same.
    return _core.read_recording(
        content, kind, delays, direction=direction, offset_ns=offset_ns, repeats=repeats
    )


def _content(file: str, where: Location) -> bytes:
    where = Location(file=where.file, field=where.field)
    return read_user_file(
        Path(file), where, kind=f"recording {quoted(file)} as a", largest_bytes=LARGEST_BYTES
    )
