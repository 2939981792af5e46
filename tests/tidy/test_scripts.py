"""The scripts of the Makefile, on machines whose programs say what they were asked for."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from bentpipe.engine.programs import CADDY
from tests.tidy.project import ROOT

USED = ("bash", "cut", "dirname", "head", "mkdir", "sed", "sort")
"""What scripts may find besides what a test gives them."""


class Machine:
    """A folder with one of the scripts, and a PATH of its own."""

    def __init__(self, folder: Path, script: str) -> None:
        self._script = folder / "scripts" / script
        self._programs = folder / "bin"
        self._script.parent.mkdir()
        self._programs.mkdir()
        shutil.copy(ROOT / "scripts" / script, self._script)
        for name in USED:
            (self._programs / name).symlink_to(str(shutil.which(name)))

    def has(self, name: str, *lines: str) -> None:
        """Install a program."""
        program = self._programs / name
        program.write_text("\n".join(["#!/bin/bash", *lines]))
        program.chmod(0o755)

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run the script."""
        return subprocess.run(
            [self._script, *arguments],
            env={"PATH": str(self._programs), "PYTHON": sys.executable},
            capture_output=True,
            text=True,
            check=False,
        )


def go(version: str, toolchain: str) -> tuple[str, ...]:
    """Lines of a go of that version that fetches later ones as `toolchain` says."""
    return (
        'case "$*" in',
        f'"env GOVERSION") echo "{version}" ;;',
        f'"env GOTOOLCHAIN") echo "{toolchain}" ;;',
        '*) echo "builds" ;;',
        "esac",
    )


@pytest.mark.parametrize(
    ("version", "toolchain"), [("go1.26.0", "local"), ("go1.30.1", "local"), ("go1.21.0", "auto")]
)
def test_caddy_is_built_by_a_go_that_can(tmp_path: Path, version: str, toolchain: str) -> None:
    machine = Machine(tmp_path, "caddy.sh")
    machine.has("go", *go(version, toolchain))
    done = machine.run()
    assert (done.returncode, done.stdout) == (0, "builds\n")


@pytest.mark.parametrize(("version", "toolchain"), [("go1.19.8", ""), ("go1.25.7", "local")])
def test_a_go_that_is_too_old_for_caddy_is_named_with_what_is_wanted(
    tmp_path: Path, version: str, toolchain: str
) -> None:
    """1.19 is Debian 12's; it knows no GOTOOLCHAIN."""
    machine = Machine(tmp_path, "caddy.sh")
    machine.has("go", *go(version, toolchain))
    done = machine.run()
    assert (done.returncode, done.stdout) == (3, "")
    assert f"missing: go 1.26 or later, which builds Caddy (found: {version[2:]})" in done.stderr


def test_without_go_the_script_of_caddy_says_so(tmp_path: Path) -> None:
    done = Machine(tmp_path, "caddy.sh").run()
    assert done.returncode == 3
    assert "(found: none)" in done.stderr


def test_the_doctor_names_the_go_that_the_script_wants() -> None:
    wanted = re.findall(r"^wanted=(\S+)", (ROOT / "scripts" / "caddy.sh").read_text(), re.MULTILINE)
    assert [f"make setup-browsers (needs go {version} or later)" for version in wanted] == [CADDY.remedy]


@pytest.mark.skipif(os.geteuid() != 0, reason="packages are installed by root")
def test_a_package_that_a_distribution_does_not_have_keeps_no_other_from_being_installed(
    tmp_path: Path,
) -> None:
    machine = Machine(tmp_path, "debian-packages.sh")
    (tmp_path / "Cargo.toml").write_text('rust-version = "1.0"\n')
    machine.has("cargo", "echo cargo 1.0.0")
    machine.has("cc")
    machine.has("patch")
    machine.has(
        "apt-get", f'echo "$*" >>{tmp_path}/asked', 'if [[ "$*" = *firefox-esr* ]]; then exit 100; fi'
    )
    done = machine.run("browsers")
    asked = (tmp_path / "asked").read_text()
    options = "install --yes --quiet --quiet --no-install-recommends"
    for package in ("chromium", "firefox-esr", "libnss3-tools", "xvfb"):
        assert f"{options} {package}\n" in asked
    assert "missing: firefox-esr (Firefox" in done.stderr
