"""What the set-up does to a machine as root, and as whom it does the rest."""

import os
import pwd
import subprocess
from pathlib import Path

import pytest

from tests.tidy.test_scripts import Machine

pytestmark = pytest.mark.skipif(
    os.geteuid() != 0, reason="the set-up has the right to change a machine as root"
)

NOBODY = 65534
THEIRS = "#!/bin/sh\nexit 0\n"
UNIT = "lib/systemd/system/nginx.service"
INIT_SCRIPT = "etc/init.d/nginx"


class Debian(Machine):
    """A machine whose apt-get says what it was asked for and what policy-rc.d said meanwhile."""

    def __init__(self, folder: Path, *then: str) -> None:
        super().__init__(folder, "debian-packages.sh")
        self.root = folder / "root"
        self.policy = self.root / "usr/sbin/policy-rc.d"
        self.policy.parent.mkdir(parents=True)
        self._told = folder
        for program in ("cc", "patch", "pkg-config"):
            self.has(program)
        said = f'said=nothing; [[ ! -x {self.policy} ]] || {{ "{self.policy}"; said=$?; }}'
        self.has("apt-get", f'{said}; echo "$said: $*" >>{folder}/asked', *then)

    def runs_systemd(self) -> None:
        """Have systemd as what runs the machine (sd_booted(3))."""
        (self.root / "run/systemd/system").mkdir(parents=True)

    def has_to_enable(self, *programs: str, then: str = "") -> None:
        """Install programs that enable services, which say what they were asked for."""
        for name in programs:
            self.has(name, f'echo "{name} $*" >>{self._told}/enabling', then)

    def has_all_that_runs_need(self) -> None:
        """Install the programs; the machine of the tests has the rest, for it has built the project."""
        for program in ("ip", "clang", "nft", "iperf3"):
            self.has(program)

    def set_up(self, purpose: str = "browsers") -> int:
        """Install what that needs; return the status."""
        return self.run(purpose, INSTALL_ROOT=str(self.root)).returncode

    def asked(self) -> list[str]:
        """Return the calls of apt-get with what policy-rc.d said before each."""
        return self._said("asked")

    def enabling(self) -> list[str]:
        """Return the calls of what enables services, and disables them."""
        return self._said("enabling")

    def _said(self, where: str) -> list[str]:
        file = self._told / where
        return file.read_text().splitlines() if file.exists() else []


def brings(folder: Path, *files: str) -> str:
    """Return the line of an apt-get that brings files to the machine in that folder."""
    paths = [folder / "root" / file for file in files]
    return "; ".join(f"mkdir -p {path.parent}; : >{path}" for path in paths)


def test_a_package_that_a_distribution_does_not_have_keeps_no_other_from_being_installed(
    tmp_path: Path,
) -> None:
    machine = Debian(tmp_path, 'if [[ "$*" = *firefox-esr* ]]; then exit 100; fi')
    done = machine.run("browsers", INSTALL_ROOT=str(machine.root))
    options = "101: install --yes --quiet --quiet --no-install-recommends"
    for package in ("chromium", "firefox-esr", "libnss3-tools", "xvfb"):
        assert f"{options} {package}" in machine.asked()
    assert "missing: firefox-esr (Firefox" in done.stderr


def test_nothing_may_be_started_while_packages_are_installed_and_everything_afterwards(
    tmp_path: Path,
) -> None:
    """101 is "action forbidden by policy" (policy-rc.d, /usr/share/doc/init-system-helpers)."""
    machine = Debian(tmp_path)
    machine.set_up()
    assert machine.asked()
    assert {line.partition(":")[0] for line in machine.asked()} == {"101"}
    assert not machine.policy.exists()


@pytest.mark.parametrize(
    ("ending", "status"),
    [("exit 100", 100), ("kill -INT $PPID", 130), ("kill -TERM $PPID", 143), ("kill -HUP $PPID", 129)],
)
def test_the_policy_goes_however_the_set_up_ends(tmp_path: Path, ending: str, status: int) -> None:
    machine = Debian(tmp_path, ending)
    assert machine.set_up() == status
    assert machine.asked()[0].startswith("101: ")
    assert not machine.policy.exists()


def test_a_policy_of_the_machine_s_own_is_left_alone(tmp_path: Path) -> None:
    machine = Debian(tmp_path)
    machine.policy.write_text(THEIRS)
    machine.policy.chmod(0o755)
    machine.set_up()
    assert machine.policy.read_text() == THEIRS
    assert {line.partition(":")[0] for line in machine.asked()} == {"0"}


def test_a_policy_that_a_killed_set_up_left_goes_with_the_next(tmp_path: Path) -> None:
    machine = Debian(tmp_path, "kill -KILL $PPID")
    assert machine.set_up() == -9
    assert machine.policy.exists()
    machine.has("apt-get")
    machine.set_up()
    assert not machine.policy.exists()


def test_a_policy_that_a_killed_set_up_left_goes_with_the_next_also_when_nothing_is_missing(
    tmp_path: Path,
) -> None:
    machine = Debian(tmp_path, "kill -KILL $PPID")
    machine.set_up()
    asked = machine.asked()
    assert machine.policy.exists()
    machine.has_all_that_runs_need()
    assert machine.set_up("run") == 0
    assert machine.asked() == asked
    assert not machine.policy.exists()


