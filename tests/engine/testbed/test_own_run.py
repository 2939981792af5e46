"""A /run of its own is mounted where a process has mounts of its own, and in no other case."""

import json
import os
import subprocess
import sys

import pytest

from bentpipe.engine.process import user_namespace

USER = "60481"
"""Beyond those that Debian gives to people and to services (Debian Policy, section 9.2.2)."""

MACHINE = ("unshare", "--mount", "--", "sh", "-c", 'mount -t tmpfs machine /run && exec "$@"', "sh")
"""Stands for the machine: mounts of its user namespace, of which none has named a network namespace yet.

A mistake ends with the test.
"""

AS_A_SERVICE = (
    *("setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups"),
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

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="who is not root has one case of these")


def prepared(*prefix):
    done = subprocess.run([*MACHINE, *prefix, sys.executable, "-c", PREPARE], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_in_namespaces_of_its_own_it_is_mounted_once():
    assert prepared(*user_namespace.COMMAND) == {"own": True, "mounted": 1, "said": ""}


def test_nor_does_it_come_to_the_machine_where_mounts_are_shared_with_it():
    """As systemd has them (mount_namespaces(7)): below another user namespace they are received, not sent."""
    script = (
        "mount --make-rshared / && before=$(grep -c ' /run ' /proc/self/mountinfo);"
        ' "$@" > /dev/null && echo $(($(grep -c " /run " /proc/self/mountinfo) - before))'
    )
    own = [*user_namespace.COMMAND, sys.executable, "-c", PREPARE]
    done = subprocess.run([*MACHINE, "sh", "-c", script, "sh", *own], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("0\n", "")


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
    assert "/run/netns is not for user 60481" in said
    assert " ".join(user_namespace.COMMAND) in said


@pytest.mark.parametrize(
    ("uid_map", "expected"),
    [
        ("      1000       1000          1\n", True),
        ("         0       1000          1\n", True),
        # user_namespaces(7): the machine's own; one that `newuidmap` has made for a container; none yet.
        ("         0          0 4294967295\n", False),
        ("         0       1000          1\n         1     100000      65536\n", False),
        ("", False),
    ],
)
def test_a_user_namespace_of_one_user_has_one_line_with_one_number(uid_map, expected):
    assert user_namespace.has_one_user(uid_map) is expected
