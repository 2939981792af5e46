"""The group of all commands: errors become one message and an exit status."""

from typing import Any

import click

from bentpipe import __version__
from bentpipe.errors import BentpipeError

SOME_RUNS_FAILED = 1
INTERRUPTED = 130
"""128 and the number of SIGINT, as shells count."""


class Commands(click.Group):
    """Commands in the order in which they were added, with `--version`."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(
            context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110}, **settings
        )
        click.version_option(__version__, prog_name="bentpipe")(self)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the commands' names, what a newcomer needs first."""
        del ctx
        return list(self.commands)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; print what its user can mend, let defects show their traceback."""
        try:
            return super().invoke(ctx)
        except BentpipeError as error:
            click.echo(f"error: {error}", err=True)
            ctx.exit(error.exit_status)
        except KeyboardInterrupt:
            click.echo("interrupted", err=True)
            ctx.exit(INTERRUPTED)
