"""What the machine can do is said before anything is tried."""

import json
import subprocess
import sys

import pytest

NOBODY = "65534"
WITHOUT_NAMESPACES = """
echo 0 > /proc/sys/user/max_user_namespaces
exec setpriv --inh-caps=-all --ambient-caps=-all --bounding-set=-all -- "$@"
"""
"""A limit counts for a user namespace and those below it (namespaces(7)): the machine's own stays."""
POWERLESS = (
    *("unshare", "--user", f"--map-user={NOBODY}", f"--map-group={NOBODY}", "--keep-caps", "--"),
    *("sh", "-c", WITHOUT_NAMESPACES, "sh"),
)


@pytest.fixture(scope="module")
def unprivileged():
    """A prefix that runs a command as an ordinary user, who may have no namespaces."""
    tried = subprocess.run(
        [*POWERLESS, sys.executable, "-c", "import bentpipe._core"], capture_output=True, text=True
    )
    if tried.returncode != 0:
        pytest.skip(f"another user cannot run this installation: {tried.stderr.strip()}")
    return POWERLESS


def test_doctor_prints_one_json_document_that_finds_everything_needed(bentpipe):
    status, out, _ = bentpipe("doctor", "--json")
    findings = {check["name"]: check["finding"] for check in json.loads(out)}
    assert status == 0
    assert findings["privileges"] == "ok"
    assert "missing" not in findings.values()


PAGE = ("page", "--link", "lan", "--http", "h2", "--page", "single-100k")


def test_without_root_and_namespaces_a_measurement_is_simulated_and_that_is_said(bentpipe, unprivileged):
    status, out, errors = bentpipe(*PAGE, prefix=unprivileged)
    assert status == 0
    assert "Page load time" in out
    assert "engine: simulate (this machine cannot emulate: emulation needs root or" in errors


def test_without_root_and_namespaces_emulation_by_name_ends_with_status_2_and_names_what_forbids_it(
    bentpipe, unprivileged
):
    arguments = (*PAGE, "--engine", "emulate")
    status, out, errors = bentpipe(*arguments, prefix=unprivileged)
    assert (status, out) == (2, "")
    assert "emulation needs root or a user namespace" in errors
    assert "user.max_user_namespaces is 0" in errors
    assert "Traceback" not in errors


def test_without_root_and_namespaces_doctor_says_so_and_names_the_remedy(bentpipe, unprivileged):
    status, out, _ = bentpipe("doctor", "--json", prefix=unprivileged)
    checks = {check["name"]: check for check in json.loads(out)}
    assert status == 0
    assert checks["privileges"]["finding"] == "missing"
    assert "user.max_user_namespaces is 0" in checks["privileges"]["found"]
    assert "sysctl -w user.max_user_namespaces=" in checks["privileges"]["remedy"]


WITHHELD = ("setpriv", "--bounding-set=-sys_admin", "--inh-caps=-all", "--")
"""Root as containers have it; a user namespace would give the capability back (user_namespaces(7))."""


def test_root_whose_container_withholds_a_capability_enters_no_user_namespace_and_is_told_which(bentpipe):
    status, out, errors = bentpipe(*PAGE, "--engine", "emulate", prefix=WITHHELD)
    assert (status, out) == (2, "")
    assert "root here is without SYS_ADMIN" in errors


def test_doctor_tells_root_which_capability_is_withheld(bentpipe):
    _, out, _ = bentpipe("doctor", "--json", prefix=WITHHELD)
    checks = {check["name"]: check for check in json.loads(out)}
    assert checks["privileges"]["finding"] == "missing"
    assert checks["privileges"]["found"] == "root without CAP_SYS_ADMIN"
    assert "give the container NET_ADMIN and SYS_ADMIN" in checks["privileges"]["remedy"]
