"""One line of the ledger."""

from collections.abc import Mapping
from dataclasses import dataclass

from bentpipe.model.record import RunRecord


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One attempt at one run.

    Attributes
    ----------
    run_id : str
        Hash of the specification with its seed.
    attempt : int
        Counted from 1.
    factors : Mapping[str, str]
        The cell that the run belongs to.
    repetition : int
        Counted from 0.
    record : RunRecord
        The run record (crates/run/src/record.rs) without its series.
    """

    run_id: str
    attempt: int
    factors: Mapping[str, str]
    repetition: int
    record: RunRecord

    @property
    def status(self) -> str:
        """How the attempt ended: succeeded, failed or invalid."""
        return str(self.record.status)
