"""Rigs and ablations as written: files of their own beside a scenario."""

from pydantic import Field

from bentpipe.scenario.written.table import A_TABLE, COUNT, TABLES, Table
from bentpipe.scenario.written.toml import TomlTable

A_NAME = "a name of letters, digits, dots and dashes"
A_SENTENCE = "a sentence"
FACTORS = 'a table of factors and their values such as { http = ["h3"] }'


class VariationTable(Table):
    """What a fact and an ablation have in common."""

    name: str | None = Field(default=None, description=A_NAME)
    source: str | None = Field(default=None, description="where it stands")
    settings: TomlTable | None = Field(default=None, description='settings such as { "tcp.nagle" = true }')
    where: dict[str, str | list[str]] | None = Field(default=None, description=FACTORS)
    engines: list[str] | None = Field(default=None, description='a list of "simulate" and "emulate"')


class FactTable(VariationTable):
    """A fact of a rig."""

    part: str | None = Field(
        default=None, description='"client", "server", "kernel", "proxy", "link" or "method"'
    )
    fact: str | None = Field(default=None, description=A_SENTENCE)
    kind: str | None = Field(default=None, description='"paper", "software", "kernel" or "standard"')
    limit: str | None = Field(default=None, description=A_SENTENCE)


class RigTable(Table):
    """A rig's file."""

    fact: list[FactTable] | None = Field(default=None, description=TABLES)


class AblationTable(VariationTable):
    """A factor that is varied against the base."""

    reason: str | None = Field(default=None, description=A_SENTENCE)


class InteractionsTable(Table):
    """Which ablations are varied together."""

    factors: list[str] | None = Field(default=None, description="a list of names of ablations")
    resolution: int | None = Field(default=None, description="a whole number from 3 to 5")


class AblationsTable(Table):
    """A file of ablations."""

    repetitions: int | None = Field(default=None, description=COUNT)
    ablation: list[AblationTable] | None = Field(default=None, description=TABLES)
    interactions: InteractionsTable | None = Field(default=None, description=A_TABLE)
