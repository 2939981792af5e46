import pytest

from bentpipe.diagnosis import captures
from bentpipe.ledger import Entry
from tests.support.models import record_with


def emulated(command):
    record = record_with(engine="emulate", provenance={"command": command} if command else {})
    return Entry.of(record, run_id="a", attempt=1, factors={}, repetition=0)


@pytest.mark.parametrize(
    ("command", "remedy"),
    [
        ("bentpipe run a.toml", "bentpipe run a.toml --out captured --set capture.pcapng=true"),
        ("bentpipe run a.toml --out x --quick",
         "bentpipe run a.toml --out x-captured --quick --set capture.pcapng=true"),
        ("", ""),
    ],
)  # fmt: skip
def test_an_emulated_run_without_captures_is_measured_again_by_its_own_command(tmp_path, command, remedy):
    found = captures(emulated(command), made=tmp_path / "none", out=tmp_path / "out")
    assert (found.folder, found.remedy) == (None, remedy)
    assert not (tmp_path / "out").exists()


def test_an_emulated_run_has_the_captures_that_it_left(tmp_path):
    (tmp_path / "frames").mkdir()
    (tmp_path / "packets.pcapng").touch()
    (tmp_path / "frames" / "001.jpg").touch()
    (tmp_path / "elsewhere").symlink_to("/etc/passwd")
    found = captures(emulated("bentpipe run a.toml"), made=tmp_path, out=tmp_path / "out")
    assert (found.folder, found.files) == (tmp_path, ("frames/001.jpg", "packets.pcapng"))
    assert not found.is_repeated
