"""The progress of a campaign on stderr: a bar on a terminal, a line every few seconds elsewhere."""

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from bentpipe._core import format_duration
from bentpipe.campaign.outcome import Ending, Outcome
from bentpipe.campaign.progress import Progress
from bentpipe.campaign.time_limit import Hopeless
from bentpipe.cli.output import echo

LINE_EVERY_S = 5.0
MOST_HOPELESS = 5
MILLISECOND_NS = 1_000_000


@contextmanager
def progress() -> Iterator[Progress]:
    """Yield the kind of progress that fits stderr, which is left as it was however the campaign ends."""
    if sys.stderr.isatty():
        with closing(BarProgress()) as bar:
            yield bar
    else:
        yield LineProgress()


class Counts:
    """Runs by how they ended."""

    def __init__(self) -> None:
        self.planned = 0
        self.by_status = {"succeeded": 0, "failed": 0, "invalid": 0}

    def __str__(self) -> str:
        ok, failed, invalid = self.by_status.values()
        return f"ok {ok} failed {failed} invalid {invalid}"


class LineProgress:
    """Plain lines."""

    def __init__(self) -> None:
        self._counts = Counts()
        self._started_s = self._told_s = 0.0
        self._already = 0

    def set_aside(self, *, attempts: int, folder: Path) -> None:
        """See Progress."""
        echo(_set_aside(attempts, folder), err=True)

    def remark(self, text: str) -> None:
        """See Progress."""
        echo(text, err=True)

    def hopeless(self, cells: Sequence[Hopeless]) -> None:
        """See Progress."""
        echo(*_hopeless(cells), err=True)

    def start(self, *, planned: int, already_succeeded: int) -> None:
        """See Progress."""
        self._counts.planned = planned
        self._counts.by_status["succeeded"] = self._already = already_succeeded
        self._started_s = self._told_s = time.monotonic()
        echo(f"{planned} runs, {already_succeeded} of them done before", err=True)

    def judged(self, *, status: str) -> None:
        """See Progress."""
        self._counts.by_status[status] += 1
        now_s = time.monotonic()
        if now_s - self._told_s < LINE_EVERY_S:
            return
        self._told_s = now_s
        done = sum(self._counts.by_status.values())
        runs_per_s = (done - self._already) / (now_s - self._started_s)
        left_s = (self._counts.planned - done) / runs_per_s
        echo(
            f"{done}/{self._counts.planned} {self._counts}, {_rate(runs_per_s)}, about {left_s:.0f} s left",
            err=True,
        )

    def repeating(self, *, runs: int, at_once: int) -> None:
        """See Progress."""
        echo(_repeating(runs, at_once), err=True)

    def interrupted(self, *, in_flight: int) -> None:
        """See Progress."""
        echo(_interrupted(in_flight), err=True)

    def end(self, outcome: Outcome) -> None:
        """See Progress."""
        echo(_sum(outcome), err=True)


class BarProgress:
    """A bar with counts, rate and time left; where the terminal is gone, nobody sees it, and nothing ends."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as Bar

        self._counts = Counts()
        self._bar = Bar(
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.description}"),
            TextColumn("{task.fields[rate]}"),
            TimeRemainingColumn(),
            console=Console(stderr=True, highlight=False),
        )
        self._task = self._bar.add_task(str(self._counts), total=None, rate="")
        self._started_s = 0.0
        self._judged = 0

    def set_aside(self, *, attempts: int, folder: Path) -> None:
        """See Progress."""
        self._print(_set_aside(attempts, folder))

    def remark(self, text: str) -> None:
        """See Progress."""
        self._print(text)

    def hopeless(self, cells: Sequence[Hopeless]) -> None:
        """See Progress."""
        for line in _hopeless(cells):
            self._print(line)

    def start(self, *, planned: int, already_succeeded: int) -> None:
        """See Progress."""
        self._counts.planned = planned
        self._counts.by_status["succeeded"] = already_succeeded
        with suppress(OSError):
            self._bar.update(
                self._task, total=planned, completed=already_succeeded, description=str(self._counts)
            )
            self._bar.start()
        self._started_s = time.monotonic()

    def judged(self, *, status: str) -> None:
        """See Progress."""
        self._counts.by_status[status] += 1
        self._judged += 1
        took_s = time.monotonic() - self._started_s
        rate = _rate(self._judged / took_s) if took_s > 0 else ""
        with suppress(OSError):
            self._bar.update(self._task, advance=1, description=str(self._counts), rate=rate)

    def repeating(self, *, runs: int, at_once: int) -> None:
        """See Progress."""
        self._print(_repeating(runs, at_once))

    def interrupted(self, *, in_flight: int) -> None:
        """See Progress."""
        self._print(_interrupted(in_flight))

    def end(self, outcome: Outcome) -> None:
        """See Progress."""
        self.close()
        self._print(_sum(outcome))

    def close(self) -> None:
        """Draw no more, and show the cursor again."""
        with suppress(OSError):
            self._bar.stop()

    def _print(self, line: str) -> None:
        with suppress(OSError):
            self._bar.console.print(line)


def _rate(runs_per_s: float) -> str:
    return f"{runs_per_s:.3g} runs/s"


def _set_aside(attempts: int, folder: Path) -> str:
    return f"at least {attempts} attempts that the index does not have: moved to {folder}"


def _hopeless(cells: Sequence[Hopeless]) -> list[str]:
    lines = [
        hopeless_line(cell, of=" · ".join(cell.factors.values()) or "a run") for cell in cells[:MOST_HOPELESS]
    ]
    left_out = len(cells) - len(lines)
    return [*lines, f"warning: and so for {left_out} further cells"] if left_out else lines


def hopeless_line(cell: Hopeless, *, of: str) -> str:
    """Return what is wrong with the time of a cell, which is called `of`."""
    least, timeout = map(format_duration, (cell.least_ns // MILLISECOND_NS * MILLISECOND_NS, cell.timeout_ns))
    return (
        f"warning: {of} takes at least {least} at the link's rate, and is given up after {timeout}: "
        "--set validity.timeout allows more"
    )


def _repeating(runs: int, at_once: int) -> str:
    fewer = "one at a time" if at_once == 1 else f"{at_once} at once"
    return f"{runs} runs were late and are repeated, {fewer}"


def _interrupted(in_flight: int) -> str:
    return f"interrupted: waiting for {in_flight} runs in flight (Ctrl-C again to leave at once)"


def _sum(outcome: Outcome) -> str:
    resume = "; the same command goes on from here" if outcome.ending is Ending.INTERRUPTED else ""
    return f"{outcome}{resume}"
