"""Files of the user's. What the system says of them is that of POSIX; their limits are the caller's."""

from pathlib import Path

import pytest

from bentpipe.errors import InputError
from bentpipe.scenario.written.location import Location
from bentpipe.scenario.written.user_file import read_user_file

WHERE = Location(file="scenario.toml", field="run.page")


def read(path):
    return read_user_file(path, WHERE, kind="HAR", largest_bytes=10)


def test_a_file_of_the_largest_size_is_read_whole(tmp_path):
    path = tmp_path / "page.har"
    path.write_bytes(b"0123456789")
    assert read(path) == b"0123456789"


@pytest.mark.parametrize(
    ("prepare", "expected", "found"),
    [
        (lambda _: None, "a readable HAR file", "No such file or directory"),
        (lambda path: path.mkdir(), "a readable HAR file", "Is a directory"),
        (lambda path: path.symlink_to(path), "a readable HAR file", "Too many levels of symbolic links"),
        (lambda path: path.write_bytes(b"0123456789+"), "at most 10 bytes", "a larger file"),
        (lambda path: path.symlink_to("/dev/zero"), "at most 10 bytes", "a larger file"),
    ],
    ids=["missing", "a folder", "a circle of links", "larger", "without an end"],
)
def test_it_is_refused_where_it_is_named_when_it_is(tmp_path, prepare, expected, found):
    path = tmp_path / "page.har"
    prepare(path)
    with pytest.raises(InputError) as caught:
        read(path)
    assert (caught.value.file, caught.value.field) == ("scenario.toml", "run.page")
    assert (caught.value.expected, caught.value.found) == (expected, found)


def test_a_name_that_no_file_can_have_is_refused():
    with pytest.raises(InputError, match="a readable HAR file, found embedded null byte"):
        read(Path("\0.har"))
