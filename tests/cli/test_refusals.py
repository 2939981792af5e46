"""Disks, limits and outputs that refuse, real ones: one line, a status, and what was measured is kept.

A process of its own has what is about one: its output, its open files, a folder that is lost meanwhile.
"""

import os
import resource
import shlex
import signal
import subprocess
import sys
from contextlib import contextmanager

import pytest
from click.testing import CliRunner

from bentpipe.cli import main
from bentpipe.cli.group import LEAST_OPEN_FILES
from bentpipe.ledger import Ledger

BENTPIPE = [sys.executable, "-m", "bentpipe.cli"]
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="needs root: mounts")

SCENARIO = """
name = "example"
repetitions = 2
[run]
link = "flat:down=10Mbit/s,up=5Mbit/s,rtt=100ms"
[run.bulk]
size = "1 MB"
"""
FOREVER = SCENARIO.replace("repetitions = 2", "repetitions = 2000")


@pytest.fixture
def file(tmp_path):
    (tmp_path / "example.toml").write_text(SCENARIO)
    return tmp_path / "example.toml"


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """A folder of results that nobody changes."""
    folder = tmp_path_factory.mktemp("measured")
    (folder / "example.toml").write_text(SCENARIO)
    assert invoked(*run(folder / "example.toml", folder / "results")).exit_code == 0
    return folder / "results"


@pytest.fixture
def disk(tmp_path):
    """Makes a disk of so many bytes, or changes its size."""
    place = tmp_path / "disk"
    place.mkdir()

    def sized(size):
        how = ["remount"] if place.is_mount() else []
        options = ",".join([*how, f"size={size}"])
        subprocess.run(["mount", "-t", "tmpfs", "-o", options, "small", place], check=True)
        return place

    yield sized
    if place.is_mount():
        subprocess.run(["umount", "--lazy", place], check=True)


@contextmanager
def largest_file(size_bytes):
    """Have no file of this process grow beyond a size; SIGXFSZ, which Python ignores, stays ignored."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size_bytes, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def run(file, out):
    return ["run", str(file), "--engine", "simulate", "--jobs", "1", "--out", str(out)]


def invoked(*words):
    """Return what a command line came to in this process; a traceback is the test's."""
    done = CliRunner().invoke(main, words)
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done


def ended(command, **settings):
    done = subprocess.run(command, capture_output=True, text=True, check=False, **settings)
    assert "Traceback" not in done.stderr, done.stderr
    return done


def error_of(status, stderr):
    """The one line of error that a refused command ends with."""
    assert status == 2, (status, stderr)
    lines = [line for line in stderr.splitlines() if line.startswith("error: ")]
    assert lines == stderr.splitlines()[-1:], stderr
    return lines[0]


def refused(*words):
    """The one line of error of a command line that is refused in this process."""
    done = invoked(*words)
    return error_of(done.exit_code, done.stderr)


