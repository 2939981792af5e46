"""What programs of others may do while they are in a world: read from /proc (proc_pid_status(5))."""

import json
import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from bentpipe import invoking_user
from bentpipe.engine.host.cpu_time import descendants
from bentpipe.engine.host.process_stat import ProcessStat
from bentpipe.engine.process import privilege
from bentpipe.engine.programs import third_party
from tests.emulate import traces

pytestmark = pytest.mark.alone

LINK = "flat:down=10Mbit/s,up=2Mbit/s,rtt=100ms"
SLOW = "flat:down=400kbit/s,up=200kbit/s,rtt=200ms"
"""Over which a page of 100 kB takes some seconds, for a look at the programs meanwhile."""
NOBODY = pwd.getpwnam("nobody").pw_uid
DAEMON = pwd.getpwnam("daemon")
"""Stands in for a person: an account that every machine has."""
HIDDEN = frozenset({"/home", "/root", "/run", "/var"})
"""What a measured browser sees nothing of."""
DEVICES = frozenset({"full", "null", "random", "urandom", "zero"})
"""All that a page's browser needs."""
STATUS = ("cat", "/proc/self/status")


@pytest.fixture
def shell(bentpipe):
    return lambda *command: bentpipe("shell", "--link", LINK, "--", *command)


def fields(status):
    """Return what a status file says, by the names of its lines."""
    return {name: value.split() for name, _, value in (line.partition(":") for line in status.splitlines())}


def has_no_privileges(said, uid):
    """Whether a process is a user's and can become nobody else."""
    capabilities = [int(said[name][0], 16) for name in ("CapInh", "CapPrm", "CapEff", "CapAmb")]
    return said["Uid"] == [str(uid)] * 4 and not any(capabilities) and said["NoNewPrivs"] == ["1"]


def test_a_program_in_a_shell_is_nobody_s_under_root_alone(shell, monkeypatch):
    monkeypatch.delenv("SUDO_UID", raising=False)
    status, out, errors = shell(*STATUS)
    assert status == 0, errors
    assert has_no_privileges(fields(out), NOBODY)


def test_a_program_in_a_shell_is_that_of_who_called_sudo(shell, monkeypatch):
    monkeypatch.setenv("SUDO_UID", str(DAEMON.pw_uid))
    monkeypatch.setenv("SUDO_GID", str(DAEMON.pw_gid))
    status, out, errors = shell(*STATUS)
    assert status == 0, errors
    said = fields(out)
    assert has_no_privileges(said, DAEMON.pw_uid)
    assert said["Gid"] == [str(DAEMON.pw_gid)] * 4
    assert {int(group) for group in said["Groups"]} == set(os.getgrouplist("daemon", DAEMON.pw_gid))


def test_a_program_in_a_shell_stays_root_s_where_that_is_asked_for(bentpipe):
    status, out, errors = bentpipe("shell", "--link", LINK, "--root", "--", *STATUS)
    assert status == 0, errors
    assert fields(out)["Uid"] == ["0"] * 4


@pytest.mark.skipif(shutil.which("ping") is None, reason="ping is not installed")
def test_ping_works_without_privileges(shell):
    """Debian gives its file a capability, which nobody gets here; there are sockets for it too (icmp(7))."""
    status, out, errors = shell("ping", "-n", "-c", "1", "-W", "5", "198.18.0.2")
    assert status == 0, errors
    assert "1 received" in out


PING_SOCKET = """
import socket
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM, socket.IPPROTO_ICMP) as ping:
    ping.settimeout(5)
    ping.sendto(bytes([8, 0, 0, 0, 0, 0, 0, 1]), ("198.18.0.2", 0))
    print(ping.recv(100)[0])
"""


def test_echo_requests_need_no_privileges(shell):
    """Type 0 is the reply (RFC 792)."""
    python = shutil.which("python3", path="/usr/bin:/bin")
    if python is None:
        pytest.skip("there is no Python that every user may start")
    status, out, errors = shell(python, "-c", PING_SOCKET)
    assert (status, out) == (0, "0\n"), errors


def test_a_program_with_capabilities_starts_without_them(shell):
    """As ping(8) does where its file has them (capabilities(7))."""
    if shutil.which("setcap") is None:
        pytest.skip("setcap is not installed")
    folder = Path(tempfile.mkdtemp(dir="/usr/local/bin"))
    try:
        folder.chmod(0o755)
        program = shutil.copy("/bin/cat", folder)
        subprocess.run(["setcap", "cap_net_raw+ep", program], check=True)
        status, out, errors = shell(program, "/proc/self/status")
    finally:
        shutil.rmtree(folder)
    assert status == 0, errors
    assert has_no_privileges(fields(out), NOBODY)


