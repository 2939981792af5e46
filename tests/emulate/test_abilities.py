"""What the machine can do is said before anything is tried."""

import json
import subprocess
import sys

import pytest

NOBODY = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")
READS_EVERYTHING = ("--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search")
"""An installation below a home folder is closed to others; reading alone gives no power over networks."""


@pytest.fixture(scope="module")
def unprivileged():
    """A prefix that runs a command as an ordinary user."""
    prefix = (*NOBODY, *READS_EVERYTHING)
    try:
        tried = subprocess.run(
            [*prefix, sys.executable, "-c", "import bentpipe._core"], capture_output=True, text=True
        )
    except FileNotFoundError:
        pytest.skip("setpriv (util-linux) is not installed")
    if tried.returncode != 0:
        pytest.skip(f"another user cannot run this installation: {tried.stderr.strip()}")
    return prefix


def test_doctor_prints_one_json_document_that_finds_everything_needed(bentpipe):
    status, out, _ = bentpipe("doctor", "--json")
    findings = {check["name"]: check["finding"] for check in json.loads(out)}
    assert status == 0
    assert findings["root"] == "ok"
    assert "missing" not in findings.values()


PAGE = ("page", "--link", "lan", "--http", "h2", "--page", "single-100k")


def test_without_root_a_measurement_is_simulated_and_that_is_said(bentpipe, unprivileged):
    status, out, errors = bentpipe(*PAGE, prefix=unprivileged)
    assert status == 0
    assert "Page load time" in out
    assert "engine: simulate (this machine cannot emulate: emulation needs root" in errors


def test_without_root_emulation_by_name_ends_with_status_2_and_names_root(bentpipe, unprivileged):
    arguments = (*PAGE, "--engine", "emulate")
    status, out, errors = bentpipe(*arguments, prefix=unprivileged)
    assert (status, out) == (2, "")
    assert "emulation needs root" in errors
    assert "Traceback" not in errors


def test_without_root_doctor_says_so_and_names_the_remedy(bentpipe, unprivileged):
    status, out, _ = bentpipe("doctor", "--json", prefix=unprivileged)
    checks = {check["name"]: check for check in json.loads(out)}
    assert status == 0
    assert checks["root"]["finding"] == "missing"
    assert "sudo" in checks["root"]["remedy"]
