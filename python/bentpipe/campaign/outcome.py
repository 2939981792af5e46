"""How a campaign ended."""

from dataclasses import dataclass
from enum import Enum


class Ending(Enum):
    """Whether every planned run was tried."""

    COMPLETE = "complete"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """The planned runs by how they ended; every one is counted exactly once."""

    planned: int
    succeeded: int
    failed: int
    invalid: int
    not_run: int
    ending: Ending

    def __post_init__(self) -> None:
        assert self.planned == self.succeeded + self.failed + self.invalid + self.not_run

    def __str__(self) -> str:
        """Return the sum that shows that no run is missing."""
        terms = [
            f"{self.succeeded} succeeded",
            f"{self.failed} failed",
            f"{self.invalid} invalid",
            *([f"{self.not_run} not run"] if self.not_run else []),
        ]
        return f"{self.planned} planned = {' + '.join(terms)}"
