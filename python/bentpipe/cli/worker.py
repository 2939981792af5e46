"""worker: measure the batches that a Dask scheduler gives out."""

import os
import sys

import click

from bentpipe.cli.options import example
from bentpipe.engine.limits import MOST_AT_ONCE
from bentpipe.errors import AbilityError


@click.command(epilog=example("bentpipe worker tcp://192.0.2.1:8786 --processes 4"))
@click.argument("address", metavar="tcp://HOST:PORT")
@click.option(
    "--processes",
    type=click.IntRange(1, MOST_AT_ONCE),
    metavar="N",
    help="Runs at once, each in a process of its own [default: cores].",
)
@click.option(
    "--emulate",
    "is_emulating",
    is_flag=True,
    help="Measure emulated runs, one at a time. Needs root, and what else `bentpipe doctor` asks for.",
)
def worker(address: str, processes: int | None, is_emulating: bool) -> None:
    """Measure runs for campaigns with --cluster, until Ctrl-C.

    It is Dask's own worker, with one thread a process, which tells the scheduler which Bentpipe it has:
    campaigns of another one give it no runs. It ends when its scheduler does.
    """
    from bentpipe.campaign.cluster import crew, enrolment
    from bentpipe.campaign.cluster.choice import scheduler_address
    from bentpipe.campaign.requirements import require_emulate
    from bentpipe.scenario.written.command_line import COMMAND_LINE
    from bentpipe.scenario.written.location import Location

    crew.require_packages()
    scheduler_address(address, Location(file=COMMAND_LINE, field="ADDRESS"))
    if is_emulating:
        require_emulate()
        if processes not in (None, 1):
            raise AbilityError(
                f"--processes {processes} cannot emulate: runs at once would make each other late",
                "leave out --processes",
            )
    cores = len(os.sched_getaffinity(0))
    offers = ["--resources", f"{enrolment.EMULATE}=1"] if is_emulating else []
    arguments = [
        address,
        *("--nworkers", str(1 if is_emulating else processes or cores)),
        *("--nthreads", "1"),
        *("--memory-limit", "0"),
        *("--death-timeout", str(enrolment.DEATH_TIMEOUT_S)),
        *("--preload", enrolment.MODULE),
        *offers,
    ]
    os.execv(sys.executable, [sys.executable, "-m", "distributed.cli.dask_worker", *arguments])
