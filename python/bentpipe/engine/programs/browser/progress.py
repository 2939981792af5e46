"""How far a page load has come, and when it is over, whichever browser it is."""

import time
from abc import ABC, abstractmethod
from collections.abc import Set
from dataclasses import dataclass, field

from bentpipe.engine.programs.browser.pictures import Picture
from bentpipe.engine.programs.browser.remote import Event, Json

_QUIET_S = 0.3
"""Without a request in flight, after the load event and everything that the page has: it has been painted."""

_PATIENCE_S = 3.0
"""The same while something that the page has is missing: a script may ask for it yet."""


@dataclass(kw_only=True)
class Progress(ABC):
    """What has come of a load so far.

    Attributes
    ----------
    expected : set of str
        URLs of what the page has.
    started_ns : int
        When it started, by CLOCK_MONOTONIC.
    pictures : list of Picture
        Of the window, in order of time.
    seen : mapping
        What the page's own clock saw (measure.js); empty until it has been asked.
    """

    expected: Set[str]
    started_ns: int = field(default_factory=time.monotonic_ns)
    pictures: list[Picture] = field(default_factory=list)
    seen: Json = field(default_factory=dict)
    _quiet_since_s: float = float("inf")

    @abstractmethod
    def take(self, event: Event) -> None:
        """Take note of an event."""

    @abstractmethod
    def known(self) -> Set[str]:
        """Return the URLs of what is missing no longer."""

    def over_s(self) -> float:
        """When, by the monotonic clock, nothing more is to be waited for if nothing happens until then."""
        missing = self.expected - self.known()
        return self._quiet_since_s + (_PATIENCE_S if missing else _QUIET_S)

    def _note(self, event: Event, *, is_quiet: bool) -> None:
        """Take note of whether, after an event, the page has loaded and no request is in flight."""
        self._quiet_since_s = event.received_ns / 1e9 if is_quiet else float("inf")
