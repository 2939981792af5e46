"""The Makefile explains itself, and its callers call targets that exist."""

import re
import subprocess

import pytest

from tests.tidy.project import ROOT

MAKEFILE = (ROOT / "Makefile").read_text()
PHONY = set(" ".join(re.findall(r"^\.PHONY: (.+)$", MAKEFILE, re.MULTILINE)).split())


def test_help_lists_every_target_with_a_description() -> None:
    # Under `make check` make is a child of make, and would announce its folder.
    command = ["make", "--no-print-directory", "help"]
    text = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    listed = dict(line.split(maxsplit=1) for line in text.splitlines())
    assert listed.keys() == PHONY


def test_every_target_that_makes_no_file_is_phony() -> None:
    targets = set(re.findall(r"^([a-z][a-z-]*):", MAKEFILE, re.MULTILINE))
    assert targets == PHONY


@pytest.mark.parametrize(
    "caller",
    [".ci/run", ".pre-commit-config.yaml", "CONTRIBUTING.md", "README.md", "docs/guide/getting-started.md"],
)
def test_callers_name_existing_targets(caller: str) -> None:
    called = set(
        re.findall(r"(?:^|[`:]|entry: )\s*make ([a-z-]+)", (ROOT / caller).read_text(), re.MULTILINE)
    )
    assert called
    assert called - PHONY == set()


def test_every_call_of_cargo_keeps_to_its_lock() -> None:
    sources = [MAKEFILE, *(path.read_text() for path in ROOT.glob("scripts/*.sh"))]
    lines = [line.strip() for text in sources for line in text.replace("\\\n", "").splitlines()]
    resolving = r"(?<!`)\bcargo (?:bench|build|clippy|doc|install|metadata|run|test)\b"
    calls = [line for line in lines if re.search(resolving, line) and not line.startswith("#")]
    assert len(calls) >= 7
    assert [line for line in calls if "--locked" not in line] == []
