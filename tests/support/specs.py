"""Complete specifications of runs, as the command line makes them."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bentpipe.scenario import parse_override, resolve_document


def spec_of(run: Mapping[str, Any], *settings: str, seed: int | None = None) -> dict[str, Any]:
    """Return the resolved specification of a `[run]` table and `--set` settings."""
    scenario = resolve_document(
        {"repetitions": 1, "run": run},
        file="test",
        folder=Path(),
        default_name="test",
        overrides=[parse_override(text) for text in settings],
    )
    return {**scenario.cells[0].spec, "seed": scenario.seed if seed is None else seed}
