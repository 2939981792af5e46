"""What is refused says where it stands, what was expected there and what was found."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from bentpipe.errors import InputError


@contextmanager
def refused(
    field: str, *, expected: str, found: str = "", file: Path | None = None
) -> Iterator[pytest.ExceptionInfo[InputError]]:
    """Hold that what is done within is refused for a field, of a file where one is given.

    `expected` and `found` are parts of what the refusal says; it is given, once it is there, for more.
    """
    with pytest.raises(InputError) as caught:
        yield caught
    error = caught.value
    assert error.field == field
    assert file is None or error.file == str(file)
    assert expected in error.expected
    assert found in error.found
