"""What a campaign tells while it runs."""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from bentpipe.campaign.outcome import Outcome
from bentpipe.campaign.time_limit import Hopeless


class Progress(Protocol):
    """A listener; called from the thread that executes the campaign, never from two at once."""

    def set_aside(self, *, attempts: int, folder: Path) -> None:
        """Tell that attempts which the index does not have were moved to a folder."""

    def remark(self, text: str) -> None:
        """Tell something of those who measure, such as that one of them is refused."""

    def hopeless(self, cells: Sequence[Hopeless]) -> None:
        """Tell which cells cannot end in their time; not called where there are none."""

    def start(self, *, planned: int, already_succeeded: int) -> None:
        """Tell how many runs there are, and how many of them need not be run again."""

    def judged(self, *, status: str) -> None:
        """Tell how a run ended for good."""

    def repeating(self, *, runs: int, at_once: int) -> None:
        """Tell that runs which were late are now repeated, fewer at once."""

    def interrupted(self, *, in_flight: int) -> None:
        """Tell that no further run is started and how many are being waited for."""

    def end(self, outcome: Outcome) -> None:
        """Tell the sum."""
