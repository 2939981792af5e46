"""The command line, from its own help."""

import click

from bentpipe.cli import main
from tools.book.markdown import table

WIDTH = 110
INTRODUCTION = """# Command line

`bentpipe COMMAND --help` prints the same.
"""


def page() -> str:
    """Return the page: every command with its usage, options and examples."""
    return "\n".join([INTRODUCTION, *_sections(main, "bentpipe", None)])


def _sections(command: click.Command, name: str, parent: click.Context | None) -> list[str]:
    context = click.Context(command, info_name=name, parent=parent, max_content_width=WIDTH)
    below = command.commands.items() if isinstance(command, click.Group) else ()
    return [
        _section(command, context),
        *(section for child, one in below for section in _sections(one, child, context)),
    ]


def _section(command: click.Command, context: click.Context) -> str:
    """Return a command: the text of its help as it is, options as a table."""
    formatter = context.make_formatter()
    command.format_usage(context, formatter)
    command.format_help_text(context, formatter)
    command.format_epilog(context, formatter)
    options = [option for option in command.get_params(context) if isinstance(option, click.Option)]
    rows = [record for option in options if (record := option.get_help_record(context)) is not None]
    listed = table(["Option", "Meaning"], [[f"`{names}`", _text(help_)] for names, help_ in rows])
    return f"## {context.command_path}\n\n```text\n{formatter.getvalue().rstrip()}\n```\n\n{listed}"


def _text(help_: str) -> str:
    """Return the help of an option with nothing in it that Markdown would read as its own."""
    return help_.replace("<", "&lt;").replace("*", "\\*").replace("[", "\\[")
