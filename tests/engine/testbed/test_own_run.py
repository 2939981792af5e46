"""A /run of its own is mounted where a process has mounts of its own, and in no other case."""

import json
import subprocess
import sys

import pytest

from bentpipe.engine.process import user_namespace
from tests.support.ordinary_user import UID

MACHINE = ("unshare", "--mount", "--", "sh", "-c", 'mount -t tmpfs machine /run && exec "$@"', "sh")
"""Stands for the machine: mounts of its user namespace, of which none has named a network namespace yet.

A mistake ends with the test.
"""

AS_A_SERVICE = (
    *("setpriv", f"--reuid={UID}", f"--regid={UID}", "--clear-groups"),
    # The last two read this Python, wherever it is.
    *(f"--{kind}-caps=+net_admin,+sys_admin,+dac_override,+dac_read_search" for kind in ("inh", "ambient")),
    "--",
)
OF_ONE_USER = ("unshare", "--user", "--map-current-user", "--keep-caps")

PREPARE = """
import json
from pathlib import Path
from bentpipe.engine.process import user_namespace
from bentpipe.engine.testbed import own_run
from bentpipe.errors import AbilityError

def mounts():
    return Path("/proc/self/mountinfo").read_bytes().count(b" /run ")

before, said = mounts(), ""
try:
    own_run.prepare()
    own_run.prepare()
except AbilityError as error:
    said = str(error)
print(json.dumps({"own": user_namespace.is_own(), "mounted": mounts() - before, "said": said}))
"""


ABLE = """
import json
import os
from bentpipe.engine import emulate
from bentpipe.engine.host import doctor
from bentpipe.engine.process import user_namespace

(privileges,) = (check for check in doctor.report() if check.name == "privileges")
lacks = any("needs root or a user namespace" in str(error) for error in emulate.missing())
granted = privileges.found in ("root", "root, in a user namespace", f"user {os.geteuid()}")
print(json.dumps({"enters": user_namespace.may_enter(), "lacks": lacks, "granted": granted}))
"""


def output(*prefix, program=PREPARE):
    """Return what a program prints; skips where nothing can be started so."""
    tried = subprocess.run([*MACHINE, *prefix, "true"], capture_output=True, text=True)
    if tried.returncode != 0:
        pytest.skip(f"this machine does not allow it: {tried.stderr.strip()}")
    done = subprocess.run([*MACHINE, *prefix, sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def prepared(*prefix):
    return json.loads(output(*prefix))


def test_in_namespaces_of_its_own_it_is_mounted_once():
    assert prepared(*user_namespace.COMMAND) == {"own": True, "mounted": 1, "said": ""}


def test_nor_does_it_come_to_the_machine_where_mounts_are_shared_with_it():
    """As systemd has them (mount_namespaces(7)): below another user namespace they are received, not sent.

    unshare(1) makes all mounts private if it is not told otherwise, and then none comes from anywhere.
    """
    script = (
        "mount --make-rshared / && before=$(grep -c ' /run ' /proc/self/mountinfo);"
        ' "$@" && echo $(($(grep -c " /run " /proc/self/mountinfo) - before))'
    )
    assert user_namespace.COMMAND[-1] == "--"
    unchanged = (*user_namespace.COMMAND[:-1], "--propagation", "unchanged", "--")
    inside, *outside = output("sh", "-c", script, "sh", *unchanged).splitlines()
    assert json.loads(inside) == {"own": True, "mounted": 1, "said": ""}
    assert outside == ["0"]


@pytest.mark.parametrize(
    "prefix",
    [
        (),
        AS_A_SERVICE,
        # A user namespace whose mounts are the machine's.
        (*OF_ONE_USER, "--net", "--"),
        # As in a container: the first process has the same mounts.
        (*OF_ONE_USER, "--mount", "--net", "--pid", "--fork", "--mount-proc", "--"),
    ],
    ids=["root", "a service with capabilities", "the mounts of the machine", "the mounts of a container"],
)
def test_in_no_other_case_is_anything_mounted_over_run(prefix):
    found = prepared(*prefix)
    assert (found["own"], found["mounted"]) == (False, 0)


def test_a_user_with_capabilities_over_the_machine_is_told_what_helps():
    said = prepared(*AS_A_SERVICE)["said"]
    assert f"/run/netns is not for user {UID}" in said
    assert " ".join(user_namespace.COMMAND) in said


WITH_NAMES = ("sh", "-c", f'install -d -o {UID} /run/netns && exec "$@"', "sh")
"""A machine whose administrator lets a service have names of namespaces."""


@pytest.mark.parametrize(
    ("prefix", "may"),
    [
        (AS_A_SERVICE, False),
        ((*WITH_NAMES, *AS_A_SERVICE), True),
        (user_namespace.COMMAND, True),
        ((), True),
    ],
    ids=["a service", "a service with names", "namespaces of its own", "root"],
)
def test_all_that_ask_who_may_emulate_have_one_answer(prefix, may):
    """With all capabilities and nowhere to write names a run would fail: what is missing is said before."""
    found = json.loads(output(*prefix, program=ABLE))
    assert found == {"enters": not may, "lacks": not may, "granted": may}


def test_who_may_write_names_has_nothing_mounted():
    assert prepared(*WITH_NAMES, *AS_A_SERVICE) == {"own": False, "mounted": 0, "said": ""}
