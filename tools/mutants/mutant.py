"""A change of the code that a test should notice."""

from dataclasses import dataclass
from enum import Enum
from pathlib import Path


class Kind(Enum):
    """How a mutant comes about."""

    CODE = "code"
    """An operator, a condition or the body of a function: those of cargo-mutants."""
    CONSTANT = "constant"
    """A number of a constant, a tenth more."""


class Outcome(Enum):
    """What the tests of its crate said of a mutant."""

    CAUGHT = "caught"
    """A test failed."""
    TIMEOUT = "timeout"
    """The tests did not end: noticed as well."""
    MISSED = "missed"
    UNVIABLE = "unviable"
    """It does not compile."""

    @property
    def is_noticed(self) -> bool:
        """Whether somebody who broke the code so would learn of it."""
        return self in {Outcome.CAUGHT, Outcome.TIMEOUT}


@dataclass(frozen=True, kw_only=True)
class Mutant:
    """One change of one file.

    Attributes
    ----------
    crate : str
        Whose tests judge it, such as `cc`.
    kind : Kind
        How it came about.
    file : Path
        From the root of the project.
    name : str
        What is changed to what, and where, by names rather than by lines, so that it stays the same when
        other code moves; several of one name in a file have numbers.
    start, end : int
        The part of the file's text that is replaced.
    replacement : str
        By what.
    """

    crate: str
    kind: Kind
    file: Path
    name: str
    start: int
    end: int
    replacement: str

    def applied(self, text: str) -> str:
        """Return the file's text with the change."""
        return text[: self.start] + self.replacement + text[self.end :]
