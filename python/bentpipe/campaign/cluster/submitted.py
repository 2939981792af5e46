"""Jobs that were submitted to Slurm or PBS: what their queue says of them, and what they have printed.

Asked only while no worker is there: jobs may wait in their queue for any time, but of those that have ended
no worker will come.
"""

import getpass
import re
import subprocess
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bentpipe.campaign.cluster.job_queue import System
from bentpipe.campaign.progress import Progress
from bentpipe.errors import ClusterError

LOOK_EVERY_S = 5.0
"""How often a queue is asked, which all users of a cluster share."""

ANSWER_TIMEOUT_S = 10.0

GONE = "no longer in the queue"

_TAIL_BYTES = 4096
_LONGEST_LINE = 200


@dataclass(frozen=True, kw_only=True)
class _Queue:
    """How a system tells of a user's jobs.

    Attributes
    ----------
    command : tuple of str
        What lists them, before the user's name.
    row : re.Pattern
        A job in that list, with the groups `id`, `state`, and `why` where the system says it.
    over : frozenset of str
        The states of jobs that will not run any more; others leave the list.
    logs : str
        What names of files match that a job has printed to, `{id}` in place of its own; errors sort first.
    """

    command: tuple[str, ...]
    row: re.Pattern[str]
    over: frozenset[str]
    logs: str


_QUEUES: Mapping[System, _Queue] = {
    # squeue(1), "JOB STATE CODES"; sbatch(1), --output
    System.SLURM: _Queue(
        command=("squeue", "--noheader", "--states=all", "--format=%i %T %r", "--user"),
        row=re.compile(r"\s*(?P<id>\d+)\s+(?P<state>\S+)\s+(?P<why>.*?)\s*"),
        over=frozenset(
            {"BOOT_FAIL", "CANCELLED", "COMPLETED", "DEADLINE", "FAILED"}
            | {"NODE_FAIL", "OUT_OF_MEMORY", "PREEMPTED", "TIMEOUT"}
        ),
        logs=r".*-{id}\.(err|out)",
    ),
    # qstat(1B): the state is the last column but one. Files: OpenPBS in a folder, else as POSIX has qsub -e.
    System.PBS: _Queue(
        command=("qstat", "-u"),
        row=re.compile(r"\s*(?P<id>\d+)\S*\s.*\s(?P<state>[A-Z])\s+\S+\s*(?P<why>)"),
        over=frozenset("CFX"),
        logs=r"{id}\..*(ER|OU)|.*\.[eo]{id}",
    ),
}


@dataclass(frozen=True, kw_only=True)
class _State:
    """What a queue says of a job, in its own words, and whether that is its end."""

    words: str
    is_over: bool


_ABSENT = _State(words=GONE, is_over=True)


class SubmittedJobs:
    """The jobs of one campaign."""

    def __init__(self, system: System, ids: Sequence[str], *, log_directory: str | None) -> None:
        self._system = system
        self._queue = _QUEUES[system]
        self._ids = ids
        # Without one they print to where they were submitted.
        self._logs = Path(log_directory or ".").absolute()
        self._looked_s = time.monotonic()
        self._told = ""
        self._ended = 0

    def look(self, progress: Progress) -> None:
        """Ask the queue, if that was not done a moment ago; tell what has changed.

        Raises
        ------
        ClusterError
            When all jobs have ended; says what the queue says of one, and what it has printed.
        """
        if time.monotonic() - self._looked_s < LOOK_EVERY_S:
            return
        listed = self._listed(progress)
        self._looked_s = time.monotonic()
        if listed is None:
            return
        states = {job: listed.get(job, _ABSENT) for job in self._ids}
        ended = [job for job, state in states.items() if state.is_over]
        if len(ended) == len(states):
            raise ClusterError(str(self._system), self._obituary(ended, states))
        if len(ended) > self._ended:
            self._ended = len(ended)
            progress.remark(f"{self._system}: {self._obituary(ended, states)}")
        kinds = Counter(state.words for state in states.values() if not state.is_over)
        told = ", ".join(sorted(kinds))
        if told != self._told:
            self._told = told
            counted = ", ".join(f"{count} {words}" for words, count in sorted(kinds.items()))
            progress.remark(f"waiting for a worker; jobs of {self._system}: {counted}")

    def _listed(self, progress: Progress) -> dict[str, _State] | None:
        """Return the jobs of this user by number; None where the queue does not answer."""
        command = [*self._queue.command, getpass.getuser()]
        try:
            answer = subprocess.run(
                command,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=ANSWER_TIMEOUT_S,
                check=True,
            )
        except (OSError, subprocess.SubprocessError) as error:
            told = f"{command[0]} does not say what becomes of jobs ({error}); waiting for them"
            if told != self._told:
                self._told = told
                progress.remark(told)
            return None
        rows = filter(None, map(self._queue.row.fullmatch, answer.stdout.splitlines()))
        return {row["id"]: self._state(row) for row in rows}

    def _state(self, row: re.Match[str]) -> _State:
        words = f"{row['state']} ({row['why']})" if row["why"] not in ("", "None") else row["state"]
        return _State(words=words, is_over=row["state"] in self._queue.over)

    def _obituary(self, ended: Sequence[str], states: Mapping[str, _State]) -> str:
        """Say how many have ended, and of the last one how."""
        job = ended[-1]
        count = f"{len(ended)} of {len(states)} jobs {'has' if len(ended) == 1 else 'have'} ended"
        return f"{count}: job {job} is {states[job].words}; {self._printed(job)}"

    def _printed(self, job: str) -> str:
        """Say where the log of a job is, and how it ends."""
        name = re.compile(self._queue.logs.format(id=job))
        try:
            logs = sorted(path for path in self._logs.iterdir() if name.fullmatch(path.name))
            lines = {path: line for path in logs if (line := _last_line(path))}
        except OSError as error:
            return f"its log cannot be read ({error})"
        if lines:
            path, line = next(iter(lines.items()))
            return f"its log {path} ends with {line!r}"
        return f"its log {logs[0]} is empty" if logs else f"there is no log of it in {self._logs}"


def _last_line(path: Path) -> str:
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - _TAIL_BYTES))
        text = file.read().decode(errors="replace")
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1][:_LONGEST_LINE] if lines else ""
