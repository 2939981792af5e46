"""The rig of a study: what its hosts, proxies and link were, fact by fact with source."""

from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from bentpipe.scenario.written.location import Location
from bentpipe.scenario.written.table import validated
from bentpipe.scenario.written.toml import read_toml
from bentpipe.scenario.written.variation import Variation, choice, distinct, engines, name_of, text, variation
from bentpipe.scenario.written.variation_schema import A_SENTENCE, FactTable, RigTable


class Part(Enum):
    """What a fact is about."""

    CLIENT = "client"
    SERVER = "server"
    KERNEL = "kernel"
    PROXY = "proxy"
    LINK = "link"
    METHOD = "method"


class SourceKind(Enum):
    """Where a fact is known from; never from a result of the study that it is a fact of."""

    PAPER = "paper"
    SOFTWARE = "software"
    KERNEL = "kernel"
    STANDARD = "standard"


@dataclass(frozen=True, kw_only=True)
class Fact:
    """One fact of a rig.

    Attributes
    ----------
    name, statement, source : str
        What it is called, what it says, and where it stands.
    part : Part
        What it is about.
    kind : SourceKind
        What sort of source that is.
    variation : Variation or None
        The settings that model it; None where the scenario has it anyway, or nothing models it.
    engines : tuple of str
        On which the settings can be had.
    limit : str
        What of it is not modelled; empty where all is.
    """

    name: str
    statement: str
    source: str
    part: Part
    kind: SourceKind
    variation: Variation | None
    engines: tuple[str, ...]
    limit: str


@dataclass(frozen=True, kw_only=True)
class Rig:
    """The facts of a rig."""

    facts: tuple[Fact, ...] = ()

    def on(self, engine: str) -> "Rig":
        """Return the facts whose settings can be had on an engine."""
        return Rig(facts=tuple(fact for fact in self.facts if engine in fact.engines))

    def without(self, name: str) -> "Rig":
        """Return the rig less one fact."""
        return Rig(facts=tuple(fact for fact in self.facts if fact.name != name))

    @property
    def variations(self) -> tuple[Variation, ...]:
        """The settings of its facts, in the order in which they hold."""
        return tuple(fact.variation for fact in self.facts if fact.variation is not None)


def read_rig(path: Path) -> Rig:
    """Return the rig of a file.

    Raises
    ------
    InputError
        When the file is none, or a fact lacks its statement or its source.
    """
    where = Location(file=str(path))
    table = validated(RigTable, read_toml(path), where)
    places = [where.at(f"fact.{n}") for n in range(1, len(table.fact or ()) + 1)]
    facts = tuple(_fact(each, place) for each, place in zip(table.fact or (), places, strict=True))
    distinct([fact.name for fact in facts], places)
    return Rig(facts=facts)


def _fact(written: FactTable, where: Location) -> Fact:
    name = name_of(written, where)
    return Fact(
        name=name,
        statement=text(written.fact, where.at("fact"), expected=A_SENTENCE),
        source=text(written.source, where.at("source"), expected="where it stands"),
        part=choice(written.part, Part, where.at("part")),
        kind=choice(written.kind, SourceKind, where.at("kind")),
        variation=variation(written, name, where),
        engines=engines(written, where),
        limit="" if written.limit is None else text(written.limit, where.at("limit"), expected=A_SENTENCE),
    )
