"""Progress where Python shows it: in the cell of a notebook, or on stderr as the command line has it."""

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any, Protocol

from bentpipe.campaign.outcome import Ending, Outcome
from bentpipe.campaign.progress import Progress
from bentpipe.campaign.time_limit import Hopeless
from bentpipe.cli.progress import Counts, progress

SHOWN_EVERY_S = 0.2
"""More often nobody can read it, and each time is a message to the browser."""


class Handle(Protocol):
    """A place in a notebook whose content can be replaced; IPython's DisplayHandle is one."""

    def update(self, obj: Any, **options: Any) -> None:
        """Show something else there."""


@contextmanager
def shown() -> Iterator[Progress]:
    """Yield what shows progress here."""
    handle = _cell()
    if handle is None:
        with progress() as told:
            yield told
    else:
        yield CellProgress(handle)


def untold() -> "nullcontext[Progress]":
    """Return what tells nobody anything."""
    return nullcontext(Untold())


class Untold:
    """Says nothing."""

    def set_aside(self, *, attempts: int, folder: Path) -> None:
        """See Progress."""

    def hopeless(self, cells: Sequence[Hopeless]) -> None:
        """See Progress."""

    def remark(self, text: str) -> None:
        """See Progress."""

    def start(self, *, planned: int, already_succeeded: int) -> None:
        """See Progress."""

    def judged(self, *, status: str) -> None:
        """See Progress."""

    def repeating(self, *, runs: int, at_once: int) -> None:
        """See Progress."""

    def interrupted(self, *, in_flight: int) -> None:
        """See Progress."""

    def end(self, outcome: Outcome) -> None:
        """See Progress."""


class CellProgress(Untold):
    """One line and a bar in a notebook's cell; at the end the sum, which is the same each time."""

    def __init__(self, handle: Handle) -> None:
        self._handle = handle
        self._counts = Counts()
        self._already = 0
        self._started_s = self._shown_s = 0.0

    def start(self, *, planned: int, already_succeeded: int) -> None:
        """See Progress."""
        self._counts.planned = planned
        self._counts.by_status["succeeded"] = self._already = already_succeeded
        self._started_s = time.monotonic()
        self._show()

    def judged(self, *, status: str) -> None:
        """See Progress."""
        self._counts.by_status[status] += 1
        if time.monotonic() - self._shown_s >= SHOWN_EVERY_S:
            self._show()

    def interrupted(self, *, in_flight: int) -> None:
        """See Progress."""
        self._handle.update(Line(f"interrupted: waiting for {in_flight} runs in flight"))

    def end(self, outcome: Outcome) -> None:
        """See Progress."""
        goes_on = "; the same call goes on from here" if outcome.ending is Ending.INTERRUPTED else ""
        self._handle.update(Line(f"{outcome}{goes_on}"))

    def _show(self) -> None:
        self._shown_s = now_s = time.monotonic()
        done, planned = sum(self._counts.by_status.values()), self._counts.planned
        fresh = done - self._already
        left = f", about {(now_s - self._started_s) / fresh * (planned - done):.0f} s left" if fresh else ""
        self._handle.update(Line(f"{done}/{planned} {self._counts}{left}", share=done / max(planned, 1)))


class Line:
    """A line of text, in HTML with a bar where a share of the whole is told."""

    def __init__(self, text: str, *, share: float | None = None) -> None:
        self.text = text
        self.share = share

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        bar = "" if self.share is None else f'<progress value="{self.share:.3f}" max="1"></progress> '
        return f"<div>{bar}<small>{self.text}</small></div>"


def _cell() -> Handle | None:
    """Return a new place in the cell that runs now; None outside a notebook."""
    # Whoever runs in a notebook has imported it; nobody else pays for it.
    if "IPython" not in sys.modules:
        return None
    from IPython.core.getipython import get_ipython
    from IPython.display import display

    shell = get_ipython()
    if shell is None or not hasattr(shell, "kernel"):
        return None
    handle: Handle = display(Line("starting"), display_id=True)  # type: ignore[no-untyped-call]
    return handle
