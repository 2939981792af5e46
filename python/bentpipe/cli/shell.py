"""shell: any program behind the link."""

from pathlib import Path

import click

from bentpipe.cli.engines import require_emulate
from bentpipe.cli.options import link_option


@click.command(context_settings={"ignore_unknown_options": True})
@link_option
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
def shell(link: str, command: tuple[str, ...]) -> None:
    """Run any program of yours behind a link.

    The exit status is the program's.
    """
    from bentpipe.engine import emulate
    from bentpipe.scenario.links import link as resolved

    spec = resolved(link, folder=Path())
    require_emulate()
    raise SystemExit(emulate.shell(link=spec, command=list(command)))
