"""The cluster that a user asks for by `--cluster`."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from bentpipe.campaign.cluster.job_queue import JobQueue, read_job_queue
from bentpipe.engine.limits import MOST_AT_ONCE
from bentpipe.errors import InputError
from bentpipe.scenario.written.command_line import COMMAND_LINE
from bentpipe.scenario.written.location import Location, quoted

OPTION = "--cluster"
EXPECTED = (
    f"tcp://HOST:PORT of a scheduler, local:N (1 to {MOST_AT_ONCE} workers here), or a TOML file of jobs"
)

LARGEST_PORT = 65_535
ADDRESS = f"tcp://HOST:PORT of a scheduler, with a port from 1 to {LARGEST_PORT}"

_ADDRESS = re.compile(r"(tcp|tls)://(\[[0-9A-Fa-f:.]+\]|[^\s:/\[\]]+):([0-9]{1,5})")
_LOCAL = "local"


@dataclass(frozen=True, kw_only=True)
class RunningScheduler:
    """A Dask scheduler that runs already, by its address such as `tcp://host:8786`."""

    address: str


@dataclass(frozen=True, kw_only=True)
class LocalProcesses:
    """So many worker processes on this machine, made and ended by the command."""

    workers: int


Cluster: TypeAlias = RunningScheduler | LocalProcesses | JobQueue


def parse(text: str, *, jobs: int | None = None) -> Cluster:
    """Return the cluster that `--cluster` asks for; `jobs` is what `--jobs` does, which goes with none.

    Raises
    ------
    InputError
        When it is none, or the file of jobs has a fault, or runs at once are asked for besides.
    """
    if jobs is not None:
        expected = "nothing, as a cluster has as many runs at once as workers"
        raise InputError(file=COMMAND_LINE, field="--jobs", expected=expected, found=str(jobs))
    where = Location(file=COMMAND_LINE, field=OPTION)
    if _is_address(text):
        return RunningScheduler(address=text)
    kind, colon, number = text.partition(":")
    if colon and kind == _LOCAL:
        workers = int(number) if re.fullmatch("[0-9]{1,4}", number) else 0
        if not 1 <= workers <= MOST_AT_ONCE:
            raise where.error(expected=EXPECTED, found=quoted(text))
        return LocalProcesses(workers=workers)
    if "://" in text or not text.endswith(".toml"):
        raise where.error(expected=EXPECTED, found=quoted(text))
    return read_job_queue(Path(text))


def scheduler_address(text: str, where: Location) -> str:
    """Return the address of a scheduler as it is written; an InputError says that it is none."""
    if not _is_address(text):
        raise where.error(expected=ADDRESS, found=quoted(text))
    return text


def _is_address(text: str) -> bool:
    found = _ADDRESS.fullmatch(text)
    return found is not None and 1 <= int(found[3]) <= LARGEST_PORT
