"""Disks, limits and outputs that refuse, real ones: one line, a status, and what was measured is kept."""

import os
import resource
import shlex
import signal
import subprocess
import sys

import pytest

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
size = "5 MB"
[matrix]
cc = ["cubic", "bbr"]
"""
FOREVER = SCENARIO.replace("repetitions = 2", "repetitions = 2000")


@pytest.fixture
def file(tmp_path):
    (tmp_path / "example.toml").write_text(SCENARIO)
    return tmp_path / "example.toml"


def run(file, out):
    return [*BENTPIPE, "run", str(file), "--engine", "simulate", "--jobs", "1", "--out", str(out)]


def ended(command, **settings):
    done = subprocess.run(command, capture_output=True, text=True, check=False, **settings)
    assert "Traceback" not in done.stderr, done.stderr
    return done


def error_of(done):
    """The one line of error that a refused command ends with."""
    assert done.returncode == 2, (done.returncode, done.stderr)
    lines = [line for line in done.stderr.splitlines() if line.startswith("error: ")]
    assert lines == done.stderr.splitlines()[-1:], done.stderr
    return lines[0]


@pytest.mark.parametrize("arguments", [["--help"], ["run", "--help"], ["links"], ["pages", "--json"]])
def test_a_full_output_is_one_line_of_error(arguments):
    with open("/dev/full", "w") as full:  # noqa: PTH123
        done = subprocess.run(
            [*BENTPIPE, *arguments], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert error_of(done) == "error: standard output: No space left on device"


def test_a_reader_that_has_had_enough_is_no_failed_run():
    # Status 1 means runs that failed; 141 is 128 and SIGPIPE, as shells count.
    reads, writes = os.pipe()
    os.close(reads)
    done = subprocess.run([*BENTPIPE, "links"], stdout=writes, stderr=subprocess.PIPE, check=False)
    os.close(writes)
    assert (done.returncode, done.stderr) == (128 + signal.SIGPIPE, b"")


@needs_root
@pytest.mark.parametrize("size", ["30k", "200k", "300k", "320k", "400k"])
def test_a_disk_that_fills_up_anywhere_between_the_ledger_and_the_report(file, tmp_path, size):
    place = tmp_path / "disk"
    place.mkdir()
    script = (
        f"mount -t tmpfs -o size={size} small {place} && {shlex.join(run(file, place / 'r'))}; status=$?; "
        f"mount -o remount,size=100m {place} && {shlex.join(run(file, place / 'r'))} >/dev/null 2>&1 && "
        f"ls {place / 'r'}; umount -l {place}; exit $status"
    )
    done = ended(["unshare", "--mount", "sh", "-c", script])
    told = error_of(done)
    assert str(place) in told
    assert "No space left on device" in told or "disk is full" in told
    assert "nothing that was reported done is lost" in told or "the results are whole" in told
    assert "report.html" in done.stdout


@needs_root
@pytest.mark.parametrize("accident", ["umount -l {0}", "mv {0}/r {0}/moved"])
def test_a_folder_that_is_lost_in_mid_run_is_told_to_be_gone(tmp_path, accident):
    file, place = tmp_path / "forever.toml", tmp_path / "disk"
    file.write_text(FOREVER)
    place.mkdir()
    script = (
        f"mount -t tmpfs -o size=100m small {place}; {shlex.join(run(file, place / 'r'))} & pid=$!; "
        f"until ls {place}/r/series/link >/dev/null 2>&1; do sleep 0.1; done; sleep 1; "
        f"{accident.format(place)}; wait $pid"
    )
    told = error_of(ended(["unshare", "--mount", "sh", "-c", script]))
    assert str(place) in told
    assert "no longer there" in told
    assert "the same command goes on" in told


def test_a_limit_of_open_files_is_refused_before_anything_runs(file, tmp_path):
    def limited():
        resource.setrlimit(resource.RLIMIT_NOFILE, (8, 8))

    told = error_of(ended(run(file, tmp_path / "r"), preexec_fn=limited))
    assert "8 open files are allowed, and 32 are needed" in told
    assert "`ulimit -n 4096` allows more" in told
    assert not (tmp_path / "r").exists()


def test_the_least_of_open_files_is_enough_for_runs_and_a_report(file, tmp_path):
    def limited():
        resource.setrlimit(resource.RLIMIT_NOFILE, (LEAST_OPEN_FILES, LEAST_OPEN_FILES))

    done = ended(run(file, tmp_path / "r"), preexec_fn=limited)
    assert (done.returncode, (tmp_path / "r" / "report.html").is_file()) == (0, True), done.stderr


def test_a_limit_of_file_sizes_ends_in_one_line_and_the_same_command_goes_on(file, tmp_path):
    def limited():
        resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, 40_000))

    error_of(ended(run(file, tmp_path / "r"), preexec_fn=limited))
    assert ended(run(file, tmp_path / "r")).returncode == 0
    with Ledger(tmp_path / "r") as ledger:
        assert len(ledger.succeeded()) == 4


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
def test_whatever_is_written_to_a_full_disk_is_refused_by_its_own_name(
    command, bentpipe, report, file, tmp_path
):
    del report
    bentpipe("run", file, "--engine", "simulate", "--out", tmp_path / "results")
    place = tmp_path / "disk"
    place.mkdir()
    words = command.format(place, results=tmp_path / "results").split()
    script = f"mount -t tmpfs -o size=4k small {place} && {shlex.join([*BENTPIPE, *words])}"
    told = error_of(ended(["unshare", "--mount", "sh", "-c", script]))
    assert str(place) in told
    assert "No space left on device" in told
    assert "/proc/" not in told
    assert ".writing" not in told


def test_a_capture_that_cannot_be_written_is_named_as_its_user_wrote_it(tmp_path):
    def limited():
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

    page = ["page", "--link", "lan", "--http", "h2", "--page", "single-100k", "--engine", "simulate"]
    done = ended(
        [*BENTPIPE, *page, "--set", "capture.pcapng=true", "--out", str(tmp_path / "out")],
        preexec_fn=limited,
    )
    assert done.returncode == 1
    assert f"cannot write the capture {tmp_path / 'out' / 'packets.pcapng'}: File too large" in done.stdout