def test_a_program_of_nobody_s_has_a_home_of_its_own_to_write_to(shell, monkeypatch):
    monkeypatch.delenv("SUDO_UID", raising=False)
    status, out, errors = shell("sh", "-c", "touch $HOME/downloaded && ls $HOME && echo $USER")
    assert (status, out) == (0, "downloaded\nnobody\n"), errors


@pytest.mark.parametrize("option", [(), ("--root",)], ids=["user", "root"])
def test_what_a_shell_leaves_in_the_background_ends_with_it(bentpipe, mark, option):
    script = "setsid sleep 600 & setsid nohup sleep 601 > /dev/null 2>&1 & echo started"
    status, out, errors = bentpipe("shell", "--link", LINK, *option, "--", "sh", "-c", script)
    assert (status, out) == (0, "started\n"), errors
    assert traces.processes(mark, command="sleep") == []


@pytest.mark.parametrize("option", [(), ("--root",)], ids=["user", "root"])
def test_what_leaves_the_world_for_a_network_of_its_own_ends_with_the_shell_too(bentpipe, mark, option):
    unshare = "unshare --net" if option else "unshare --user --net"
    if not option and not privilege.has_user_namespaces(invoking_user.unprivileged()):
        pytest.skip("this kernel gives users no namespaces")
    script = f"setsid {unshare} sleep 600 & sleep 0.3; echo started"
    status, out, errors = bentpipe("shell", "--link", LINK, *option, "--", "sh", "-c", script)
    assert (status, out) == (0, "started\n"), errors
    assert traces.processes(mark, command="sleep") == []


def test_a_program_of_another_user_finds_its_files_whatever_root_s_temporary_folder_is(
    shell, tmp_path, monkeypatch
):
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    monkeypatch.setenv("TMPDIR", str(closed))
    status, out, errors = shell(
        "sh", "-c", 'head -1 "$CURL_CA_BUNDLE"; echo "${TMPDIR-none}"; touch "$HOME/x"'
    )
    assert (status, out) == (0, "-----BEGIN CERTIFICATE-----\nnone\n"), errors


@pytest.mark.parametrize("end", ["server=nginx", "server=caddy", "client=firefox", "client=chromium"])
def test_what_root_keeps_to_itself_by_its_umask_keeps_nothing_from_programs(bentpipe, end):
    if (lack := third_party.missing_for(end.partition("=")[2])) is not None:
        pytest.skip(str(lack))
    page = ("page", "--engine", "emulate", "--link", LINK, "--http", "h2", "--page", "single-100k", "--json")
    hardened = ("sh", "-c", 'umask 077; exec "$@"', "sh")
    _, out, errors = bentpipe(*page, "--set", end, "--set", "validity.lateness=1 s", prefix=hardened)
    assert json.loads(out)["metrics"]["plt_s"] > 0, errors


KNOCK = """
import errno, socket, sys
with socket.socket(socket.AF_UNIX) as probe:
    print(errno.errorcode.get(probe.connect_ex(sys.argv[1]), "connected"))
"""


def test_sockets_that_are_files_do_not_lead_out_of_a_shell(bentpipe):
    """Of a bus, a daemon or a shared ssh session; a network namespace does not hold them (unix(7))."""
    with (
        tempfile.TemporaryDirectory(dir="/run") as folder,
        socket.socket(socket.AF_UNIX) as listener,
        socket.socket(socket.AF_UNIX) as control,
    ):
        place = str(Path(folder, "bus"))
        listener.bind(place)
        listener.listen()
        assert control.connect_ex(place) == 0
        arguments = ("shell", "--link", LINK, "--root", "--", sys.executable, "-c", KNOCK, place)
        status, out, errors = bentpipe(*arguments)
    assert (status, out) == (0, "ECONNREFUSED\n"), errors


def test_a_shell_whose_link_ends_says_so_at_once(command, mark):
    process = command("shell", "--link", LINK, "--", "sh", "-c", "echo started; exec sleep 600")
    assert process.stdout.readline() == "started\n"
    (link,) = traces.parts(mark, name="link")
    os.kill(link, signal.SIGKILL)
    _, errors = process.communicate(timeout=10)
    assert process.returncode != 0
    assert "error: the link ended with status -9: without a word" in errors
    assert traces.namespaces() == []


