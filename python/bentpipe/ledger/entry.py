"""One attempt as the ledger lists it: its name and how it ended; all else is read when it is asked for."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Protocol, Self

from bentpipe.model.record import RunRecord
from bentpipe.stats.metrics import metrics_of

SUCCEEDED = "succeeded"
UNUSABLE = "invalid"
"""As the statuses of records."""


class Contents(Protocol):
    """What an attempt has measured, wherever that is kept."""

    @property
    def workload(self) -> str:
        """The kind of its workload."""

    @property
    def metrics(self) -> Mapping[str, float | None]:
        """Its metrics by name (`bentpipe.stats.metrics_of`)."""

    @property
    def record(self) -> RunRecord:
        """The run record (crates/run/src/record.rs) without its series."""


@dataclass(frozen=True, kw_only=True, slots=True)
class InMemory:
    """The contents of an attempt that has just been made."""

    record: RunRecord

    @property
    def workload(self) -> str:
        """See Contents."""
        return self.record.spec.workload.kind

    @property
    def metrics(self) -> Mapping[str, float | None]:
        """See Contents."""
        return metrics_of(self.record)


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Entry:
    """One attempt at one run; two are equal when all that they say is.

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
    status : str
        How the attempt ended: succeeded, failed or invalid.
    contents : Contents
        What it has measured.
    """

    run_id: str
    attempt: int
    factors: Mapping[str, str]
    repetition: int
    status: str
    contents: Contents

    @classmethod
    def of(
        cls, record: RunRecord, *, run_id: str, attempt: int, factors: Mapping[str, str], repetition: int
    ) -> Self:
        """Return the attempt that a record is of."""
        return cls(
            run_id=run_id,
            attempt=attempt,
            factors=factors,
            repetition=repetition,
            status=str(record.status),
            contents=InMemory(record=record),
        )

    @property
    def workload(self) -> str:
        """The kind of its workload, such as `page-load`."""
        return self.contents.workload

    @property
    def metrics(self) -> Mapping[str, float | None]:
        """Every metric of the run by its name; a browser's are absent where it has not told them."""
        return self.contents.metrics

    @property
    def record(self) -> RunRecord:
        """The run record (crates/run/src/record.rs) without its series."""
        return self.contents.record

    def in_memory(self) -> Self:
        """Return the same attempt with its record at hand, for when the ledger is closed."""
        return self.with_record(self.record)

    def with_record(self, record: RunRecord) -> Self:
        """Return the same attempt with another record."""
        return replace(self, status=str(record.status), contents=InMemory(record=record))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Entry):
            return NotImplemented
        return self._told() == other._told()

    __hash__ = None  # type: ignore[assignment]

    def _told(self) -> tuple[object, ...]:
        return self.run_id, self.attempt, self.factors, self.repetition, self.record


def judged(attempts: Iterable[Entry]) -> list[Entry]:
    """Return one attempt per run, the one to be judged: the first that succeeded, else the last."""
    best: dict[str, Entry] = {}
    for entry in attempts:
        former = best.get(entry.run_id)
        if former is None or former.status != SUCCEEDED:
            best[entry.run_id] = entry
    return list(best.values())
