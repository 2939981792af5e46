"""The commands that the documents show exist, with the options that they show."""

import re
import shlex

import click
import pytest

from bentpipe.cli import main
from tests.tidy.project import ROOT, files

DOCUMENTS = [path for path in files(".md") if path.parent == ROOT or ROOT / "docs" in path.parents]
FENCE = re.compile(r"^```[a-z]*\n(.*?)^```", re.MULTILINE | re.DOTALL)


def shown() -> list[str]:
    """Return each command line of a fenced block that calls `bentpipe`."""
    blocks = (block for path in DOCUMENTS for block in FENCE.findall(path.read_text()))
    lines = (line.removeprefix("$ ").strip() for block in blocks for line in block.splitlines())
    return sorted({line for line in lines if line.startswith("bentpipe ")})


def test_the_readme_shows_how_to_run_something() -> None:
    assert "bentpipe " in "".join(FENCE.findall((ROOT / "README.md").read_text()))


@pytest.mark.parametrize("line", shown())
def test_a_shown_command_and_its_options_exist(line: str) -> None:
    words = shlex.split(line, comments=True)[1:]
    own = words[: words.index("--")] if "--" in words else words
    assert isinstance(main, click.Group)
    command = main.commands.get(own[0]) if not own[0].startswith("-") else main
    assert command is not None, f"no command {own[0]}"
    known = {name for parameter in command.params for name in (*parameter.opts, *parameter.secondary_opts)}
    options = {word.partition("=")[0] for word in own if word.startswith("--")} - {"--help", "--version"}
    assert options - known == set()