@pytest.mark.parametrize("arguments", [["--help"], ["run", "--help"], ["links"], ["pages", "--json"]])
def test_a_full_output_is_one_line_of_error(arguments):
    with open("/dev/full", "w") as full:  # noqa: PTH123
        done = subprocess.run(
            [*BENTPIPE, *arguments], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert error_of(done.returncode, done.stderr) == "error: standard output: No space left on device"


def test_a_reader_that_has_had_enough_is_no_failed_run():
    # Status 1 means runs that failed; 141 is 128 and SIGPIPE, as shells count.
    reads, writes = os.pipe()
    os.close(reads)
    done = subprocess.run([*BENTPIPE, "links"], stdout=writes, stderr=subprocess.PIPE, check=False)
    os.close(writes)
    assert (done.returncode, done.stderr) == (128 + signal.SIGPIPE, b"")


@needs_root
@pytest.mark.parametrize("size", ["30k", "60k", "80k", "130k", "1000k"])
def test_a_disk_that_fills_up_anywhere_between_the_ledger_and_the_report(file, disk, size):
    place = disk(size)
    told = refused(*run(file, place / "r"))
    assert str(place) in told
    assert "No space left on device" in told or "disk is full" in told
    assert "nothing that was reported done is lost" in told or "the results are whole" in told
    disk("100m")
    assert invoked(*run(file, place / "r")).exit_code == 0
    assert (place / "r" / "report.html").is_file()


@needs_root
@pytest.mark.parametrize("accident", ["umount -l {0}", "mv {0}/r {0}/moved"])
def test_a_folder_that_is_lost_in_mid_run_is_told_to_be_gone(tmp_path, accident):
    file, place = tmp_path / "forever.toml", tmp_path / "disk"
    file.write_text(FOREVER)
    place.mkdir()
    command = shlex.join([*BENTPIPE, *run(file, place / "r")])
    script = (
        f"mount -t tmpfs -o size=100m small {place}; {command} & pid=$!; "
        f"until ls {place}/r/series/link >/dev/null 2>&1; do sleep 0.05; done; "
        f"{accident.format(place)}; wait $pid"
    )
    done = ended(["unshare", "--mount", "sh", "-c", script])
    told = error_of(done.returncode, done.stderr)
    assert str(place) in told
    assert "no longer there" in told
    assert "the same command goes on" in told


def test_a_limit_of_open_files_is_refused_before_anything_runs(file, tmp_path):
    def limited():
        resource.setrlimit(resource.RLIMIT_NOFILE, (8, 8))

    done = ended([*BENTPIPE, *run(file, tmp_path / "r")], preexec_fn=limited)
    told = error_of(done.returncode, done.stderr)
    assert "8 open files are allowed, and 32 are needed" in told
    assert "`ulimit -n 4096` allows more" in told
    assert not (tmp_path / "r").exists()


def test_the_least_of_open_files_is_enough_for_runs_and_a_report(file, tmp_path):
    def limited():
        resource.setrlimit(resource.RLIMIT_NOFILE, (LEAST_OPEN_FILES, LEAST_OPEN_FILES))

    done = ended([*BENTPIPE, *run(file, tmp_path / "r")], preexec_fn=limited)
    assert (done.returncode, (tmp_path / "r" / "report.html").is_file()) == (0, True), done.stderr


def test_a_limit_of_file_sizes_ends_in_one_line_and_the_same_command_goes_on(file, tmp_path):
    with largest_file(40_000):
        refused(*run(file, tmp_path / "r"))
    assert invoked(*run(file, tmp_path / "r")).exit_code == 0
    with Ledger(tmp_path / "r") as ledger:
        assert len(ledger.succeeded()) == 2


@needs_root
@pytest.mark.parametrize(
    "command",
    [
        "links lan --plot {}/link.pdf",
        "links lan --plot {}/link.png",
        "links lan --plot {}/link.svg",
        "pages --export {}/pages",
        "report {results} --out {}/report",
        "export {results} --format csv --out {}/csv",
        "export {results} --format parquet --out {}/parquet",
        "explain {results} --out {}/captures",
    ],
)
def test_whatever_is_written_to_a_full_disk_is_refused_by_its_own_name(command, results, disk):
    place = disk("4k")
    told = refused(*command.format(place, results=results).split())
    assert str(place) in told
    assert "No space left on device" in told
    assert "/proc/" not in told
    assert ".writing" not in told


def test_a_capture_that_cannot_be_written_is_named_as_its_user_wrote_it(tmp_path):
    page = ["page", "--link", "lan", "--http", "h2", "--page", "single-100k", "--engine", "simulate"]
    with largest_file(4096):
        done = invoked(*page, "--set", "capture.pcapng=true", "--out", str(tmp_path / "out"))
    assert done.exit_code == 1
    assert f"cannot write the capture {tmp_path / 'out' / 'packets.pcapng'}: File too large" in done.stdout
