"""packetdrill: verdicts of scripts of segments and system calls on the kernel's TCP or the simulated one."""

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import click

from bentpipe.cli import engines
from bentpipe.cli.group import SOME_RUNS_FAILED
from bentpipe.cli.options import example
from bentpipe.cli.output import echo, echo_text
from bentpipe.errors import BAD_INPUT_OR_ABILITY, InputError

_SUFFIX = ".pkt"
LARGEST_BYTES = 1_000_000
"""Of a script; the longest known has some thousand lines."""


@click.command(epilog=example("bentpipe packetdrill handshake.pkt --engine simulate --junit verdicts.xml"))
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--engine",
    type=click.Choice(["emulate", "simulate"]),
    default="simulate",
    show_default=True,
    help="Against this machine's kernel (in a network namespace), or the simulated endpoint.",
)
@click.option(
    "--ip-version",
    type=click.Choice(["ipv4", "ipv4-mapped-ipv6", "ipv6"]),
    help="Of sockets and packets, whatever the scripts say.",
)
@click.option(
    "--define",
    "-D",
    "definitions",
    metavar="NAME=VALUE",
    multiple=True,
    help="What a name stands for in calls and cookies.",
)
@click.option(
    "--option",
    "-O",
    "options",
    metavar="NAME=VALUE",
    multiple=True,
    help="An option of packetdrill, such as `mtu=1520`, whatever the scripts say.",
)
@click.option(
    "--unexpected",
    is_flag=True,
    help="Show what the endpoint sent that no line of a script that passes expects, as lines of a script.",
)
@click.option(
    "--junit",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write the verdicts there too, as JUnit has them.",
)
def packetdrill(
    files: tuple[Path, ...],
    engine: str,
    ip_version: str | None,
    definitions: tuple[str, ...],
    options: tuple[str, ...],
    unexpected: bool,
    junit: Path | None,
) -> None:
    """Judge a TCP endpoint by scripts in the language of packetdrill.

    A folder stands for all scripts (*.pkt) below it. A script passes, fails at its first difference, or is
    skipped for what the engine or the interpreter does not support. With `--engine emulate` its shell
    commands are run as they stand; with `simulate` those that set what the endpoint has are understood, and
    none is run.
    """
    from bentpipe.engine import packetdrill as scripts
    from bentpipe.engine.packetdrill import junit as documents
    from bentpipe.output_folder import staged_file

    if engine == "emulate":
        engines.require_emulate()
    given = [("ip_version", ip_version)] if ip_version else []
    given += [("define", "=".join(pair)) for pair in _pairs("--define", definitions)]
    given += _pairs("--option", options)
    if not scripts.understood(given):
        raise InputError(
            file="command line",
            field="--option",
            expected="options of packetdrill and values that they take",
            found=" ".join(options),
        )
    judge = scripts.emulate if engine == "emulate" else scripts.simulate
    paths = list(_scripts(files))
    results: dict[str, scripts.Verdict | InputError] = {}
    for path in paths:
        try:
            verdict = results[str(path)] = judge(path, _text(path), given)
        except InputError as error:
            # What cannot be read is no reason to judge none of the others.
            results[str(path)] = error
            if len(paths) > 1:
                echo_text(f"error: {error}", err=True)
        else:
            echo(verdict.words(str(path)), *(verdict.unexpected if unexpected else ()))
    if junit is not None:
        with staged_file(junit, field="--junit") as file:
            file.write_bytes(documents.document(results, engine=engine, options=given))
    errors = [result for result in results.values() if isinstance(result, InputError)]
    if errors and len(paths) == 1:
        raise errors[0]
    counts = Counter(result.outcome for result in results.values() if isinstance(result, scripts.Verdict))
    words = [f"{counts[outcome]} {outcome.value}" for outcome in scripts.Outcome if counts[outcome]]
    echo("", ", ".join([*words, *([f"{len(errors)} not read"] if errors else [])]))
    if errors:
        click.get_current_context().exit(BAD_INPUT_OR_ABILITY)
    if counts[scripts.Outcome.FAILED]:
        click.get_current_context().exit(SOME_RUNS_FAILED)


def _scripts(files: Iterable[Path]) -> Iterator[Path]:
    """Yield the scripts that are named, and those below the folders that are."""
    for path in files:
        if not path.is_dir():
            yield path
            continue
        found = sorted(path.rglob(f"*{_SUFFIX}"))
        if not found:
            raise InputError(file=str(path), field="FILE", expected=f"scripts ({_SUFFIX})", found="none")
        yield from found


def _pairs(option: str, words: Iterable[str]) -> Iterator[tuple[str, str]]:
    for word in words:
        name, equals, value = word.partition("=")
        if not name or not equals:
            raise InputError(file="command line", field=option, expected="NAME=VALUE", found=word)
        yield name, value


def _text(path: Path) -> str:
    from bentpipe.scenario.written.location import Location
    from bentpipe.scenario.written.user_file import read_user_file, utf8_text

    where = Location(file=str(path), field="FILE")
    return utf8_text(read_user_file(path, where, kind="script", largest_bytes=LARGEST_BYTES), where)
