"""Runs of a check in a file, by which a later version of a site is compared with this one."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from bentpipe import __version__
from bentpipe.check.load import Load, LoadedObject
from bentpipe.check.page_version import PageVersion
from bentpipe.check.runs import Run
from bentpipe.model.frozen import Frozen
from bentpipe.scenario.written.location import Location, quoted
from bentpipe.scenario.written.user_file import read_user_file

LARGEST_BYTES = 500_000_000
_DECIMALS = 9
"""Of instants in s: they are whole nanoseconds."""


class SavedObject(Frozen):
    """An address of a page, and which of the list names it."""

    url: str
    named_by: int | None = None


class SavedTiming(Frozen):
    """An object of a run: its place in the list, its size, and its instants in s."""

    object: int
    bytes: int
    discovered_s: float
    request_s: float
    first_byte_s: float
    last_byte_s: float


class SavedRun(Frozen):
    """A run that succeeded."""

    seed: int
    metrics: Mapping[str, float]
    timings: Sequence[SavedTiming] | None = None
    """Of a page load, in the order in which they became known."""


class SavedCell(Frozen):
    """The runs of a page, or of another workload, under some conditions."""

    conditions: str
    """Digest of the specification without page and seed (`bentpipe.check.page_version.conditions`)."""
    page: str
    """Its name; empty of another workload."""
    factors: Mapping[str, str]
    objects: Sequence[SavedObject]
    runs: Sequence[SavedRun]


class SavedCheck(Frozen):
    """The whole file."""

    format: Literal["bentpipe-check"]
    version: Literal[1]
    bentpipe: str
    """The version that measured: of another one, differences would not be the site's alone."""
    cells: Sequence[SavedCell]


def saved_text(cells: Iterable[SavedCell]) -> str:
    """Return the content of a file; equal runs give equal bytes."""
    return SavedCheck(
        format="bentpipe-check", version=1, bentpipe=__version__, cells=tuple(cells)
    ).model_dump_json(exclude_unset=True)


def read_saved(path: Path, where: Location) -> SavedCheck:
    """Return what is in a file.

    Parameters
    ----------
    path : Path
        The file.
    where : Location
        Where it is named.

    Raises
    ------
    InputError
        When it is none, cannot be read, or was measured by another version.
    """
    content = read_user_file(path, Location(file=str(path)), kind="JSON", largest_bytes=LARGEST_BYTES)
    try:
        saved = SavedCheck.model_validate_json(content)
    except ValidationError as error:
        fault = error.errors(include_url=False, include_context=False)[0]
        field = ".".join(map(str, fault["loc"])) or "the whole file"
        place = Location(file=str(path), field=field)
        raise place.error(expected="what `bentpipe check --save` writes", found=fault["msg"]) from None
    require_version(saved.bentpipe, where)
    return saved


def require_version(version: str, where: Location) -> None:
    """Raise an InputError where a baseline was measured by another version than this."""
    if version != __version__:
        expected = f"runs of this version, {__version__}: measure the baseline by it"
        raise where.error(expected=expected, found=f"those of {quoted(version)}")


def saved_cell(of: PageVersion, *, factors: Mapping[str, str], runs: Sequence[Run]) -> SavedCell:
    """Return the runs of a cell as a file has them: those that succeeded."""
    places: dict[str, int] = {}
    named_by: dict[str, str | None] = {}
    for run in runs:
        for each in () if run.load is None else run.load.objects:
            places.setdefault(each.url, len(places))
            named_by.setdefault(each.url, each.named_by)
    return SavedCell(
        conditions=of.conditions,
        page=of.page,
        factors=dict(factors),
        objects=[
            SavedObject(url=url, named_by=None if (parent := named_by[url]) is None else places.get(parent))
            for url in places
        ],
        runs=[
            SavedRun(seed=run.seed, metrics=dict(run.metrics), timings=_timings(run.load, places))
            for run in runs
            if not run.failure
        ],
    )


def run_of_saved(cell: SavedCell, saved: SavedRun) -> Run:
    """Return a run of a file; raises IndexError where it names an object that the file has not."""
    if saved.timings is None:
        return Run(seed=saved.seed, metrics=saved.metrics, load=None)
    objects = []
    for each in saved.timings:
        of = cell.objects[each.object]
        objects.append(
            LoadedObject(
                url=of.url,
                named_by=None if of.named_by is None else cell.objects[of.named_by].url,
                bytes=each.bytes,
                discovered_s=each.discovered_s,
                request_s=each.request_s,
                first_byte_s=each.first_byte_s,
                last_byte_s=each.last_byte_s,
            )
        )
    return Run(seed=saved.seed, metrics=saved.metrics, load=Load(objects=objects) if objects else None)


def _timings(load: Load | None, places: Mapping[str, int]) -> list[SavedTiming] | None:
    if load is None:
        return None
    return [
        SavedTiming(
            object=places[each.url],
            bytes=each.bytes,
            discovered_s=round(each.discovered_s, _DECIMALS),
            request_s=round(each.request_s, _DECIMALS),
            first_byte_s=round(each.first_byte_s, _DECIMALS),
            last_byte_s=round(each.last_byte_s, _DECIMALS),
        )
        for each in load.objects
    ]