def test_a_policy_of_the_machine_s_own_is_left_alone_when_nothing_is_missing(tmp_path: Path) -> None:
    machine = Debian(tmp_path)
    machine.policy.write_text(THEIRS)
    machine.has_all_that_runs_need()
    assert machine.set_up("run") == 0
    assert machine.asked() == []
    assert machine.policy.read_text() == THEIRS


def test_a_server_that_the_set_up_brings_is_not_started_at_the_next_boot(tmp_path: Path) -> None:
    machine = Debian(tmp_path, brings(tmp_path, UNIT, INIT_SCRIPT))
    machine.runs_systemd()
    machine.has_to_enable("systemctl", "update-rc.d")
    machine.set_up()
    assert machine.enabling() == ["systemctl --quiet disable --now nginx.service"]


def test_nor_is_one_of_those_that_our_loader_is_compared_with(tmp_path: Path) -> None:
    machine = Debian(tmp_path, brings(tmp_path, "lib/systemd/system/ngtcp2d.service"))
    machine.runs_systemd()
    machine.has_to_enable("systemctl", "update-rc.d")
    machine.set_up("third-party")
    assert machine.enabling() == ["systemctl --quiet disable --now ngtcp2d.service"]


def test_nor_where_systemd_is_there_and_does_not_run_yet(tmp_path: Path) -> None:
    """In a chroot or an image: packages enable their services all the same (deb-systemd-helper(1p))."""
    machine = Debian(tmp_path, brings(tmp_path, UNIT, INIT_SCRIPT))
    machine.has_to_enable("systemctl", "update-rc.d")
    machine.set_up()
    assert machine.enabling() == ["systemctl --quiet disable nginx.service"]


@pytest.mark.parametrize("file", [UNIT, INIT_SCRIPT])
def test_nor_where_there_is_no_systemd(tmp_path: Path, file: str) -> None:
    machine = Debian(tmp_path, brings(tmp_path, file))
    machine.has_to_enable("update-rc.d")
    machine.set_up()
    assert machine.enabling() == ["update-rc.d nginx disable"]


def test_a_server_that_may_start_at_the_next_boot_is_told(tmp_path: Path) -> None:
    machine = Debian(tmp_path, brings(tmp_path, UNIT))
    machine.has_to_enable("systemctl", then="exit 1")
    assert (
        "nginx may start at the next boot" in machine.run("browsers", INSTALL_ROOT=str(machine.root)).stderr
    )
    assert not machine.policy.exists()


@pytest.mark.parametrize("systemd_runs", [True, False])
@pytest.mark.parametrize("file", [UNIT, f"usr/{UNIT}", "etc/systemd/system/nginx.service", INIT_SCRIPT])
def test_a_server_that_was_there_before_stays_as_it_is(
    tmp_path: Path, file: str, *, systemd_runs: bool
) -> None:
    machine = Debian(tmp_path, brings(tmp_path, UNIT, INIT_SCRIPT))
    (machine.root / file).parent.mkdir(parents=True)
    (machine.root / file).touch()
    if systemd_runs:
        machine.runs_systemd()
    machine.has_to_enable("systemctl", "update-rc.d")
    machine.set_up()
    assert machine.asked()
    assert machine.enabling() == []


def test_where_no_server_is_brought_none_is_disabled(tmp_path: Path) -> None:
    machine = Debian(tmp_path)
    machine.has_to_enable("systemctl", "update-rc.d")
    machine.set_up()
    assert machine.enabling() == []


class Checkout(Machine):
    """A checkout of the user `nobody`, and sudo as they call it."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, "under-sudo.sh")
        os.chown(folder, NOBODY, NOBODY)

    def does(self, *command: str, sudo: bool = True) -> subprocess.CompletedProcess[str]:
        """Run a command through the script; with the machine's PATH, for `nobody` may not look into ours."""
        ids = {"SUDO_UID": str(NOBODY), "SUDO_GID": str(NOBODY)} if sudo else {}
        return self.run(*command, PATH=os.defpath, **ids)


def test_under_sudo_what_builds_is_the_user_who_called_it_with_their_rustup(tmp_path: Path) -> None:
    checkout = Checkout(tmp_path)
    assert checkout.does("build", "id", "-u").stdout == f"{NOBODY}\n"
    assert checkout.does("build", "id", "-G").stdout == f"{NOBODY}\n"
    home, path = checkout.does("build", "sh", "-c", "echo $HOME:$PATH").stdout.split(":")[:2]
    assert home == pwd.getpwuid(NOBODY).pw_dir
    assert path == f"{home}/.cargo/bin"


def test_under_sudo_what_measures_is_root_and_what_it_makes_the_users(tmp_path: Path) -> None:
    done = Checkout(tmp_path).does(
        "measure", "sh", "-c", "mkdir results; touch results/report.html; id -u; exit 7"
    )
    assert (done.stdout, done.returncode) == ("0\n", 7)
    for path in (tmp_path / "results", tmp_path / "results/report.html"):
        assert path.stat().st_uid == path.stat().st_gid == NOBODY


@pytest.mark.parametrize("purpose", ["build", "measure"])
def test_root_without_sudo_and_in_a_checkout_of_root_s_stays_root(tmp_path: Path, purpose: str) -> None:
    checkout = Checkout(tmp_path)
    assert checkout.does(purpose, "id", "-u", sudo=False).stdout == "0\n"
    os.chown(tmp_path, 0, 0)
    assert checkout.does(purpose, "id", "-u").stdout == "0\n"
