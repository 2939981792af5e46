"""Names and texts that the author of a scenario or a link gives, and that others read."""

from collections.abc import Callable
from typing import Annotated, TypeAlias

from pydantic import AfterValidator

from bentpipe.scenario.written.location import Location, quoted

LONGEST_NAME = 100
NAME = f'a name of at most {LONGEST_NAME} printable characters that does not start with "=", "+", "-" or "@"'
LINE = "a line of printable text"
TEXT = "printable text"
FORMULAS = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""What a spreadsheet takes for the start of a formula; of full width too, which some read as the others."""


def checked_name(name: str, where: Location) -> str:
    """Return a name that tables, figures and terminals can bear.

    Raises
    ------
    InputError
        When it is none.
    """
    if not _is_name(name):
        raise where.error(expected=NAME, found=quoted(name))
    return name


def _is_name(text: str) -> bool:
    return len(text) <= LONGEST_NAME and text.isprintable() and not text.startswith(FORMULAS)


def _is_text(text: str) -> bool:
    return all(line.isprintable() for line in text.replace("\t", " ").split("\n"))


def _that(holds: Callable[[str], bool]) -> AfterValidator:
    """Accept text of which something holds; what is expected instead says the description of its key."""

    def checked(text: str) -> str:
        if not holds(text):
            raise ValueError
        return text

    return AfterValidator(checked)


Name: TypeAlias = Annotated[str, _that(_is_name)]
Line: TypeAlias = Annotated[str, _that(str.isprintable)]
Text: TypeAlias = Annotated[str, _that(_is_text)]
"""Of several lines, maybe."""
