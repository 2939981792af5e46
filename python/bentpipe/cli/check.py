"""check: whether budgets are kept, in virtual time, and what made a page slower."""

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bentpipe.cli.options import example, json_option
from bentpipe.cli.output import echo, print_columns, print_json
from bentpipe.engine.limits import MOST_AT_ONCE

if TYPE_CHECKING:
    from bentpipe.check.order import Checked

BROKEN = 1
_FILE = click.Path(path_type=Path, dir_okay=False)


@click.command(
    epilog="Exit status: 0 all budgets are kept, 1 one is broken, 2 bad input or missing ability.\n\n"
    + example("bentpipe check budget.toml --baseline dir:main/dist --junit check.xml")
)
@click.argument("budgets", metavar="BUDGET.toml", type=click.Path(path_type=Path))
@click.option(
    "--baseline",
    metavar="WHAT",
    help="What budgets with `regression` are compared with: another version of the page (dir:FOLDER, "
    "har:FILE), a folder of results in virtual time, or a file of --save.",
)
@click.option("--save", type=_FILE, metavar="FILE", help="Keep the runs in a file, as a baseline for later.")
@click.option("--junit", type=_FILE, metavar="FILE", help="Write the verdicts as JUnit's XML.")
@click.option(
    "--markdown", type=_FILE, metavar="FILE", help="Write them as Markdown, such as to $GITHUB_STEP_SUMMARY."
)
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Keep the runs, all forms of the verdicts and waterfalls of what changed in a folder of their own.",
)
@click.option(
    "--jobs", type=click.IntRange(1, MOST_AT_ONCE), metavar="N", help="Runs at once [default: cores]."
)
@json_option
def check(
    budgets: Path,
    baseline: str | None,
    save: Path | None,
    junit: Path | None,
    markdown: Path | None,
    out: Path | None,
    jobs: int | None,
    as_json: bool,
) -> None:
    """Judge the budgets of a file in virtual time.

    A budget holds a metric of pages, flows or pings to a limit, over links, by protocols, or in any scenario.
    Its verdict depends on nothing but the file, the site and this version, however busy the machine is. Of
    two versions of a site it tells what got slower, by which object and why.
    """
    from bentpipe.check import order as orders
    from bentpipe.check.baseline import baseline as baseline_of
    from bentpipe.check.budget import read_budgets
    from bentpipe.check.document import document
    from bentpipe.check.junit import document as junit_document
    from bentpipe.check.markdown import markdown as markdown_text
    from bentpipe.check.saved import saved_text
    from bentpipe.check.write import write
    from bentpipe.cli.progress import progress
    from bentpipe.engine.simulate import Simulator
    from bentpipe.output_folder import staged_file

    budget_file = read_budgets(budgets)
    against = None if baseline is None else baseline_of(baseline, budget_file)
    order = orders.Order(file=budget_file, baseline=against, folder=out, is_saved=save is not None, jobs=jobs)
    with ExitStack() as stack:
        # Before anything runs: where they cannot be written is told at once.
        files = {
            option: stack.enter_context(staged_file(path, field=option))
            for option, path in (("--save", save), ("--junit", junit), ("--markdown", markdown))
            if path is not None
        }
        checked, cells = orders.check(order, engine=Simulator(), progress=progress)
        contents = {
            "--save": lambda: saved_text(cells).encode(),
            "--junit": lambda: junit_document(checked),
            "--markdown": lambda: markdown_text(checked).encode(),
        }
        for option, file in files.items():
            file.write_bytes(contents[option]())
    if out is not None:
        write(checked, out)
    if as_json:
        print_json(document(checked))
    else:
        _tell(checked)
    if not checked.is_kept:
        raise SystemExit(BROKEN)


def _tell(checked: "Checked") -> None:
    from bentpipe.check.verdict import Verdict
    from bentpipe.check.words import HEADING, name_of, row, sentences, summary

    broken = {n for n, each in enumerate(checked.findings, 1) if each.verdict is Verdict.BROKEN}
    print_columns([HEADING, *map(row, checked.findings)], indent=0, marked=broken)
    for changed in checked.changes:
        echo("", f"What changed: {name_of(changed.cell)}")
        echo(*(f"  {sentence}" for sentence in sentences(changed.change)))
    echo("", summary(checked))
