"""packetdrill: verdicts of scripts of segments and system calls on the kernel's TCP or the simulated one."""

from pathlib import Path

import click

from bentpipe.cli import engines
from bentpipe.cli.group import SOME_RUNS_FAILED
from bentpipe.cli.output import echo

_COUNTED = {"passed": "passed", "failed": "failed", "needs": "need more"}
LARGEST_BYTES = 1_000_000
"""Of a script; the longest known has some thousand lines."""


@click.command()
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--engine",
    type=click.Choice(["emulate", "simulate"]),
    default="simulate",
    show_default=True,
    help="Against this machine's kernel (in a network namespace), or the simulated endpoint.",
)
@click.option(
    "--junit",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write the verdicts there too, as JUnit has them.",
)
def packetdrill(files: tuple[Path, ...], engine: str, junit: Path | None) -> None:
    """Judge a TCP endpoint by scripts in the language of packetdrill.

    A script passes, fails at its first difference, or needs what the engine has not got. With
    `--engine emulate` its shell commands are run as they stand; with `simulate` those that set what the
    endpoint has are understood, and none is run.
    """
    from bentpipe.engine import packetdrill as scripts
    from bentpipe.engine.packetdrill import junit as documents
    from bentpipe.output_folder import staged_file

    if engine == "emulate":
        engines.require_emulate()
    texts = {path: _text(path) for path in files}
    judge = scripts.emulate if engine == "emulate" else scripts.simulate
    verdicts = {}
    for path, text in texts.items():
        verdict = verdicts[str(path)] = judge(path, text)
        echo(verdict.words(str(path)))
    if junit is not None:
        with staged_file(junit, field="--junit") as file:
            file.write_bytes(documents.document(verdicts, engine=engine))
    counts = {
        outcome: sum(each.outcome is outcome for each in verdicts.values()) for outcome in scripts.Outcome
    }
    echo("", ", ".join(f"{count} {_COUNTED[outcome.value]}" for outcome, count in counts.items() if count))
    if counts[scripts.Outcome.FAILED]:
        click.get_current_context().exit(SOME_RUNS_FAILED)


def _text(path: Path) -> str:
    from bentpipe.scenario.written.location import Location
    from bentpipe.scenario.written.user_file import read_user_file, utf8_text

    where = Location(file=str(path), field="FILE")
    return utf8_text(read_user_file(path, where, kind="script", largest_bytes=LARGEST_BYTES), where)
