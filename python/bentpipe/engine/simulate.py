"""The simulate engine: virtual time, one process, no privileges, the same result every time."""

import json
from pathlib import Path

from bentpipe import _core
from bentpipe.engine import provenance
from bentpipe.model.record import RunRecord
from bentpipe.model.spec import RunSpec

NAME = "simulate"


class Simulator:
    """Runs in virtual time. Safe to call from several threads at once: a run holds no lock."""

    name = NAME

    def __init__(self) -> None:
        self._core = _core.Simulator()

    def run(self, *, run_id: str, spec: RunSpec, artifacts: Path | None) -> RunRecord:
        """Simulate one run; see `bentpipe.campaign.engine.Engine`."""
        record = self._core.run(
            run_id=run_id,
            spec=spec.to_json(),
            provenance=json.dumps(provenance.of_virtual_time()),
            artifacts=None if artifacts is None else str(artifacts),
        )
        return RunRecord.model_validate_json(record)

    def close(self) -> None:
        """Do nothing: a simulated run lives in the process's memory only."""
