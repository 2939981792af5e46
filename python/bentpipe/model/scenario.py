"""A resolved scenario as a folder of results keeps it (scenario.json)."""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from pydantic import ConfigDict, JsonValue

from bentpipe.model.frozen import Frozen

JsonObject: TypeAlias = Mapping[str, JsonValue]
"""An object of JSON that nobody looks into here."""


class CellDocument(Frozen):
    """A point of the matrix: its factors, and its specification without a seed."""

    factors: Mapping[str, str]
    spec: JsonObject

    @property
    def workload(self) -> str:
        """The kind of its workload."""
        workload = self.spec["workload"]
        assert isinstance(workload, dict)
        return str(workload["kind"])


class ScenarioDocument(Frozen):
    """What was to be measured, by which engine; `constants` are the factors that all cells share."""

    model_config = ConfigDict(extra="allow")

    name: str
    title: str
    description: str
    repetitions: int
    seed: int
    constants: Mapping[str, str]
    cells: Sequence[CellDocument]
