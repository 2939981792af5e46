"""The group of all commands: errors become one message and an exit status."""

import errno
from typing import Any

import click

from bentpipe import __version__
from bentpipe.cli.output import echo, echo_text
from bentpipe.errors import BentpipeError, StorageError

SOME_RUNS_FAILED = 1
INTERRUPTED = 130
"""128 and the number of SIGINT, as shells count."""
REFUSALS_OF_A_DISK = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO)
"""What is no defect wherever it happens."""


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
            echo_text(f"error: {error}", err=True)
            ctx.exit(error.exit_status)
        except OSError as error:
            if error.errno not in REFUSALS_OF_A_DISK:
                raise
            place = error.filename if isinstance(error.filename, str) else "a disk"
            refusal = StorageError(place, error.strerror or str(error))
            echo_text(f"error: {refusal}", err=True)
            ctx.exit(refusal.exit_status)
        except KeyboardInterrupt:
            echo("interrupted", err=True)
            ctx.exit(INTERRUPTED)
