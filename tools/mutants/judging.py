"""Puts mutants into a copy of the project, one at a time, and runs the tests of their crate."""

import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

from tools.mutants.mutant import Mutant, Outcome

COPY = Path("build/mutants/copy")
TARGET = Path("build/mutants/target")
LEAST_TIMEOUT_S = 60.0
TIMEOUT_OF_BASELINE = 4.0
"""Tests that take so many times as long as those of the code as it is do not end."""


class BaselineError(Exception):
    """The tests fail before anything is changed."""


class Judge:
    """The tests of one crate, over a copy of what is committed and changed in the project's folder."""

    def __init__(self, root: Path, crate: str) -> None:
        self._crate = crate
        self._copy = root / COPY
        self._target = root / TARGET
        _copy_sources(root, self._copy)
        self._timeout_s = self._baseline_s()

    def judge(self, mutant: Mutant) -> Outcome:
        """Run the tests over the mutant; the copy is as it was afterwards."""
        file = self._copy / mutant.file
        original = file.read_text()
        file.write_text(mutant.applied(original))
        try:
            if self._cargo("--no-run", timeout_s=None) != 0:
                return Outcome.UNVIABLE
            status = self._cargo(timeout_s=self._timeout_s)
        finally:
            file.write_text(original)
        match status:
            case None:
                return Outcome.TIMEOUT
            case 0:
                return Outcome.MISSED
            case _:
                return Outcome.CAUGHT

    def _baseline_s(self) -> float:
        if self._cargo("--no-run", timeout_s=None) != 0:
            raise BaselineError(f"bentpipe-{self._crate} does not compile")
        start = time.monotonic()
        if self._cargo(timeout_s=None) != 0:
            raise BaselineError(f"a test of bentpipe-{self._crate} fails before anything is changed")
        return max(LEAST_TIMEOUT_S, TIMEOUT_OF_BASELINE * (time.monotonic() - start))

    def _cargo(self, *arguments: str, timeout_s: float | None) -> int | None:
        """Run cargo; return its status, none when it takes too long."""
        command = ["cargo", "test", "--quiet", "--locked", "--tests", "--package", f"bentpipe-{self._crate}"]
        # Warnings of what a mutant leaves unused are none of its faults.
        environment = {**os.environ, "CARGO_TARGET_DIR": str(self._target), "RUSTFLAGS": "--cap-lints=warn"}
        process = subprocess.Popen(
            [*command, *arguments],
            cwd=self._copy,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            return process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            return None
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()


def _copy_sources(root: Path, copy: Path) -> None:
    """Make the copy what git knows of the project, and the patched crates; equal files keep their times."""
    command = [
        "git",
        "ls-files",
        "-z",
        "--cached",
        "--others",
        "--exclude-standard",
        "Cargo.*",
        "*.toml",
        "crates",
        "data",
        "docs/examples",
    ]
    listing = subprocess.run(command, cwd=root, check=True, stdout=subprocess.PIPE).stdout
    names = [name.decode() for name in listing.split(b"\0") if name]
    patched = [str(path.relative_to(root)) for path in (root / "build/patched").rglob("*") if path.is_file()]
    for name in (*names, *patched):
        source, place = root / name, copy / name
        if not source.is_file():
            continue
        if not place.exists() or place.read_bytes() != source.read_bytes():
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, place)
