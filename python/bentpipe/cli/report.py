"""report: figures, tables and claims of a folder of results."""

from pathlib import Path

import click

from bentpipe.cli.options import example, json_option
from bentpipe.cli.output import echo, print_json


@click.command(epilog=example("bentpipe report results/first-page-simulate --anonymous --out published"))
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option(
    "--out",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Write all of it there; without, into the folder of results.",
)
@click.option(
    "--anonymous",
    is_flag=True,
    help="For publishing: leave out host, command line, names of users and absolute paths.",
)
@json_option
def report(folder: Path, out: Path | None, anonymous: bool, as_json: bool) -> None:
    """Write the report of a folder of results again."""
    from bentpipe import report as reports
    from bentpipe.ledger import Ledger

    Ledger(folder).close()
    written = reports.build(folder, out=out, is_anonymous=anonymous)
    if as_json:
        print_json({"report": str(written)})
    else:
        echo(str(written))
