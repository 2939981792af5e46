"""serve: the workbench in a browser of this machine."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bentpipe.cli.options import example
from bentpipe.cli.output import echo
from bentpipe.engine.limits import MOST_AT_ONCE

if TYPE_CHECKING:
    from bentpipe.workbench.guard import Guard


@click.command(epilog=example("bentpipe serve results/alshagri2023-simulate --port 8080"))
@click.argument("results", required=False, type=click.Path(path_type=Path, file_okay=False))
@click.option(
    "--port",
    type=click.IntRange(0, 65_535),
    default=0,
    metavar="N",
    help="To listen on [default: any free one].",
)
@click.option(
    "--listen",
    default="127.0.0.1",
    metavar="ADDRESS",
    show_default=True,
    help="Of this machine. Beyond loopback the token can be seen by whoever sees the network.",
)
@click.option(
    "--token-file",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="The token, for a scraper of /metrics [default: a new one each time].",
)
@click.option(
    "--jobs", type=click.IntRange(1, MOST_AT_ONCE), metavar="N", help="Runs at once [default: cores]."
)
def serve(results: Path | None, port: int, listen: str, token_file: Path | None, jobs: int | None) -> None:
    """Compare page loads in a browser of this machine, and watch a campaign, until Ctrl-C.

    Open the address that it prints: choose a link, a page, protocols and congestion controls, and move loss
    and round trip while runs in virtual time stream in. With RESULTS, a folder that `bentpipe run` has
    written or writes at this moment (with --cluster too), it shows progress, runs without a number with
    their reasons, and first results. It needs no root and writes nothing. Metrics are at /metrics, as
    OpenMetrics.
    """
    from bentpipe.workbench.serving import Serving, serve, token_of

    serving = Serving(
        folder=results,
        address=listen,
        port=port,
        token=token_of(token_file),
        threads=jobs or len(os.sched_getaffinity(0)),
    )
    serve(serving, ready=_tell)


def _tell(guard: "Guard") -> None:
    echo(f"open {guard.url()}", "Ctrl-C ends it.")
