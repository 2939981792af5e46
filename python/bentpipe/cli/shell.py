"""shell: any program behind the link."""

from pathlib import Path

import click

from bentpipe.cli.engines import require_emulate
from bentpipe.cli.options import link_option

SERVED_PAGE = "uniform-500k"
"""What the origin serves meanwhile, for programs that want something to fetch."""


@click.command(context_settings={"ignore_unknown_options": True})
@link_option
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
def shell(link: str, command: tuple[str, ...]) -> None:
    """Run any program of yours behind a link.

    It runs at the client's end. At the other end, $BENTPIPE_SERVER, an origin serves a page over HTTP/1.1
    (port 80), HTTP/2 and HTTP/3 (port 443). Servers of your own start there with
    `ip netns exec $BENTPIPE_SERVER_NETNS`. The exit status is the program's.

    Example: bentpipe shell --link geo-viasat2 -- curl -s -o /dev/null http://198.18.0.2/
    """
    from bentpipe.engine import shell as shells
    from bentpipe.scenario import resolve_document

    run = {"link": link, "http": "h2", "page": SERVED_PAGE}
    scenario = resolve_document(
        {"repetitions": 1, "run": run}, file="command line", folder=Path(), default_name="shell"
    )
    require_emulate()
    raise SystemExit(shells.run(spec={**scenario.cells[0].spec, "seed": scenario.seed}, command=command))