@dataclass(frozen=True)
class Seen:
    """A process of a measurement, at one instant."""

    name: str
    uids: tuple[str, ...]
    has_capabilities: bool
    has_no_new_privs: bool
    is_bounded: bool
    is_in_our_session: bool
    has_terminal: bool
    folder: str
    program_folder: str
    is_read_only: bool
    hidden: frozenset[str]
    devices: frozenset[str]


def look_at(pid):
    process = Path(f"/proc/{pid}")
    # First: before it becomes the program of this name, it gives its privileges up one after the other.
    program = (process / "exe").readlink()
    said = fields((process / "status").read_text())
    # In a user namespace of its own, as a browser's sandbox is, they concern that alone.
    counts = (process / "ns/user").readlink() == Path("/proc/self/ns/user").readlink()
    capabilities = [int(said[name][0], 16) for name in ("CapPrm", "CapEff")]
    lines = [line.split() for line in (process / "mountinfo").read_text().splitlines()]
    options = {line[4]: line[5].split(",") for line in lines}
    return Seen(
        name=program.name,
        uids=tuple(said["Uid"]),
        has_capabilities=counts and any(capabilities),
        has_no_new_privs=said["NoNewPrivs"] == ["1"],
        is_bounded=int(said["CapBnd"][0], 16) == 0 or not counts,
        is_in_our_session=os.getsid(pid) == os.getsid(0),
        has_terminal=ProcessStat.of(pid).terminal != 0,
        folder=str((process / "cwd").readlink()),
        program_folder=str(program.parent),
        is_read_only="ro" in options["/"],
        hidden=frozenset(HIDDEN & options.keys()),
        devices=frozenset(path.name for path in (process / "root/dev").iterdir()),
    )


def is_in_a_world(pid):
    """Beside it the same programs are asked for their versions."""
    return Path(f"/proc/{pid}/ns/net").readlink() != Path("/proc/self/ns/net").readlink()


def seen_while_measuring(command, *options, names):
    """Load a page and return what was seen of the programs of some names meanwhile."""
    page = ("page", "--engine", "emulate", "--link", SLOW, "--http", "h2", "--page", "single-100k", "--json")
    process = command(*page, *options)
    seen = set()
    while process.poll() is None:
        for pid in descendants(process.pid):
            # It may have ended meanwhile.
            with suppress(OSError, KeyError):
                if is_in_a_world(pid):
                    seen.add(look_at(pid))
        time.sleep(0.02)
    out, errors = process.communicate()
    # How punctual runs are is tested elsewhere, without anybody who looks.
    assert json.loads(out)["metrics"]["plt_s"] > 0, errors
    found = {one for one in seen if one.name in names}
    assert found, f"of {names} none among {sorted({one.name for one in seen})}"
    return found


def has_privileges(seen):
    is_bare = seen.has_no_new_privs and seen.is_bounded and not seen.has_capabilities
    # TIOCSTI types into a terminal (ioctl_tty(2)); an open folder leads past what is mounted over it.
    # Chromium goes to the folder that it is installed in.
    harmless = ("/", "/tmp", seen.program_folder)
    reaches_us = seen.is_in_our_session or seen.has_terminal or seen.folder not in harmless
    return "0" in seen.uids or not is_bare or reaches_us


@pytest.mark.parametrize(
    ("client", "names"),
    [
        ("chromium", ("chromium", "chrome")),
        ("firefox", ("firefox", "firefox-esr", "firefox-bin")),
    ],
)
def test_a_measured_browser_is_a_user_s_without_privileges_and_may_write_nowhere(command, client, names):
    if (lack := third_party.missing_for(client)) is not None:
        pytest.skip(str(lack))
    seen = seen_while_measuring(command, "--set", f"client={client}", names=names)
    assert not [one for one in seen if has_privileges(one)]
    assert not [one for one in seen if not one.is_read_only or one.hidden != HIDDEN]
    assert {device for one in seen for device in one.devices} <= {*DEVICES, "shm"}


@pytest.mark.parametrize("server", ["nginx", "caddy"])
def test_a_server_is_a_user_s_without_privileges(command, server):
    if (lack := third_party.missing_for(server)) is not None:
        pytest.skip(str(lack))
    seen = seen_while_measuring(command, "--set", f"server={server}", names=(server, "program"))
    assert not [one for one in seen if has_privileges(one)]
