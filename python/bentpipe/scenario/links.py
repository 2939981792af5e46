"""Links by name, resolved: what `bentpipe links` shows and what the commands measure over."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bentpipe.scenario.catalogue import PRESETS, written_link
from bentpipe.scenario.link_schema import LinkTable
from bentpipe.scenario.resolve import link_spec
from bentpipe.scenario.table import validated
from bentpipe.scenario.where import Where

COMMAND_LINE = Where(file="command line", field="--link")


@dataclass(frozen=True, kw_only=True)
class Link:
    """A resolved link with its source, as `bentpipe links` shows it."""

    name: str
    title: str
    source: str
    assumptions: tuple[str, ...]
    spec: dict[str, Any]


def link(text: str, *, where: Where = COMMAND_LINE, folder: Path | None = None) -> dict[str, Any]:
    """Return the link specification of a preset, a TOML file or an inline pipe.

    Raises
    ------
    InputError
        When there is no such link, or it cannot be used.
    """
    return link_spec(LinkTable(base=text), where, folder=folder or Path())


def described(text: str, *, where: Where = COMMAND_LINE, folder: Path | None = None) -> Link:
    """Return a link with its title, source and assumptions."""
    folder = folder or Path()
    spec = link(text, where=where, folder=folder)
    found = written_link(text, where, folder=folder)
    table = validated(LinkTable, found.table, found.where)
    return Link(
        name=spec["name"],
        title=table.title or "",
        source=table.source or "",
        assumptions=tuple(table.assumptions or ()),
        spec=spec,
    )


def presets() -> tuple[Link, ...]:
    """Return every built-in link."""
    return tuple(described(name) for name in PRESETS)
