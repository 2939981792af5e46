"""A wheel, installed where there is neither a compiler nor a checkout."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.elapsed import Elapsed, elapsed

DIST = Path(__file__).parents[2] / "dist"
COMPILERS = ("cc", "gcc", "c++", "clang", "zig", "ld", "make", "rustc", "cargo", "maturin")
EMULATES = ("ip", "nft", "setpriv", "unshare", "nsenter", "mount", "curl")
"""What emulated runs and shells start of the machine's programs."""


def pytest_collection_modifyitems(items):
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.wheel)
            item.add_marker(pytest.mark.alone)


@pytest.fixture(scope="session")
def wheel():
    """The one that `make wheel` built."""
    found = sorted(DIST.glob("bentpipe-*.whl"))
    if not found:
        pytest.skip("NOTHING IS TESTED OF THE WHEEL: there is none in dist/, `make wheel` builds it")
    assert len(found) == 1, "of which one is it about?"
    return found[0]


@pytest.fixture(scope="session")
def sdist(wheel):
    """The one that it was built from."""
    version = wheel.name.split("-")[1]
    return wheel.with_name(f"bentpipe-{version}.tar.gz")


@pytest.fixture(scope="session")
def archive(wheel):
    with zipfile.ZipFile(wheel) as opened:
        yield opened


@dataclass(frozen=True, kw_only=True)
class Installed:
    """An environment that has the wheel and what it depends on, and nothing else.

    Attributes
    ----------
    venv : Path
        Its folder.
    path : str
        All that its programs may find.
    took : Elapsed
        What it took to make it.
    """

    venv: Path
    path: str
    took: Elapsed

    def __call__(self, *arguments, folder, expect=0):
        """Call `bentpipe` in a folder, and return what it printed."""
        return self.run(self.venv / "bin" / "bentpipe", *arguments, folder=folder, expect=expect)

    def json(self, *arguments, folder):
        return json.loads(self(*arguments, "--json", folder=folder))

    def python(self, code, *, folder):
        return self.run(self.venv / "bin" / "python", "-c", code, folder=folder)

    def run(self, *command, folder, expect=0):
        done = subprocess.run(
            [str(word) for word in command],
            cwd=folder,
            env=environment(self.path),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == expect, (done.returncode, done.stdout[-2000:], done.stderr[-2000:])
        return done.stdout


def environment(path):
    """Return this process's environment with another PATH, and without what leads Python into a checkout."""
    kept = {name: value for name, value in os.environ.items() if name not in {"PYTHONPATH", "VIRTUAL_ENV"}}
    return {**kept, "PATH": path}


@pytest.fixture(scope="session")
def folder():
    """A folder that `nobody` may enter, as whom a shell's programs run: pytest's are their owner's alone."""
    with tempfile.TemporaryDirectory(prefix="bentpipe-wheel-") as name:
        Path(name).chmod(0o755)
        yield Path(name)


@pytest.fixture(scope="session")
def installed(wheel, folder):
    """An environment as docs/guide/install.md makes it.

    Pip is as it is configured here, such as by PIP_FIND_LINKS without a network.
    """
    programs = folder / "programs"
    programs.mkdir()
    for name in EMULATES:
        found = shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin:/sbin")
        if found is not None:
            (programs / name).symlink_to(found)
    venv = folder / "venv"
    path = f"{venv / 'bin'}:{programs}"
    assert [name for name in COMPILERS if shutil.which(name, path=path)] == []
    with elapsed() as took:
        subprocess.run([sys.executable, "-m", "venv", venv], check=True)
        subprocess.run(
            [venv / "bin" / "pip", "install", "--quiet", "--no-compile", "--only-binary", ":all:", wheel],
            cwd=folder,
            env=environment(path),
            check=True,
        )
    return Installed(venv=venv, path=path, took=took)
