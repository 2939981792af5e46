"""Ablations: what is varied against a scenario as it is, one at a time or several together."""

from dataclasses import dataclass
from pathlib import Path

from bentpipe.errors import InputError
from bentpipe.scenario.written.location import Location, closest, quoted
from bentpipe.scenario.written.quantity import count
from bentpipe.scenario.written.table import validated
from bentpipe.scenario.written.toml import read_toml
from bentpipe.scenario.written.variation import Variation, distinct, engines, name_of, text, variation
from bentpipe.scenario.written.variation_schema import (
    A_SENTENCE,
    AblationsTable,
    AblationTable,
    InteractionsTable,
)

FILE = "ablations.toml"
"""Beside the scenario."""

LEAST_RESOLUTION, MOST_RESOLUTION = 3, 5
"""Main effects clear of each other; clear of pairs (4); and pairs clear of each other."""
MOST_FACTORS = 12
"""Beyond this even a design of resolution 3 is many scenarios; nobody reads them."""


@dataclass(frozen=True, kw_only=True)
class Ablation:
    """A factor that is varied.

    Attributes
    ----------
    name, reason, source : str
        What it is called, why it is varied, and where its values come from.
    variation : Variation
        Its settings.
    engines : tuple of str
        On which they can be had.
    """

    name: str
    reason: str
    source: str
    variation: Variation
    engines: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Interactions:
    """Ablations of which several are varied together, by a fractional factorial design."""

    factors: tuple[str, ...]
    resolution: int


@dataclass(frozen=True, kw_only=True)
class Ablations:
    """A file of ablations; `repetitions` is None where they have as many as the scenario."""

    ablations: tuple[Ablation, ...]
    interactions: Interactions | None
    repetitions: int | None


def read_ablations(path: Path) -> Ablations:
    """Return the ablations of a file.

    Raises
    ------
    InputError
        When the file is none, an ablation lacks reason, source or settings, or one that is to be varied with
        others is not there.
    """
    where = Location(file=str(path))
    table = validated(AblationsTable, read_toml(path), where)
    written = table.ablation or []
    places = [where.at(f"ablation.{n}") for n in range(1, len(written) + 1)]
    ablations = tuple(_ablation(each, place) for each, place in zip(written, places, strict=True))
    names = [ablation.name for ablation in ablations]
    distinct(names, places)
    repetitions = table.repetitions
    if repetitions is not None:
        repetitions = count(repetitions, where.at("repetitions"), least=2, most=10_000)
    place = where.at("interactions")
    interactions = None if table.interactions is None else _interactions(table.interactions, names, place)
    return Ablations(ablations=ablations, interactions=interactions, repetitions=repetitions)


def _ablation(written: AblationTable, where: Location) -> Ablation:
    name = name_of(written, where)
    settings = variation(written, name, where)
    if settings is None:
        raise where.at("settings").error(expected="at least one setting", found="none")
    return Ablation(
        name=name,
        reason=text(written.reason, where.at("reason"), expected=A_SENTENCE),
        source=text(written.source, where.at("source"), expected="where it stands"),
        variation=settings,
        engines=engines(written, where),
    )


def _interactions(written: InteractionsTable, names: list[str], where: Location) -> Interactions:
    factors = written.factors or []
    place = where.at("factors")
    for name in factors:
        if name not in names:
            raise place.error(
                expected="names of ablations of this file",
                found=quoted(name),
                suggestion=closest(name, names),
            )
    if not 2 <= len(set(factors)) == len(factors) <= MOST_FACTORS:
        raise place.error(expected=f"2 to {MOST_FACTORS} names, each once", found=f"{len(factors)} names")
    resolution = LEAST_RESOLUTION + 1 if written.resolution is None else written.resolution
    return Interactions(
        factors=tuple(factors),
        resolution=count(resolution, where.at("resolution"), least=LEAST_RESOLUTION, most=MOST_RESOLUTION),
    )


def beside(scenario: Path) -> Path:
    """Return the file of ablations beside a scenario.

    Raises
    ------
    InputError
        When there is none.
    """
    path = scenario.with_name(FILE)
    if not path.is_file():
        raise InputError(
            file=str(scenario), field="--ablations", expected=f"a file {FILE} beside it", found="none"
        )
    return path
