"""How a user's command comes into namespaces of its own, and which setting refuses them."""

import subprocess
import sys

import pytest

from bentpipe.engine.process import user_namespace
from bentpipe.engine.process.maker import Maker
from tests.support.ordinary_user import an_ordinary_user

ALLOWING = {
    "user/max_user_namespaces": "96365",
    "user/max_mnt_namespaces": "96365",
    "user/max_net_namespaces": "96365",
    "kernel/unprivileged_userns_clone": "1",
    "kernel/apparmor_restrict_unprivileged_userns": "0",
}
"""As Ubuntu has them that gives its users namespaces; others lack the last two."""


def sysctls(folder, values):
    for path, value in values.items():
        (folder / path).parent.mkdir(exist_ok=True)
        (folder / path).write_text(f"{value}\n")
    return folder


@pytest.mark.parametrize("absent", [(), tuple(path for path in ALLOWING if path.startswith("kernel/"))])
def test_a_machine_that_allows_them_has_no_such_setting(tmp_path, absent):
    values = {path: value for path, value in ALLOWING.items() if path not in absent}
    assert user_namespace.forbidding(sysctls(tmp_path, values)) is None


@pytest.mark.parametrize(
    ("path", "value", "name", "remedy"),
    [
        # namespaces(7), /proc/sys/user: the number that users may have.
        ("user/max_user_namespaces", "0", "user.max_user_namespaces", "user.max_user_namespaces=10000"),
        ("user/max_net_namespaces", "0", "user.max_net_namespaces", "user.max_net_namespaces=10000"),
        ("user/max_mnt_namespaces", "0", "user.max_mnt_namespaces", "user.max_mnt_namespaces=10000"),
        # Debian's release notes for 11, section 5.2 (user namespaces).
        (
            "kernel/unprivileged_userns_clone", "0",
            "kernel.unprivileged_userns_clone", "kernel.unprivileged_userns_clone=1",
        ),
        # Ubuntu's release notes for 23.10 and 24.04 (unprivileged user namespace restrictions).
        (
            "kernel/apparmor_restrict_unprivileged_userns", "1",
            "kernel.apparmor_restrict_unprivileged_userns", "kernel.apparmor_restrict_unprivileged_userns=0",
        ),
    ],
)  # fmt: skip
def test_the_setting_that_forbids_them_is_named_with_one_that_does_not(tmp_path, path, value, name, remedy):
    error = user_namespace.forbidding(sysctls(tmp_path, {**ALLOWING, path: value}))
    assert f"{name} is {value}" in error.missing
    assert f"`sysctl -w {remedy}`" in error.remedy


ENTERING = """
import os, sys
from bentpipe.engine.process import user_namespace
print(os.getpid() == 1, user_namespace.is_own(), flush=True)
user_namespace.enter([sys.executable, *sys.orig_argv[1:]])
print("goes on")
"""

AS_AN_IMAGE_STARTS_IT = ("unshare", "--user", "--map-current-user", "--pid", "--fork", "--mount-proc", "--")
"""The first process of a PID namespace, of a user without capabilities."""


@pytest.fixture
def user():
    with an_ordinary_user() as found:
        tried = subprocess.run(
            [*found.prefix, *AS_AN_IMAGE_STARTS_IT, *user_namespace.COMMAND, "true"],
            capture_output=True, text=True,
        )  # fmt: skip
        if tried.returncode != 0:
            pytest.skip(f"an ordinary user has no namespaces here: {tried.stderr.strip()}")
        yield found


@pytest.mark.parametrize(
    ("prefix", "is_first"), [((), False), (AS_AN_IMAGE_STARTS_IT, True)], ids=["below others", "as the first"]
)
def test_a_process_is_started_anew_once_and_is_then_in_namespaces_of_its_own(user, prefix, is_first):
    """Also the first one, whose mounts are those of the first process: the kernel allows 32 levels."""
    done = subprocess.run(
        [*user.prefix, *prefix, sys.executable, "-c", ENTERING],
        capture_output=True, text=True, timeout=60, cwd=user.home,
    )  # fmt: skip
    assert done.stderr == ""
    assert done.stdout.splitlines() == [f"{is_first} False", f"{is_first} True", "goes on"]


def test_what_it_has_left_is_its_own_memory_and_not_that_of_what_it_starts(monkeypatch):
    own = Maker.this_process()
    another = Maker(pid_namespace=own.pid_namespace, pid=own.pid, start=own.start + 1)
    found = []
    for value in (own.name("4026531841"), another.name("4026531841"), own.name("mounts"), "4026531841", ""):
        monkeypatch.setenv(user_namespace._LEFT, value)
        found.append(user_namespace._left_mounts())
    assert found == [4026531841, None, None, None, None]


def test_on_a_kernel_without_user_namespaces_nothing_is_in_one(monkeypatch, tmp_path):
    """Its processes have no /proc/PID/uid_map (fs/proc/base.c, CONFIG_USER_NS)."""
    monkeypatch.setattr(user_namespace, "may_administer", lambda: True)
    monkeypatch.setattr(user_namespace, "_UID_MAP", tmp_path / "uid_map")
    assert not user_namespace.is_own()


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
