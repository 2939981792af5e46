"""The group of all commands: errors become one message and an exit status."""

import os
import resource
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

import click

from bentpipe import __version__
from bentpipe.cli.output import STDOUT, echo, echo_text
from bentpipe.errors import AbilityError, BentpipeError, StorageError
from bentpipe.refusal import is_refusal, said

SOME_RUNS_FAILED = 1
INTERRUPTED = 130
"""128 and the number of SIGINT, as shells count."""
READER_GONE = 141
"""128 and the number of SIGPIPE: what `| head` has had enough of is no failed run."""

LEAST_OPEN_FILES = 32
"""Twenty are enough for a run and its report; below that libraries end without a word of the limit."""


class WholeProcess:
    """What click has as `obj` where a command is all that its process is for, and may start it anew."""


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

    def main(self, args: Sequence[str] | None = None, *further: Any, **settings: Any) -> Any:
        """Run the command that these arguments name; also `--help` may find stdout full or closed."""
        whole = WholeProcess() if args is None else None
        try:
            return super().main(args, *further, obj=whole, **settings)
        except OSError as error:
            _end_refused(error)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; print what its user can mend, let defects show their traceback."""
        try:
            _require_open_files()
            return super().invoke(ctx)
        except BentpipeError as error:
            echo_text(f"error: {error}", err=True)
            ctx.exit(error.exit_status)
        except OSError as error:
            _end_refused(error)
        except KeyboardInterrupt:
            echo("interrupted", err=True)
            ctx.exit(INTERRUPTED)


def _require_open_files() -> None:
    """Raise an AbilityError where this process may open too few files."""
    allowed, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if allowed != resource.RLIM_INFINITY and allowed < LEAST_OPEN_FILES:
        raise AbilityError(
            f"{allowed} open files are allowed, and {LEAST_OPEN_FILES} are needed",
            "`ulimit -n 4096` allows more",
        )


def _end_refused(error: OSError) -> NoReturn:
    """End with one line what the system refused; let anything else show its traceback."""
    if isinstance(error, BrokenPipeError):
        # Or the interpreter tries once more to write what nobody reads (Python, note on SIGPIPE).
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(READER_GONE)
    if not is_refusal(error):
        raise error
    place = error.filename if isinstance(error.filename, str) else STDOUT
    refusal = StorageError(place, said(error))
    echo_text(f"error: {refusal}", err=True)
    sys.exit(refusal.exit_status)
