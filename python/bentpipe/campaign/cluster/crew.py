"""The crew of a campaign on a cluster."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING

from bentpipe.campaign.cluster import release
from bentpipe.campaign.cluster.choice import OPTION, Cluster, LocalProcesses, RunningScheduler
from bentpipe.campaign.engine import Engine
from bentpipe.campaign.progress import Progress
from bentpipe.campaign.workers import Crew
from bentpipe.engine import emulate
from bentpipe.errors import AbilityError, ClusterError, InputError
from bentpipe.scenario.written.command_line import COMMAND_LINE

if TYPE_CHECKING:
    from bentpipe.campaign.cluster.dispatch import Dispatcher

PACKAGES = ("distributed", "dask_jobqueue", "cryptography")
"""Of the extra `cluster`."""

REMEDY = "pip install 'cryptography>=44' 'dask-jobqueue>=0.9' 'distributed>=2025.5'"

WAIT_FOR_WORKERS_S = 60.0
"""For the first worker of a scheduler that runs already; jobs may wait in their queue for any time."""


@contextmanager
def crew(cluster: Cluster, *, engine: Engine, progress: Progress) -> Iterator[Crew]:
    """Yield the workers of a cluster as those of a campaign.

    The cluster is made or connected to when they are taken on for the first time, which raises a ClusterError
    where that fails, and given up at the end.
    """
    with ExitStack() as stack:

        @cache
        def dispatcher() -> "Dispatcher":
            return _dispatcher(cluster, engine=engine, progress=progress, stack=stack)

        # A worker emulates one run at a time as it is: those that were late are repeated by all of them.
        yield Crew(jobs=1, hire=lambda _: dispatcher())


def require(cluster: Cluster, *, engine: Engine) -> None:
    """Refuse a cluster that an engine cannot have; nothing is started or asked.

    Raises
    ------
    InputError
        When emulated runs are to go to several processes of one machine, or to jobs, which are no root's.
    AbilityError
        When the packages are not installed.
    """
    require_packages()
    if engine.name != emulate.NAME or isinstance(cluster, RunningScheduler):
        return
    expected, found = (
        ("other machines, for one emulates one run at a time", f"local:{cluster.workers}")
        if isinstance(cluster, LocalProcesses)
        else (
            "workers that root has started by `bentpipe worker ADDRESS --emulate`",
            f"jobs of {cluster.system}",
        )
    )
    expected = f"{expected} (engine {emulate.NAME})"
    raise InputError(file=COMMAND_LINE, field=OPTION, expected=expected, found=found)


def require_packages() -> None:
    """Raise an AbilityError where the packages of the extra are not installed."""
    missing = [name for name in PACKAGES if find_spec(name) is None]
    if missing:
        raise AbilityError(f"clusters need the packages {', '.join(missing)}", f"install them with: {REMEDY}")


def _dispatcher(cluster: Cluster, *, engine: Engine, progress: Progress, stack: ExitStack) -> "Dispatcher":
    # Importing Dask takes a second.
    from bentpipe.campaign.cluster.dispatch import Dispatcher
    from bentpipe.campaign.cluster.launch import opened
    from bentpipe.campaign.cluster.roll import Roll

    own = release.own()
    found = stack.enter_context(opened(cluster))
    connection = found.connection
    schedulers = connection.scheduler_release()
    if schedulers != own:
        raise ClusterError(connection.place, f"the scheduler has {schedulers.differences(own)}")
    dashboard = connection.dashboard
    if dashboard is not None:
        progress.remark(f"dashboard: {dashboard}")
    roll = Roll(
        connection,
        release=own,
        is_emulated=engine.name == emulate.NAME,
        longest_wait_s=WAIT_FOR_WORKERS_S if isinstance(cluster, RunningScheduler) else None,
        jobs=found.jobs,
        progress=progress,
    )
    return Dispatcher(connection, roll=roll, engine=engine.name, progress=progress)
