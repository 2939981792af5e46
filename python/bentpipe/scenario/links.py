"""Links by name, resolved: what `bentpipe links` shows and what the commands measure over."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from bentpipe.model import link as model
from bentpipe.model.draft.link import LinkSpec
from bentpipe.scenario.link.catalogue import PRESETS, written_link
from bentpipe.scenario.link.resolved import resolved_link
from bentpipe.scenario.written.dotted import with_dotted
from bentpipe.scenario.written.link_schema import LinkTable
from bentpipe.scenario.written.location import Location, quoted
from bentpipe.scenario.written.table import validated
from bentpipe.scenario.written.toml import TomlTable

COMMAND_LINE = Location(file="command line", field="--link")


@dataclass(frozen=True, kw_only=True)
class Link:
    """A resolved link with its source, as `bentpipe links` shows it."""

    name: str
    title: str
    source: str
    assumptions: tuple[str, ...]
    spec: model.LinkSpec


def link(text: str, *, where: Location = COMMAND_LINE, folder: Path | None = None) -> LinkSpec:
    """Return the link specification of a preset, a TOML file or an inline pipe.

    Raises
    ------
    InputError
        When there is no such link, or it cannot be used.
    """
    return resolved_link(LinkTable(base=text), where, folder=folder or Path()).spec


def described(
    text: str,
    *,
    where: Location = COMMAND_LINE,
    folder: Path | None = None,
    settings: Mapping[str, object] | None = None,
) -> Link:
    """Return a link with its title, source and assumptions.

    Parameters
    ----------
    text : str
        A preset, a TOML file or an inline pipe.
    where : Location
        Its place.
    folder : Path
        Where relative paths start.
    settings : mapping
        What is changed of it on the command line, by dotted keys below `link`.

    Raises
    ------
    InputError
        When there is no such link, or it cannot be used, or a key is none of a link.
    """
    folder = folder or Path()
    spec = link(text, where=where, folder=folder)
    table = written_link(text, where, folder=folder).table
    if settings:
        spec = {**_changed(text, settings, folder=folder), "name": spec["name"]}
    return Link(
        name=spec["name"],
        title=table.title or "",
        source=table.source or "",
        assumptions=tuple(table.assumptions or ()),
        spec=model.LinkSpec.model_validate(spec),
    )


def _changed(text: str, settings: Mapping[str, object], *, folder: Path) -> LinkSpec:
    run: TomlTable = {"link": text}
    for key, value in settings.items():
        head, _, rest = key.partition(".")
        place = Location(file=COMMAND_LINE.file, field=f"--set {key}")
        if head != "link" or not rest:
            raise place.error(expected="a key of the link such as link.forward.delay", found=quoted(key))
        run = with_dotted(run, key, value, place)
    place = Location(file=COMMAND_LINE.file, field="--set link")
    return resolved_link(validated(LinkTable, run["link"], place), place, folder=folder).spec


def presets() -> tuple[Link, ...]:
    """Return every built-in link."""
    return tuple(described(name) for name in PRESETS)
