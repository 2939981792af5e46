"""The command line. One file per group of commands; what is slow to import is imported where it is used."""

from bentpipe.cli.advise import advise
from bentpipe.cli.builtin import links, pages, studies
from bentpipe.cli.check import check
from bentpipe.cli.compare import compare
from bentpipe.cli.experiment import reproduce, run
from bentpipe.cli.explain import explain
from bentpipe.cli.export import export
from bentpipe.cli.group import Commands
from bentpipe.cli.machine import bench, clean, doctor
from bentpipe.cli.measure import bulk, page, ping
from bentpipe.cli.packetdrill import packetdrill
from bentpipe.cli.report import report
from bentpipe.cli.serve import serve
from bentpipe.cli.shell import shell
from bentpipe.cli.show import show
from bentpipe.cli.worker import worker

__all__ = ["main"]

main = Commands(
    name="bentpipe",
    help="Measure how the web and its transport protocols behave over satellite links.",
    epilog="Exit status: 0 all runs succeeded, 1 some failed or invalid, 2 bad input or missing ability.",
)
for command in (
    doctor, links, pages, studies, run, reproduce, advise, check, page, bulk, ping, shell,
    serve, report, show, compare, explain, export, packetdrill, worker, clean, bench,
):  # fmt: skip
    main.add_command(command)
