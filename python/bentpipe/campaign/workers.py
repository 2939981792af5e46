"""What the executor asks of those who measure runs: threads of this process, or the workers of a cluster."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeAlias

from bentpipe.campaign.plan import PlannedRun
from bentpipe.model.record import RunRecord


@dataclass(frozen=True, kw_only=True, slots=True)
class Task:
    """A run to be measured.

    Attributes
    ----------
    run : PlannedRun
        What is measured.
    attempt : int
        Counted from 1.
    artifacts : Path or None
        A folder on this machine for captures and pictures; None where the run leaves none.
    """

    run: PlannedRun
    attempt: int
    artifacts: Path | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Finished:
    """A run with the record of this attempt, and the folder of its captures and logs."""

    run: PlannedRun
    attempt: int
    record: RunRecord
    artifacts: Path | None


class Waiting(Protocol):
    """The runs that nobody has begun, in the order of the plan."""

    def __len__(self) -> int:
        """How many there are."""

    def take(self) -> Task:
        """Begin an attempt at the next one."""


class Workers(Protocol):
    """Those who measure runs. All calls come from the thread that executes the campaign."""

    @property
    def in_flight(self) -> int:
        """The runs that were taken and have not been returned by `finished`, nor given up by `withdraw`."""

    def fill(self, waiting: Waiting) -> None:
        """Take as many runs as are needed for nobody to be idle; called after each run that has ended."""

    def finished(self, *, timeout_s: float) -> Finished | None:
        """Return a run that has ended, or None where there is none within `timeout_s`.

        Raises what was come upon that is no run's failure, such as a specification that the compiled core
        cannot read and thus has no record of.
        """

    def withdraw(self) -> None:
        """Have no further run begun: those that nobody measures are given up; `fill` is not called again."""


Hire: TypeAlias = Callable[[int], AbstractContextManager[Workers]]
"""Takes on workers that measure so many runs at once. Left early, they are abandoned with their runs."""


@dataclass(frozen=True, kw_only=True)
class Crew:
    """Whom a campaign has: how many runs they measure at once, and how to take them on."""

    jobs: int
    hire: Hire
