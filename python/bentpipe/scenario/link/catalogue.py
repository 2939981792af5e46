"""Links by name: presets, TOML files, inline pipes and recordings, each as a table as written."""

import functools
import importlib.resources
from dataclasses import dataclass
from pathlib import Path

from bentpipe.scenario.link.pipe import PREFIX, TRACE_PREFIX, parse_pipe, parse_trace
from bentpipe.scenario.written.link_schema import LinkTable
from bentpipe.scenario.written.location import Location, closest, quoted
from bentpipe.scenario.written.table import validated
from bentpipe.scenario.written.toml import parse_toml, read_toml

PRESETS = (
    "lan",
    "geo-alshagri",
    "geo-alshagri-flat",
    "geo-viasat2",
    "geo-viasat2-pipe",
    "geo-viasat2-flat",
    "geo-hylas2",
    "geo-hylas2-flat",
    "geo-snep",
    "geo-snep-flat",
    "geo-vehicle",
    "leo-starlink",
    "leo-starlink-isl",
    "leo-starlink-inactive",
    "leo-oneweb",
    "meo-o3b",
)


@dataclass(frozen=True, kw_only=True)
class WrittenLink:
    """A link's table, the name it goes by, and where it stands."""

    name: str | None
    table: LinkTable
    where: Location
    folder: Path


def written_link(text: str, where: Location, *, folder: Path) -> WrittenLink:
    """Find a link by a preset's name, a file's path (from `folder`), an inline pipe or a recording.

    Raises
    ------
    InputError
        When there is no such link, or it cannot be read.
    """
    if text.startswith(PREFIX):
        return WrittenLink(name=None, table=parse_pipe(text, where), where=where, folder=folder)
    if text.startswith(TRACE_PREFIX):
        return WrittenLink(name=None, table=parse_trace(text, where), where=where, folder=folder)
    if text.endswith(".toml") or "/" in text:
        path = folder / text
        where = Location(file=str(path))
        table = validated(LinkTable, read_toml(path), where)
        return WrittenLink(name=None, table=table, where=where, folder=path.parent)
    if text not in PRESETS:
        expected = (
            f"a preset ({', '.join(PRESETS)}), a file ending in .toml, {PREFIX}... or {TRACE_PREFIX}FILE"
        )
        raise where.error(expected=expected, found=quoted(text), suggestion=closest(text, PRESETS))
    where = Location(file=f"preset {text}")
    return WrittenLink(name=text, table=_preset(text), where=where, folder=folder)


@functools.cache
def _preset(name: str) -> LinkTable:
    file = importlib.resources.files("bentpipe.scenario") / "presets" / f"{name}.toml"
    where = Location(file=f"preset {name}")
    return validated(LinkTable, parse_toml(file.read_bytes(), where), where)
