"""Writes what a command prints below it: `python -m tools.book.outputs PAGE...`.

In a block a line `$ bentpipe ...` is followed by lines of its output. Each of these is replaced by the line
of the output that starts with the same label, which two spaces end; `...` stays. Commands run in an empty
folder. tests/book/test_snippets.py holds the pages to what is printed.
"""

import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

PROMPT = "$ "
COMMAND = f"{PROMPT}bentpipe "
FENCE = "```"
LEFT_OUT = "..."
LABEL_END = re.compile(r"\s{2,}")

Run = Callable[[str], list[str]]


def filled(text: str, run: Run) -> str:
    """Return a page with the outputs of its commands; `run` returns the lines that a command prints."""
    return "".join(f"{line}\n" for line in _lines(text.splitlines(), run))


def _lines(lines: list[str], run: Run) -> Iterator[str]:
    command, output = "", None
    for line in lines:
        if line.startswith((PROMPT, FENCE)):
            command, output = line if line.startswith(COMMAND) else "", None
        elif command and line.strip() not in ("", LEFT_OUT):
            if output is None:
                output = run(command.removeprefix(PROMPT))
            line = _printed(line, output, command)
        yield line


def _printed(line: str, output: list[str], command: str) -> str:
    """Return the line of a command's output that starts with the label of a line."""
    label = LABEL_END.split(line.strip())[0]
    for printed in output:
        if LABEL_END.split(printed.strip())[0] == label:
            return printed.rstrip()
    raise ValueError(f"{command}: no line of the output starts with {label!r}")


def _run(command: str) -> list[str]:
    words = shlex.split(command)[1:]
    with tempfile.TemporaryDirectory() as folder:
        ran = subprocess.run(
            [sys.executable, "-m", "bentpipe.cli", *words],
            cwd=folder,
            check=True,
            stdout=subprocess.PIPE,
            text=True,
        )
    return ran.stdout.splitlines()


def main() -> None:
    """Fill in each page."""
    for name in sys.argv[1:]:
        page = Path(name)
        page.write_text(filled(page.read_text(), _run))


if __name__ == "__main__":
    main()
