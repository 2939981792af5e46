"""A resolved scenario as a folder of results keeps it (scenario.json)."""

from collections.abc import Mapping, Sequence
from typing import Self, TypeAlias

from pydantic import ConfigDict, JsonValue, ValidationError, field_validator

from bentpipe.errors import InputError
from bentpipe.model.frozen import Frozen

JsonObject: TypeAlias = Mapping[str, JsonValue]
"""An object of JSON that nobody looks into here."""


class CellDocument(Frozen):
    """A point of the matrix: its factors, and its specification without a seed."""

    factors: Mapping[str, str]
    spec: JsonObject

    @field_validator("spec")
    @classmethod
    def _has_workload(cls, spec: JsonObject) -> JsonObject:
        workload = spec.get("workload")
        if not isinstance(workload, dict) or not isinstance(workload.get("kind"), str):
            raise ValueError("no kind of workload")
        return spec

    @property
    def workload(self) -> str:
        """The kind of its workload."""
        workload = self.spec["workload"]
        assert isinstance(workload, dict), "it was looked at when this was made"
        return str(workload["kind"])


class ScenarioDocument(Frozen):
    """What was to be measured; `constants` are the factors that all cells share.

    `engine` measured it, None in a folder that somebody else wrote without saying so.

    `tag` tells a measurement from the plain one of the same scenario, as "today" does that of a study with
    present software.
    """

    model_config = ConfigDict(extra="allow")

    name: str
    title: str
    description: str
    repetitions: int
    seed: int
    constants: Mapping[str, str]
    cells: Sequence[CellDocument]
    engine: str | None = None
    tag: str = ""

    @classmethod
    def read(cls, content: JsonObject, *, file: str) -> Self:
        """Return what a folder of results says of its scenario.

        Raises
        ------
        InputError
            When it is another document: the folder may be somebody else's.
        """
        try:
            return cls.model_validate(content)
        except ValidationError as error:
            fault = error.errors(include_url=False, include_input=False)[0]
            field = ".".join(map(str, fault["loc"])) or "the whole file"
            raise InputError(
                file=file, field=field, expected="a resolved scenario", found=fault["msg"].lower()
            ) from None


class VariantDocument(Frozen):
    """A variant of a scenario: how it differs from the base, why, and the scenario that it makes."""

    name: str
    kind: str
    reason: str
    source: str
    parts: Sequence[str]
    scenario: ScenarioDocument


class AblationsDocument(Frozen):
    """What was to be measured beside a scenario as it is.

    Attributes
    ----------
    name : str
        Of the scenario.
    engine : str
        That measured it.
    base : str
        The folder of the base's results, as a path from this one's parent.
    variants : sequence of VariantDocument
        All of them, the base first.
    interactions : sequence of str
        The factors that were varied together.
    resolution : int
        Of their factorial design.
    """

    name: str
    engine: str
    base: str
    variants: Sequence[VariantDocument]
    interactions: Sequence[str] = ()
    resolution: int = 0
