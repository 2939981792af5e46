"""How many runs there are, how they ended, and why some numbers were not used."""

from collections import Counter
from dataclasses import dataclass

from bentpipe.campaign.rejections import Rejection, rejections
from bentpipe.ledger import Entry
from bentpipe.report.source import Source


@dataclass(frozen=True, kw_only=True)
class Validity:
    """Counts of runs by how their judged attempt ended; `missing` were never attempted to the end."""

    planned: int
    succeeded: int
    failed: int
    invalid: int
    missing: int
    attempts: int
    repeated_attempts: int
    reasons: tuple[Rejection, ...]
    """Of every attempt that did not succeed, the most frequent first."""
    rejected: tuple[Entry, ...]
    """The attempts that did not succeed."""

    @property
    def is_complete(self) -> bool:
        """Whether every planned run succeeded."""
        return self.succeeded == self.planned


def judge(source: Source) -> Validity:
    """Count a campaign's runs and attempts."""
    ends = Counter(entry.status for entry in source.best)
    rejected = tuple(entry for entry in source.entries if entry.status != "succeeded")
    return Validity(
        planned=source.planned,
        succeeded=ends["succeeded"],
        failed=ends["failed"],
        invalid=ends["invalid"],
        missing=max(source.planned - len(source.best), 0),
        attempts=len(source.entries),
        repeated_attempts=len(source.entries) - len(source.best),
        reasons=rejections(rejected),
        rejected=rejected,
    )
