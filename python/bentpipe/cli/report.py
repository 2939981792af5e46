"""report: figures, tables and claims of a folder of results."""

from pathlib import Path

import click

from bentpipe.cli.options import json_option
from bentpipe.cli.output import print_json


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@json_option
def report(folder: Path, as_json: bool) -> None:
    """Write the report of a folder of results again."""
    from bentpipe import report as reports
    from bentpipe.ledger import Ledger

    Ledger(folder).close()
    written = reports.build(folder)
    if as_json:
        print_json({"report": str(written)})
    else:
        click.echo(str(written))
