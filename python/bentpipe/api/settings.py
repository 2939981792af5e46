"""The keys of a scenario as keywords: their names and what they may be, for editors and type checkers.

Names and meanings are those of scenario files (docs/guide/scenarios.md).
"""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from pathlib import PurePath
from typing import Literal, TypeAlias, TypedDict, TypeVar

One = TypeVar("One")

Varied: TypeAlias = One | Sequence[One]
"""One value, or several, each of which makes cells of its own with those of other keys."""

Keys: TypeAlias = Mapping[str, object]
"""A table: keys, which may be dotted, with values, of which lists vary."""

Duration: TypeAlias = str | timedelta

Block: TypeAlias = Mapping[str, Sequence[object]]
"""Dotted keys, each with its values: a table of a scenario's matrix."""

EngineName: TypeAlias = Literal["simulate", "emulate", "auto"]
RigName: TypeAlias = Literal["paper", "today"]


class Settings(TypedDict, total=False):
    """The keys of a scenario and of its table [run]; a test holds them to the schema of the files."""

    name: str
    title: str
    description: str
    repetitions: int
    seed: int
    matrix: Block | Sequence[Block]
    simulate: Mapping[str, int]
    link: Varied[str | PurePath | Keys]
    server_behind: Varied[str]
    terrestrial: Varied[Keys]
    http: Varied[str]
    cc: Varied[str]
    page: Varied[str | Keys]
    connections: Varied[int]
    requests_per_connection: Varied[int | str]
    pipelining: Varied[int]
    optimistic_pipelining: Varied[int]
    push: Varied[str]
    priorities: Varied[str]
    response_header: Varied[str]
    visit: Varied[str]
    slow_start: Varied[str]
    bulk: Varied[Keys]
    ping: Varied[Keys]
    dscp: Varied[int | str]
    client: Varied[str]
    server: Varied[str]
    pep: Varied[str | Keys]
    tcp: Varied[Keys]
    bbr: Varied[Keys]
    quic: Varied[Keys]
    resume: Varied[str | Keys]
    http2: Varied[Keys]
    tls: Varied[Keys]
    dns: Varied[str | Keys]
    host: Varied[Keys]
    validity: Varied[Keys]
    capture: Varied[Keys]


class ScenarioSettings(Settings, total=False):
    """Those of `Scenario`, which may say, too, what its short form is."""

    quick: Keys
