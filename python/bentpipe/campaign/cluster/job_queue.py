"""A file that says how workers are submitted as jobs to Slurm or PBS."""

import re
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from pydantic import Field

from bentpipe.scenario.written.location import Location, quoted
from bentpipe.scenario.written.quantity import count, size_bytes
from bentpipe.scenario.written.table import A_TABLE, COUNT, SIZE, Table, validated
from bentpipe.scenario.written.toml import read_toml

TEXT = "text"
LINES = "a list of lines of text"
WALLTIME = 'hours, minutes and seconds such as "02:00:00", after days such as "1-12:00:00" if need be'

MOST_JOBS = 10_000
MOST_CORES = 1024

_WALLTIME = re.compile(r"([0-9]{1,3}-)?[0-9]{1,4}:[0-9]{2}(:[0-9]{2})?")


class System(StrEnum):
    """What jobs are submitted to; also the name of its table."""

    SLURM = "slurm"
    PBS = "pbs"


class JobTable(Table):
    """A job, and how many of them: one worker process for each of its cores.

    Attributes
    ----------
    jobs : int
        How many are submitted.
    cores : int
        Of each job.
    memory : str
        Of each job.
    walltime, queue, account : str or None
        As the system has them; None for its default.
    interface : str or None
        The network interface by which nodes reach the machine of the command, such as "ib0".
    local_directory : str or None
        A folder on the node for files of Dask.
    log_directory : str or None
        A shared folder for what jobs print.
    python : str or None
        The interpreter on the nodes; None for the one that runs the command.
    directives : list of str or None
        Further lines for the head of the job's script, without #SBATCH or #PBS.
    prologue : list of str or None
        Commands before the worker starts, such as "module load python".
    """

    jobs: int = Field(description=COUNT)
    cores: int = Field(description=COUNT)
    memory: str = Field(description=SIZE)
    walltime: str | None = Field(default=None, description=WALLTIME)
    queue: str | None = Field(default=None, description=TEXT)
    account: str | None = Field(default=None, description=TEXT)
    interface: str | None = Field(default=None, description='a network interface such as "ib0"')
    local_directory: str | None = Field(default=None, description="a folder on the nodes")
    log_directory: str | None = Field(default=None, description="a folder that the nodes share")
    python: str | None = Field(default=None, description="an interpreter on the nodes")
    directives: list[str] | None = Field(default=None, description=LINES)
    prologue: list[str] | None = Field(default=None, description=LINES)


class _File(Table):
    slurm: JobTable | None = Field(default=None, description=A_TABLE)
    pbs: JobTable | None = Field(default=None, description=A_TABLE)


@dataclass(frozen=True, kw_only=True)
class JobQueue:
    """Workers as jobs of a cluster's own system."""

    system: System
    table: JobTable


def read_job_queue(path: Path) -> JobQueue:
    """Return what a file says of jobs.

    Raises
    ------
    InputError
        When it is not there, is no TOML, or has a key or a value that it cannot have.
    """
    where = Location(file=str(path))
    file = validated(_File, read_toml(path), where)
    match file.written():
        case ("slurm",):
            system, table = System.SLURM, file.slurm
        case ("pbs",):
            system, table = System.PBS, file.pbs
        case written:
            found = " and ".join(f"[{name}]" for name in written) or "neither"
            raise where.error(expected="one of the tables [slurm] and [pbs]", found=found)
    assert table is not None
    _check(table, where.at(system))
    return JobQueue(system=system, table=table)


def _check(table: JobTable, where: Location) -> None:
    count(table.jobs, where.at("jobs"), least=1, most=MOST_JOBS)
    count(table.cores, where.at("cores"), least=1, most=MOST_CORES)
    size_bytes(table.memory, where.at("memory"))
    if table.walltime is not None and not _WALLTIME.fullmatch(table.walltime):
        raise where.at("walltime").error(expected=WALLTIME, found=quoted(table.walltime))
