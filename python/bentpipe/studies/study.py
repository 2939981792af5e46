"""What a study brings along: its scenario, its claims, its tables and its figures."""

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, TypeAlias, TypeVar, TypeVarTuple

import numpy as np
from numpy.typing import NDArray

from bentpipe.figures.drawing import Drawing
from bentpipe.scenario.ablations import FILE as ABLATIONS
from bentpipe.scenario.ablations import Ablations, read_ablations
from bentpipe.scenario.rig import Rig, read_rig
from bentpipe.stats import Measured
from bentpipe.studies.verdict import Verdict

T = TypeVar("T")
Arguments = TypeVarTuple("Arguments")


class Run(Measured, Protocol):
    """What a study needs of a run."""

    def series(self, name: str) -> Mapping[str, NDArray[np.float64]]:
        """The columns of one of its series; none where it has no such series."""

    def derived(self, of: "Callable[[Run, *Arguments], T]", *arguments: *Arguments) -> T:
        """What a function makes of its record and its series, which is kept for when it is asked for again.

        The factors are no matter of such a function: variants of a study share runs.
        """


Runs: TypeAlias = Sequence[Run]


@dataclass(frozen=True, kw_only=True)
class Column:
    """A column of a table: its key in JSON (with the unit), its heading, and the decimals shown."""

    key: str
    heading: str
    decimals: int | None = None


Row: TypeAlias = Mapping[str, str | float | None]
"""A row of a table by the keys of its columns; what was not measured is None."""

RIG = "rig.toml"
"""Beside the scenario."""

RUNS = Column(key="n", heading="n", decimals=0)
NOTHING_MEASURED = "Not testable: nothing was measured."
"""What a table of no runs concludes."""


@dataclass(frozen=True, kw_only=True)
class StudyTable:
    """A table of ours beside the study's. A row's missing value is None."""

    name: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    conclusion: str
    note: str


@dataclass(frozen=True, kw_only=True)
class Timeline:
    """A cell whose median run is worth a figure over time."""

    name: str
    title: str
    factors: Mapping[str, str]


class Published(Protocol):
    """What the module `published` of a study says of the publication."""

    TITLE: str
    CITATION: str
    DOI: str | None


class Claims(Protocol):
    """The module `claims` of a study: judges them by rules, and says what the publication leaves open."""

    RULES: tuple[str, ...]
    ASSUMPTIONS: tuple[str, ...]

    def claims(self, runs: Runs) -> tuple[Verdict, ...]:
        """Judge every claim; without runs it is not testable."""


class Tables(Protocol):
    """The module `tables` of a study."""

    def tables(self, runs: Runs) -> tuple[StudyTable, ...]:
        """Every table; what was not measured is left open in it."""


class Figures(Protocol):
    """The module `figures` of a study."""

    FIGURES_NOTE: str

    def figures(self, runs: Runs) -> tuple[Drawing, ...]:
        """Every figure for which there are runs."""

    def timelines(self, runs: Runs) -> tuple[Timeline, ...]:
        """The cells whose median run is worth a figure over time."""


@dataclass(frozen=True, kw_only=True)
class Study:
    """A published study.

    `scenario` is the file of its full matrix and, under `[quick]`, of its short one. `rules` are the rules by
    which claims are judged and `assumptions` what the publication leaves open; both are printed.
    `client_settings` are those that a client has in place of the scenario's.
    """

    name: str
    title: str
    citation: str
    doi: str | None
    scenario: Path
    rules: tuple[str, ...]
    assumptions: tuple[str, ...]
    figures_note: str
    claims: Callable[[Runs], tuple[Verdict, ...]]
    tables: Callable[[Runs], tuple[StudyTable, ...]]
    figures: Callable[[Runs], tuple[Drawing, ...]]
    timelines: Callable[[Runs], tuple[Timeline, ...]]
    client_settings: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @classmethod
    def from_package(
        cls,
        package: str,
        *,
        claims: Claims,
        figures: Figures,
        published: Published,
        tables: Tables,
        client_settings: Mapping[str, tuple[str, ...]] | None = None,
    ) -> "Study":
        """The study of a package, made of its modules and the `scenario.toml` beside them."""
        return cls(
            name=package.rpartition(".")[2],
            title=published.TITLE,
            citation=published.CITATION,
            doi=published.DOI,
            scenario=Path(sys.modules[package].__path__[0]) / "scenario.toml",
            rules=claims.RULES,
            assumptions=claims.ASSUMPTIONS,
            figures_note=figures.FIGURES_NOTE,
            claims=claims.claims,
            tables=tables.tables,
            figures=figures.figures,
            timelines=figures.timelines,
            client_settings=client_settings or {},
        )

    @property
    def rig(self) -> Rig:
        """What its hosts, proxies and link were; raises InputError where the file is faulty."""
        return read_rig(self.scenario.with_name(RIG))

    @property
    def ablations(self) -> Ablations:
        """What is unknown or contested of it; raises InputError where the file is faulty."""
        return read_ablations(self.scenario.with_name(ABLATIONS))

    def settings(self, clients: Sequence[str]) -> tuple[str, ...]:
        """What all runs of a campaign with these clients get, as of `--set`, so that they can be compared."""
        return tuple(
            dict.fromkeys(each for client in clients for each in self.client_settings.get(client, ()))
        )
