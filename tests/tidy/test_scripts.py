"""The scripts of the Makefile, on machines whose programs say what they were asked for."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from bentpipe.engine.programs.third_party import CADDY
from tests.tidy.project import ROOT

USED = ("bash", "chmod", "cut", "dirname", "grep", "head", "mkdir", "rm", "sed", "sort")
"""What scripts may find besides what a test gives them."""


class Machine:
    """A folder with one of the scripts, and a PATH of its own."""

    def __init__(self, folder: Path, script: str, *, used: tuple[str, ...] = ()) -> None:
        self._script = folder / "scripts" / script
        self._programs = folder / "bin"
        self._script.parent.mkdir()
        self._programs.mkdir()
        shutil.copy(ROOT / "scripts" / script, self._script)
        for name in USED + used:
            (self._programs / name).symlink_to(str(shutil.which(name)))

    def has(self, name: str, *lines: str) -> None:
        """Install a program: by its name in PATH, by a path in the folder itself."""
        program = (self._script.parents[1] if "/" in name else self._programs) / name
        program.parent.mkdir(parents=True, exist_ok=True)
        program.write_text("\n".join(["#!/bin/bash", *lines]))
        program.chmod(0o755)

    def run(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """Run the script; no signal is ignored, whoever runs the tests."""
        return subprocess.run(
            [str(shutil.which("env")), "--default-signal", self._script, *arguments],
            env={"PATH": str(self._programs), "PYTHON": sys.executable, **environment},
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


def test_without_npm_the_script_of_axe_core_says_so(tmp_path: Path) -> None:
    done = Machine(tmp_path, "axe.sh").run()
    assert done.returncode == 3
    assert "missing: npm" in done.stderr


@pytest.mark.parametrize("content", ["another archive", ""])
def test_an_archive_of_axe_core_that_is_another_is_not_unpacked(tmp_path: Path, content: str) -> None:
    machine = Machine(tmp_path, "axe.sh", used=("mktemp", "sha256sum"))
    machine.has("npm", f"echo '{content}' >axe-core-4.14.1.tgz")
    machine.has("tar", "echo unpacked")
    done = machine.run()
    assert done.returncode == 1
    assert "unpacked" not in done.stdout
    assert list((tmp_path / "build/axe").iterdir()) == [], "what was fetched is gone"


DENY_VERSION = re.findall(r"^deny_version=(\S+)", (ROOT / "scripts" / "audit.sh").read_text(), re.MULTILINE)[
    0
]
CLEAN = [{"name": "numpy", "version": "2.0.0", "vulns": []}]
ADVISORY = {"id": "PYSEC-2026-1", "fix_versions": ["2.0.1"]}
HIT = [{"name": "numpy", "version": "2.0.0", "vulns": [ADVISORY]}]
UNKNOWN = [{"name": "numpy", "skip_reason": "not found"}]


def audit(
    folder: Path,
    *,
    checks: str = "true",
    advisories: str = "true",
    fetch: str = "true",
    pypi: object = CLEAN,
    osv: object = CLEAN,
) -> subprocess.CompletedProcess[str]:
    """Run the audit where cargo-deny's steps end as given and pip-audit answers so; None is no answer."""
    machine = Machine(folder, "audit.sh")
    (folder / "requirements.lock").touch()
    for script in ("tools.sh", "patch-crates.sh"):
        machine.has(f"scripts/{script}")
    machine.has(
        "build/cargo-deny/bin/cargo-deny",
        f'case "$*" in --version) echo "cargo-deny {DENY_VERSION}" ;; *fetch*) {fetch} ;;',
        f"*licenses*) {checks} ;; *advisories*) {advisories} ;; esac",
    )
    machine.has("build/tools/bin/python", f'exec "{sys.executable}" "$@"')
    answers = {"pypi": pypi, "osv": osv}
    cases = " ".join(
        f"*{name}*) echo '{json.dumps({'dependencies': answer})}' >build/audit.json ;;"
        for name, answer in answers.items()
        if answer is not None
    )
    machine.has("build/tools/bin/pip-audit", f'case "$*" in {cases} esac', "exit 1")
    return machine.run()


def test_an_audit_without_findings_succeeds(tmp_path: Path) -> None:
    done = audit(tmp_path)
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "audit: no findings")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"checks": "exit 4"}, "Rust: licences or sources"),
        ({"advisories": "exit 1"}, "Rust: advisories for Cargo.toml"),
        ({"pypi": HIT}, "Python: advisories for requirements.lock"),
        ({"pypi": UNKNOWN, "osv": HIT}, "Python: advisories for requirements.lock"),
        ({"pypi": HIT, "fetch": "false"}, "Python: advisories for requirements.lock"),
    ],
)
def test_an_audit_fails_by_what_it_finds(tmp_path: Path, change: dict[str, object], said: str) -> None:
    done = audit(tmp_path, **change)
    assert done.returncode == 1
    assert f"findings (above) in\n  {said}" in done.stderr


@pytest.mark.parametrize(
    ("change", "said"),
    [({"fetch": "false"}, "RustSec's database"), ({"pypi": None, "osv": UNKNOWN}, "PyPI and OSV")],
)
def test_an_audit_that_gets_no_answer_says_so_and_does_not_succeed(
    tmp_path: Path, change: dict[str, object], said: str
) -> None:
    done = audit(tmp_path, **change)
    assert done.returncode == 3
    assert f"incomplete, no answer from\n  {said}" in done.stderr
    assert "no findings in what could be asked" in done.stderr


def test_an_advisory_is_named_with_the_version_that_mends_it(tmp_path: Path) -> None:
    assert "numpy 2.0.0: PYSEC-2026-1 (mended in: 2.0.1)" in audit(tmp_path, pypi=HIT).stdout


def test_where_one_database_has_no_answer_the_other_one_is_asked(tmp_path: Path) -> None:
    assert audit(tmp_path, pypi=UNKNOWN).returncode == 0
