"""Printing: lines and aligned columns for people, JSON documents for programs.

Names and texts of others, from a page, a link file or a folder of results, reach the terminal as text only:
what would act on it stands as its escape.
"""

import json
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import click

from bentpipe.errors import StorageError
from bentpipe.printable import printable
from bentpipe.refusal import said

STDOUT = "standard output"


def echo(*lines: str, err: bool = False) -> None:
    """Print lines, on stdout or stderr; without any an empty one.

    What is said on stderr is said in vain where the terminal is gone, and ends nothing.
    """
    with suppress(OSError) if err else _printing():
        for line in lines or ("",):
            click.echo(printable(line, kept="\t"), err=err)


def echo_text(text: str, *, err: bool = False) -> None:
    """Print a text that may have several lines, on stdout or stderr."""
    echo(*text.split("\n"), err=err)


def print_json(document: Any) -> None:
    """Print the one JSON document of a command on stdout."""
    lines = json.dumps(document, indent=2, ensure_ascii=False).split("\n")
    with _printing():
        click.echo("\n".join(line if line.isprintable() else _escaped(line) for line in lines))


@contextmanager
def _printing() -> Iterator[None]:
    """Have an error of stdout, such as that of a full disk behind it, tell that it is one."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise StorageError(STDOUT, said(error)) from None


def _escaped(line: str) -> str:
    """Return a line of JSON with JSON's own escapes; all that needs one stands within strings."""
    return "".join(each if each.isprintable() else json.dumps(each)[1:-1] for each in line)


def print_columns(
    rows: Sequence[Sequence[str]], *, indent: int = 2, marked: Collection[int] = frozenset()
) -> None:
    """Print rows with aligned columns; the last column is as long as it needs to be.

    On a terminal the rows at the places `marked` stand out.
    """
    rows = [[printable(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    with _printing():
        for place, row in enumerate(rows):
            cells = [cell.ljust(width) for cell, width in zip(row[:-1], widths, strict=False)]
            line = (" " * indent + "  ".join([*cells, row[-1]])).rstrip()
            click.echo(click.style(line, bold=True) if place in marked else line)
