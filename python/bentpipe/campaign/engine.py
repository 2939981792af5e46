"""What a campaign needs of an engine."""

from pathlib import Path
from typing import Protocol

from bentpipe.model.record import RunRecord
from bentpipe.model.spec import RunSpec


class Engine(Protocol):
    """Either of the two engines, or a test's double."""

    @property
    def name(self) -> str:
        """`emulate` or `simulate`."""

    def run(self, *, run_id: str, spec: RunSpec, artifacts: Path | None) -> RunRecord:
        """Measure one run and return its record with its series (crates/run/src/record.rs).

        Blocks; may be called from several threads at once. A run that fails is a record too.
        `artifacts` is a folder for captures and pictures; None where the run leaves none.
        """

    def close(self) -> None:
        """Remove what runs that were abandoned in the midst would leave behind."""
