"""The simulate engine: virtual time, one process, no privileges, the same result every time."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bentpipe import _core
from bentpipe.engine import provenance

NAME = "simulate"


class Simulator:
    """Runs in virtual time. Safe to call from several threads at once: a run holds no lock."""

    name = NAME

    def __init__(self) -> None:
        self._core = _core.Simulator()

    def run(self, *, run_id: str, spec: Mapping[str, Any], artifacts: Path | None) -> dict[str, Any]:
        """Simulate one run; see `bentpipe.campaign.engine.Engine`."""
        record: dict[str, Any] = json.loads(
            self._core.run(
                run_id=run_id,
                spec=json.dumps(spec),
                provenance=json.dumps(provenance.of_virtual_time()),
                artifacts=None if artifacts is None else str(artifacts),
            )
        )
        return record

    def close(self) -> None:
        """Do nothing: a simulated run lives in the process's memory only."""
