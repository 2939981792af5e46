"""What checks need of others, in build/third-party: the system is left as it is."""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from bentpipe.errors import AbilityError

FOLDER = Path(__file__).parents[2] / "build/third-party"
PROGRAMS = Path(__file__).parent / "programs"
"""Those of ours that call libraries of others."""

_WANTED = PROGRAMS / "requirements.txt"


def python() -> Path:
    """Return the interpreter of an environment with the Python packages of `programs/requirements.txt`."""
    venv = FOLDER / "venv"
    interpreter, installed = venv / "bin/python", venv / "installed.txt"
    if installed.is_file() and installed.read_text() == _WANTED.read_text():
        return interpreter
    _run([sys.executable, "-m", "venv", "--clear", venv])
    _run([interpreter, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", _WANTED])
    shutil.copy(_WANTED, installed)
    return interpreter


def python_version(package: str) -> str:
    """Return the version of a package of that environment."""
    ask = f"from importlib.metadata import version; print(version({package!r}))"
    return said(python(), "-c", ask)


def go_tool(package: str, version: str) -> Path:
    """Return the program that a Go package builds, as `go install PACKAGE@VERSION` does."""
    folder = FOLDER / "go" / version
    program = folder / package.rpartition("/")[2]
    if not program.exists():
        # In no module of ours: the version is then taken as it is named.
        _go(["install", f"{package}@{version}"], GOBIN=str(folder), GOFLAGS="-mod=mod")
    return program


def go_program(name: str) -> Path:
    """Return our program in `programs/NAME`, built with the versions that its go.sum has."""
    program = FOLDER / "go" / name
    _go(["-C", str(PROGRAMS / name), "build", "-o", str(program), "."], GOFLAGS="-mod=readonly")
    return program


def go_version(name: str, module: str) -> str:
    """Return the version of a module that our program in `programs/NAME` is built with."""
    version = said("go", "-C", PROGRAMS / name, "list", "-m", "-f", "{{.Version}}", module)
    return version.removeprefix("v")


def npm_package(name: str, version: str) -> Path:
    """Return the folder of an npm package, none of whose scripts was run."""
    folder = FOLDER / "npm" / f"{name}-{version}"
    if not (folder / "node_modules" / name).is_dir():
        npm = command("npm", package="npm")
        options = ["--ignore-scripts", "--no-save", "--no-audit", "--no-fund", "--silent"]
        folder.mkdir(parents=True, exist_ok=True)
        _run([npm, "install", *options, "--prefix", folder, f"{name}@{version}"])
    return folder / "node_modules" / name


def command(name: str, *, package: str) -> Path:
    """Return where a command of a Debian package is.

    Raises
    ------
    AbilityError
        When it is not installed.
    """
    places = os.pathsep.join([os.environ.get("PATH", os.defpath), "/usr/sbin", "/sbin"])
    if (found := shutil.which(name, path=places)) is None:
        raise AbilityError(f"not installed: {name}", f"make setup-third-party, or apt-get install {package}")
    return Path(found)


def debian_version(package: str) -> str:
    """Return the version of an installed Debian package."""
    return said("dpkg-query", "--show", "--showformat=${Version}", package)


def said(*arguments: str | Path) -> str:
    """Return what a program prints."""
    return subprocess.run(arguments, check=True, capture_output=True, text=True).stdout.strip()


def _go(arguments: list[str], **environment: str) -> None:
    if shutil.which("go") is None:
        raise AbilityError("not installed: go", "install go 1.26 or later, see https://go.dev")
    _run(["go", *arguments], environment=environment)


def _run(arguments: Sequence[str | Path], *, environment: Mapping[str, str] | None = None) -> None:
    """Run what installs something.

    Raises
    ------
    AbilityError
        When it fails, with the end of what it said.
    """
    done = subprocess.run(
        arguments,
        env={**os.environ, **(environment or {})},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        words = " ".join(map(str, arguments))
        last = "\n".join((done.stdout + done.stderr).strip().splitlines()[-5:])
        raise AbilityError(f"could not install: {words}", f"it said: {last}")
