"""action.yml: its steps call `bentpipe check` with what its inputs say, and end as that does."""

import os
import subprocess
import sys

import click
import pytest
import yaml

from bentpipe.cli import main
from tests.tidy.project import ROOT

ACTION = yaml.safe_load((ROOT / "action.yml").read_text())
WORKFLOW = yaml.safe_load((ROOT / "docs/guide/check-workflow.yml").read_text())
CHECK = next(step for step in ACTION["runs"]["steps"] if step.get("id") == "check")
BUDGET = """
[[budget]]
page = "single-100k"
link = "flat:down=10Mbit/s,up=2Mbit/s,rtt=600ms"
http = "h2"
repetitions = 1
metric = "plt_s"
below = "{below}"
"""


@pytest.fixture
def act(tmp_path):
    """Runs the script of the step with the environment that a runner gives it."""
    bin_folder = tmp_path / "temp/bentpipe/bin"
    bin_folder.mkdir(parents=True)
    (bin_folder / "bentpipe").write_text(f'#!/bin/sh\nexec {sys.executable} -m bentpipe.cli "$@"\n')
    (bin_folder / "bentpipe").chmod(0o755)

    def act(**inputs):
        given = dict.fromkeys(CHECK["env"], "") | {"BUDGETS": "budget.toml"} | inputs
        files = {"GITHUB_STEP_SUMMARY": tmp_path / "summary.md", "GITHUB_OUTPUT": tmp_path / "output"}
        runner = {"RUNNER_TEMP": tmp_path / "temp", **files}
        environment = {**os.environ, **given, **{key: str(value) for key, value in runner.items()}}
        # As a runner calls `shell: bash`.
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", CHECK["run"]]
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
        return done.returncode, *(file.read_text() for file in files.values() if file.exists())

    return act


@pytest.mark.parametrize(
    ("below", "status", "verdict"), [("1 h", 0, "kept"), ("1 ms", 1, "broken"), ("1 kB", 2, "refused")]
)
def test_the_step_ends_as_the_check_does_and_says_so(act, tmp_path, below, status, verdict):
    (tmp_path / "budget.toml").write_text(BUDGET.format(below=below))
    ended, *files = act(JUNIT="check.xml")
    assert ended == status
    assert files[-1] == f"verdict={verdict}\n"
    assert (tmp_path / "check.xml").exists() == (status < 2)
    assert (tmp_path / "summary.md").exists() == (status < 2)


def test_what_stands_in_an_input_is_no_part_of_the_script(act, tmp_path):
    name = "$(touch taken) `touch taken`; touch taken.toml"
    (tmp_path / name).write_text(BUDGET.format(below="1 h"))
    assert act(BUDGETS=name)[0] == 0
    assert not list(tmp_path.glob("taken*"))
    # An input is read in `env` and nowhere else.
    scripts = [step["run"] for step in ACTION["runs"]["steps"] if "run" in step]
    assert scripts and not any("${{" in script for script in scripts)


def test_every_input_reaches_a_step_and_every_option_exists():
    steps = yaml.safe_dump(ACTION["runs"])
    assert [name for name in ACTION["inputs"] if f"inputs.{name}" not in steps] == []
    assert isinstance(main, click.Group)
    options = {option for parameter in main.commands["check"].params for option in parameter.opts}
    assert {f"--{name}" for name in ("baseline", "save", "junit", "out")} <= options


def test_the_example_gives_inputs_that_there_are():
    (step,) = (each for each in WORKFLOW["jobs"]["check"]["steps"] if "bentpipe@" in each.get("uses", ""))
    assert set(step["with"]) <= set(ACTION["inputs"])
    required = {name for name, each in ACTION["inputs"].items() if each.get("required")}
    assert required and required <= set(step["with"])


def test_without_a_wheel_the_action_says_what_is_missing(tmp_path):
    (step,) = (each for each in ACTION["runs"]["steps"] if "WHEEL" in each.get("env", {}))
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
        env={**os.environ, "WHEEL": "", "RUNNER_TEMP": str(tmp_path)}, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 2
    assert "expected the input wheel" in done.stderr
    assert not list(tmp_path.iterdir())
