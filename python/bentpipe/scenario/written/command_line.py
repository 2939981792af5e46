"""The command line as a place where values of [run] are written."""

from collections.abc import Collection
from dataclasses import dataclass

from bentpipe.scenario.written.dotted import is_at_or_below
from bentpipe.scenario.written.location import Location

COMMAND_LINE = "command line"
"""In place of a file's name."""


@dataclass(frozen=True, kw_only=True)
class CommandLine:
    """The keys of [run] that it decides.

    Attributes
    ----------
    overridden : collection of str
        By `--set`.
    options : collection of str
        By options of the keys' names.
    """

    overridden: Collection[str]
    options: Collection[str] = ()

    def place(self, key: str, written: Location) -> Location:
        """Return where the value of a key was written: here, or else as that key in the table `written`."""
        if any(is_at_or_below(key, other) for other in self.overridden):
            return Location(file=COMMAND_LINE, field=f"--set {key}")
        if any(is_at_or_below(key, other) for other in self.options):
            return Location(file=COMMAND_LINE, field=f"--{key}")
        return written.at(key)

    def place_within(self, key: str, written: Location) -> Location:
        """Return the same of a key that may be a table, of which a part alone may be decided here."""
        return self.place(next((own for own in self.overridden if is_at_or_below(own, key)), key), written)
