"""What a search tells while it runs."""

from collections.abc import Mapping
from typing import Protocol


class Listener(Protocol):
    """Called from the thread that searches."""

    def compares(self, *, settings: int, links: int, is_all: bool) -> None:
        """Tell how many settings are tried, and whether these are all that there are."""

    def runs(self, *, runs: int) -> None:
        """Tell how many runs the next step takes."""

    def ran(self) -> None:
        """Tell that one of them has ended."""

    def looked(self, *, runs_each: int, left: Mapping[str, int]) -> None:
        """Tell how many settings may still be the fastest, by link, after so many runs of each."""
