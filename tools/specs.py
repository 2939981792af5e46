"""Complete specifications of runs, as the command line makes them."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bentpipe.model.spec import RunSpec
from bentpipe.scenario import parse_override, resolve_document


def spec_of(run: Mapping[str, Any], *settings: str, seed: int | None = None) -> RunSpec:
    """Return the specification of a `[run]` table and `--set` settings."""
    return RunSpec.model_validate(document_of(run, *settings, seed=seed))


def document_of(run: Mapping[str, Any], *settings: str, seed: int | None = None) -> dict[str, Any]:
    """Return the same as JSON, for what is written and what is left out."""
    scenario = resolve_document(
        {"repetitions": 1, "run": run},
        file="test",
        folder=Path(),
        default_name="test",
        overrides=[parse_override(text) for text in settings],
    )
    return {**scenario.cells[0].spec, "seed": scenario.seed if seed is None else seed}
