"""Finding a scheduler, or making one with its workers for as long as a campaign lasts."""

import logging
import shutil
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from distributed import Client, LocalCluster, Security

from bentpipe.campaign.cluster.choice import Cluster, LocalProcesses, RunningScheduler
from bentpipe.campaign.cluster.connection import Connection
from bentpipe.campaign.cluster.enrolment import DEATH_TIMEOUT_S, MODULE
from bentpipe.campaign.cluster.job_queue import JobQueue, System
from bentpipe.campaign.cluster.submitted import SubmittedJobs
from bentpipe.errors import ClusterError

CONNECT_TIMEOUT_S = 10.0
"""For a scheduler to answer."""

CLOSE_TIMEOUT_S = 5.0
"""For workers to end in order; then they are killed."""

LOCAL = "the cluster on this machine"

_TALKATIVE = ("asyncio", "distributed", "tornado")
"""Whose loggers tell of workers and schedulers that are lost; the first and the last run Dask's tasks."""


@dataclass(frozen=True, kw_only=True)
class Opened:
    """A cluster that is connected to, and the jobs that were submitted for it, if any."""

    connection: Connection
    jobs: SubmittedJobs | None = None


@contextmanager
def opened(cluster: Cluster) -> Iterator[Opened]:
    """Connect to a cluster; what is made for it ends with the context.

    Raises
    ------
    ClusterError
        When no scheduler answers, or workers or jobs cannot be started.
    """
    with _quiet():
        match cluster:
            case RunningScheduler(address=address):
                with closing(Connection(_client(address), place=address)) as connection:
                    yield Opened(connection=connection)
            case LocalProcesses(workers=workers):
                with _made(_local(workers), place=LOCAL) as connection:
                    yield Opened(connection=connection)
            case JobQueue() as queue:
                cluster_of_jobs, jobs = _jobs(queue)
                with _made(cluster_of_jobs, place=f"the jobs of {queue.system}") as connection:
                    yield Opened(connection=connection, jobs=jobs)


def _client(address: str) -> Client:
    try:
        return Client(address, timeout=CONNECT_TIMEOUT_S)
    except (OSError, TimeoutError, ValueError) as error:
        raise ClusterError(address, f"no scheduler answers ({error})") from error


@contextmanager
def _made(cluster: Any, *, place: str) -> Iterator[Connection]:
    try:
        with closing(Connection(Client(cluster), place=place)) as connection:
            yield connection
    finally:
        cluster.close(timeout=CLOSE_TIMEOUT_S)


def _local(workers: int) -> Any:
    """One thread a process: records are made under the interpreter's lock. No dashboard, no limit of memory.

    Encrypted with keys of this moment: whoever reaches a scheduler without them has programs run as its user,
    and this machine may have other users.
    """
    try:
        return LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            processes=True,
            preload=[MODULE],
            memory_limit=0,
            dashboard_address=None,
            # What it serves besides, such as its health, is for this machine too.
            scheduler_kwargs={"dashboard_address": "127.0.0.1:0", "dashboard": False},
            security=Security.temporary(),
            silence_logs=logging.CRITICAL,
            death_timeout=DEATH_TIMEOUT_S,
        )
    except (OSError, RuntimeError, TimeoutError) as error:
        raise ClusterError(LOCAL, f"its workers did not start ({error})") from error


def _jobs(queue: JobQueue) -> tuple[Any, SubmittedJobs]:
    """Return Dask's cluster of jobs, and the jobs, which are all in their queue."""
    from dask_jobqueue import PBSCluster, SLURMCluster

    table = queue.table
    make = {System.SLURM: SLURMCluster, System.PBS: PBSCluster}[queue.system]
    for command in (make.job_cls.submit_command, make.job_cls.cancel_command):
        if shutil.which(command) is None:
            raise ClusterError(str(queue.system), f"there is no command {command} on this machine")
    try:
        made = make(
            cores=table.cores,
            processes=table.cores,
            memory=table.memory,
            walltime=table.walltime,
            queue=table.queue,
            account=table.account,
            interface=table.interface,
            local_directory=table.local_directory,
            log_directory=table.log_directory,
            python=table.python,
            job_extra_directives=list(table.directives or ()),
            job_script_prologue=list(table.prologue or ()),
            worker_extra_args=["--preload", MODULE],
            death_timeout=DEATH_TIMEOUT_S,
            security=Security.temporary(),
            shared_temp_directory=table.log_directory,
        )
    except (OSError, RuntimeError, ValueError) as error:
        raise _not_submitted(queue, error) from error
    try:
        made.scale(jobs=table.jobs)
        ids = made.sync(_submitted, made)
    except (OSError, RuntimeError, ValueError) as error:
        # Dask counts on jobs that it has submitted.
        with suppress(AssertionError):
            made.close(timeout=CLOSE_TIMEOUT_S)
        raise _not_submitted(queue, error) from error
    return made, SubmittedJobs(queue.system, ids, log_directory=table.log_directory)


async def _submitted(made: Any) -> list[str]:
    """Return the numbers of all jobs when they are in their queue.

    Dask by itself logs why the system refuses them, and waits.
    """
    await made
    # One that was refused is submitted once more by being awaited, and raises.
    return [str((await job).job_id) for job in made.workers.values()]


def _not_submitted(queue: JobQueue, error: Exception) -> ClusterError:
    _, _, by_the_system = str(error).rpartition("stderr:\n")
    said = "; ".join(line.strip() for line in by_the_system.splitlines() if line.strip())
    return ClusterError(str(queue.system), f"jobs cannot be submitted ({said})")


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep Dask from reporting what is told in words of ours: workers lost, a scheduler gone."""
    names = [name for name in logging.root.manager.loggerDict if name.partition(".")[0] in _TALKATIVE]
    former = {logger: logger.level for logger in map(logging.getLogger, names)}
    for logger in former:
        logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for logger, level in former.items():
            logger.setLevel(level)
