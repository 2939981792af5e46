"""A resolved scenario: what is to be measured, with nothing left open."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypedDict

from bentpipe.model.draft.spec import CellSpec

DIGEST_DIGITS = 8
"""Of ten thousand scenarios two share a digest of so many digits with a probability of about 1 %."""


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One point of the matrix.

    Attributes
    ----------
    factors : Mapping[str, str]
        Keys of [run] with their values as written, those that the matrix varies and those that hold for
        all, for grouping and for labels.
    spec : CellSpec
        The run specification (crates/run/src/spec.rs) without its seed.
    """

    factors: Mapping[str, str]
    spec: CellSpec


class CellDocument(TypedDict):
    """A cell as JSON."""

    factors: dict[str, str]
    spec: CellSpec


class ScenarioDocument(TypedDict):
    """A scenario as JSON; `constants` are the factors that all cells share."""

    name: str
    title: str
    description: str
    repetitions: int
    seed: int
    constants: dict[str, str]
    cells: list[CellDocument]


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """An experiment: cells, each measured `repetitions` times."""

    name: str
    title: str
    description: str
    repetitions: int
    seed: int
    cells: tuple[Cell, ...]

    def constants(self) -> dict[str, str]:
        """Return the factors that are the same in every cell, with their values."""
        shared = set(self.cells[0].factors.items())
        for cell in self.cells[1:]:
            shared &= set(cell.factors.items())
        return {key: value for key, value in self.cells[0].factors.items() if (key, value) in shared}

    def document(self) -> ScenarioDocument:
        """Return the scenario as JSON, as `scenario.json` and `bentpipe show` have it."""
        return {
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "repetitions": self.repetitions,
            "seed": self.seed,
            "constants": self.constants(),
            "cells": [{"factors": dict(cell.factors), "spec": cell.spec} for cell in self.cells],
        }


def canonical_json(value: object) -> str:
    """Write a value as the one JSON text that equal values share."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def identity(spec: Mapping[str, object]) -> dict[str, object]:
    """Return a specification, or a document of several, without the folders that its files lie in.

    A file's digest says what it holds, and the engines hold it to that: the same files elsewhere make the
    same runs.
    """
    is_file = "sha256" in spec
    return {key: _identity(value) for key, value in spec.items() if not (is_file and key == "folder")}


def digest(document: Mapping[str, object]) -> str:
    """Return a few digits by which documents of different identities differ."""
    return hashlib.sha256(canonical_json(identity(document)).encode()).hexdigest()[:DIGEST_DIGITS]


def _identity(value: object) -> object:
    if isinstance(value, dict):
        return identity(value)
    return [_identity(item) for item in value] if isinstance(value, list) else value
