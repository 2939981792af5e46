"""The crew of a campaign on a cluster."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec

from bentpipe.campaign.cluster import release
from bentpipe.campaign.cluster.choice import Cluster, LocalProcesses, RunningScheduler
from bentpipe.campaign.engine import Engine
from bentpipe.campaign.progress import Progress
from bentpipe.campaign.workers import Crew
from bentpipe.engine import emulate
from bentpipe.errors import AbilityError, ClusterError, InputError
from bentpipe.scenario.written.command_line import COMMAND_LINE

PACKAGES = ("distributed", "dask_jobqueue", "cryptography")
"""Of the extra `cluster`."""

REMEDY = "install Bentpipe with its extra: pip install bentpipe[cluster]"

WAIT_FOR_WORKERS_S = 30.0
"""For the first worker of a scheduler that runs already; jobs may wait in their queue for any time."""


@contextmanager
def crew(cluster: Cluster, *, engine: Engine, progress: Progress) -> Iterator[Crew]:
    """Connect to a cluster, and yield its workers as those of a campaign.

    Raises
    ------
    InputError
        When emulated runs are to go to several processes of one machine.
    AbilityError
        When the packages are not installed, or no worker fits.
    ClusterError
        When no scheduler answers, or it has no workers.
    """
    require_packages()
    is_emulated = engine.name == emulate.NAME
    if is_emulated and isinstance(cluster, LocalProcesses):
        raise InputError(
            file=COMMAND_LINE,
            field="--cluster",
            expected="other machines for --engine emulate, for one machine emulates one run at a time there",
            found=f"local:{cluster.workers}",
        )
    # These import Dask, which takes a second.
    from bentpipe.campaign.cluster.dispatch import Dispatcher
    from bentpipe.campaign.cluster.launch import opened
    from bentpipe.campaign.cluster.roll import Roll

    own = release.own()
    with opened(cluster) as connection:
        schedulers = connection.scheduler_release()
        if schedulers != own:
            raise ClusterError(connection.place, f"the scheduler has {schedulers.differences(own)}")
        dashboard = connection.dashboard
        if dashboard is not None:
            progress.remark(f"dashboard: {dashboard}")
        roll = Roll(connection, release=own, is_emulated=is_emulated, progress=progress)
        roll.await_first(longest_s=WAIT_FOR_WORKERS_S if isinstance(cluster, RunningScheduler) else None)
        roll.look()
        dispatcher = Dispatcher(connection, roll=roll, engine=engine.name, progress=progress)
        # A worker emulates one run at a time as it is: those that were late are repeated by all of them.
        yield Crew(jobs=roll.at_once, hire=lambda _: dispatcher)


def require_packages() -> None:
    """Raise an AbilityError where the packages of the extra are not installed."""
    missing = [name for name in PACKAGES if find_spec(name) is None]
    if missing:
        raise AbilityError(f"clusters need the packages {', '.join(missing)}", REMEDY)
