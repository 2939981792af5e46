"""The help of every command ends with an example, of a command and options that there are."""

import re
import shlex

import click
import pytest

from bentpipe.cli import main

COMMANDS = sorted(main.commands)
EXAMPLE = re.compile(r"^ +(?:Example: )?(bentpipe .+)$", re.MULTILINE)


def examples(name):
    """Return the examples in a command's help as a terminal of 80 columns shows it."""
    command = main.commands[name]
    context = click.Context(command, info_name=f"bentpipe {name}", terminal_width=80, max_content_width=80)
    return EXAMPLE.findall(command.get_help(context).partition("\nOptions:\n")[2])


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_of_a_command_has_an_example_of_it(name):
    found = examples(name)
    assert found
    assert {shlex.split(line)[1] for line in found} == {name}


@pytest.mark.parametrize("name", COMMANDS)
def test_an_example_is_not_broken_over_lines(name):
    """click leaves a paragraph that begins with a backspace as it is; a broken line may be valid, too."""
    assert re.search("\x08\nExamples?:", main.commands[name].epilog)


@pytest.mark.parametrize("name", COMMANDS)
def test_an_example_can_be_called(name):
    for line in examples(name):
        # Raises for an option, a choice or a number of arguments that the command does not have.
        main.commands[name].make_context(name, shlex.split(line)[2:], resilient_parsing=False)
