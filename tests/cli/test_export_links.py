"""A folder of results may be somebody else's: `export` follows no link in it, to read or to write."""

import os

import polars
import pytest

from bentpipe.ledger import Ledger

pytestmark = pytest.mark.usefixtures("engine", "report")


@pytest.fixture
def victim(tmp_path):
    """A folder with a file that nothing here is to read or to change."""
    folder = tmp_path / "victim"
    folder.mkdir()
    (folder / "secret.pcapng").write_text("secret")
    return folder


def attempt(results):
    with Ledger(results) as ledger:
        return f"{ledger.entries()[0].run_id}-1"


def test_links_among_the_captures_are_left_out_and_told_of(bentpipe, results, victim):
    name = attempt(results)
    captures = results / "artifacts" / name
    captures.mkdir(parents=True)
    (captures / "packets.pcapng").write_bytes(b"own")
    (captures / "file.pcapng").symlink_to(victim / "secret.pcapng")
    (captures / "folder").symlink_to(victim)
    (captures / "nowhere.pcapng").symlink_to("nowhere")
    # Nobody writes to it: to wait for that would be for good.
    os.mkfifo(captures / "pipe.pcapng")
    result = bentpipe("export", results, "--format", "pcapng")
    assert result.stdout == f"1 files in {results / 'export'}\n"
    assert sorted(result.stderr.splitlines()) == [
        f"{captures / link}: left out, as it is a symbolic link"
        for link in ("file.pcapng", "folder", "nowhere.pcapng")
    ]
    [written] = (results / "export").iterdir()
    assert written.read_bytes() == b"own"


def test_the_captures_of_an_attempt_are_no_link(bentpipe, results, victim):
    captures = results / "artifacts" / attempt(results)
    captures.parent.mkdir(exist_ok=True)
    captures.symlink_to(victim)
    message = bentpipe("export", results, "--format", "pcapng", expect=2).stderr
    assert f"{captures}: left out, as it is a symbolic link" in message
    assert "has no pcapng files" in message


def test_a_series_that_is_a_link_is_left_out(bentpipe, results, victim):
    [series, *_] = sorted((results / "series" / "link").iterdir())
    (series.parent / "more.parquet").symlink_to(victim / "secret.pcapng")
    result = bentpipe("export", results, "--format", "parquet")
    assert f"{series.parent / 'more.parquet'}: left out, as it is a symbolic link" in result.stderr
    copied = results / "export" / "series" / "link"
    assert polars.read_parquet(copied / series.name).equals(polars.read_parquet(series))
    assert not (copied / "more.parquet").exists()


def test_what_is_behind_a_link_in_the_place_of_a_table_stays_as_it_is(bentpipe, results, victim):
    (results / "export").mkdir()
    (results / "export" / "runs.csv").symlink_to(victim / "secret.pcapng")
    bentpipe("export", results, "--format", "csv")
    assert not (results / "export" / "runs.csv").is_symlink()
    assert (victim / "secret.pcapng").read_text() == "secret"


@pytest.mark.parametrize(("link", "kind"), [("export", "csv"), ("export/series", "parquet")])
def test_nothing_is_written_to_a_folder_that_is_a_link(bentpipe, results, victim, link, kind):
    (results / link).parent.mkdir(exist_ok=True)
    (results / link).symlink_to(victim)
    message = bentpipe("export", results, "--format", kind, expect=2).stderr
    assert "a symbolic link" in message
    assert [path.name for path in victim.iterdir()] == ["secret.pcapng"]
