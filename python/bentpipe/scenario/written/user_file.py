"""The content of a file of the user's, of which nothing is known before it is read."""

from pathlib import Path

from bentpipe.scenario.written.location import Location


def read_user_file(path: Path, where: Location, *, kind: str, largest_bytes: int) -> bytes:
    """Return the content of a file.

    Parameters
    ----------
    path : Path
        The file.
    where : Location
        What errors name.
    kind : str
        What it is to be, such as "TOML", for errors.
    largest_bytes : int
        What it may have; a file without an end is no more read than that.

    Raises
    ------
    InputError
        When it is missing, unreadable, a folder or too large.
    """
    try:
        with path.open("rb") as file:
            content = file.read(largest_bytes + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else None
        raise where.error(expected=f"a readable {kind} file", found=reason or str(error)) from None
    if len(content) > largest_bytes:
        raise where.error(expected=f"at most {largest_bytes} bytes", found="a larger file")
    return content


def utf8_text(content: bytes, where: Location) -> str:
    """Return the text that a file holds; an InputError names the byte that is no UTF-8."""
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        found = f"the byte 0x{content[error.start]:02x} in line {line}"
        raise where.error(expected="UTF-8 text", found=found) from None
