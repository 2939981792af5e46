"""What the system refuses is said by the names that the user knows."""

import errno
import os
from pathlib import Path

import pytest

from bentpipe.errors import StorageError
from bentpipe.output_folder import staged
from bentpipe.refusal import is_refusal, refusal


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("/proc/71/fd/5/series/link/a.parquet", "results/series/link/a.parquet"),
        ("/proc/71/fd/5/.bentpipe-abcd0_23.writing/report.html", "results/report.html"),
        ("results/.bentpipe-abcd0_23.writing", "results"),
        ("/usr/share/fonts/a.ttf", "/usr/share/fonts/a.ttf"),
        (None, "results"),
    ],
)
def test_a_file_is_named_by_its_place_in_the_folder_as_its_user_wrote_it(name, shown):
    error = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), name)
    assert str(refusal(error, shown=Path("results"))) == f"{shown}: No space left on device"


@pytest.mark.parametrize(
    ("number", "hint"), [(errno.EMFILE, "ulimit -n"), (errno.EFBIG, "ulimit -f"), (errno.EIO, "dmesg")]
)
def test_what_the_words_of_the_system_do_not_say_is_hinted_at(number, hint):
    assert hint in str(refusal(OSError(number, os.strerror(number)), shown=Path("x")))


def test_an_error_without_a_number_keeps_its_words():
    assert refusal(OSError("Unknown error\nof a library"), shown=Path("x")).said == "Unknown error"
    assert not is_refusal(OSError("Unknown error"))


def test_a_folder_that_is_gone_in_the_end_is_an_error_though_it_took_all_that_was_written(tmp_path):
    def moved_meanwhile():
        with staged(tmp_path / "out") as staging:
            (staging / "file").write_text("text")
            (tmp_path / "out").rename(tmp_path / "elsewhere")
            # Under root it is still reached by its descriptor; else its name is wanted to move files to.
            (tmp_path / "out").mkdir()
            (tmp_path / "out" / staging.name).mkdir()

    with pytest.raises(StorageError, match="no longer there"):
        moved_meanwhile()
