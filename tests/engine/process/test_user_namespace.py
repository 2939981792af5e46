"""Why a machine refuses its users namespaces, as far as a setting says it."""

import pytest

from bentpipe.engine.process import user_namespace

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
