"""What the kernel says of a process in one line (proc_pid_stat(5))."""

from dataclasses import dataclass
from pathlib import Path
from typing import Self

_FIRST = 3
"""The number of the first field behind the program's name, as the manual counts."""


@dataclass(frozen=True, kw_only=True)
class ProcessStat:
    """A process at an instant.

    Attributes
    ----------
    state : str
        A letter: `Z` of one that waits for its parent to hear of its end.
    terminal : int
        The number of its controlling terminal; 0 without one.
    processor_ticks : int
        Its user and system time so far.
    ended_ticks : int
        That of its children which have ended and been waited for.
    start_ticks : int
        When it started, from boot on.
    """

    state: str
    terminal: int
    processor_ticks: int
    ended_ticks: int
    start_ticks: int

    @classmethod
    def of(cls, pid: int) -> Self:
        """Look at a process.

        Raises
        ------
        OSError
            When it has ended, or is out of sight (proc(5), hidepid).
        """
        # The program's name may be no text, and have blanks and parentheses.
        fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
        user, system, user_of_ended, system_of_ended = map(int, fields[14 - _FIRST : 18 - _FIRST])
        return cls(
            state=fields[3 - _FIRST].decode(),
            terminal=int(fields[7 - _FIRST]),
            processor_ticks=user + system,
            ended_ticks=user_of_ended + system_of_ended,
            start_ticks=int(fields[22 - _FIRST]),
        )
