"""Programs of the user's behind the link."""

import re
import shutil
import signal
import socket
import sys
from pathlib import Path

import pytest

from bentpipe.engine.process import scratch
from tests.emulate import traces

LINK = "flat:down=10Mbit/s,up=2Mbit/s,rtt=100ms"

FETCH = """
import time, urllib.request
started = time.monotonic()
with urllib.request.urlopen("http://198.18.0.2/") as response:
    body = response.read()
print(response.status, len(body), time.monotonic() - started)
"""

LOOK_AROUND = """
import errno, socket, sys
for address in [("127.0.0.1", int(sys.argv[1])), ("192.0.2.1", 80)]:
    with socket.socket() as probe:
        probe.settimeout(2)
        print(errno.errorcode[probe.connect_ex(address)])
with open("/proc/net/dev") as devices:
    print(sorted(line.partition(":")[0].strip() for line in devices if ":" in line))
"""


@pytest.fixture
def shell(bentpipe):
    return lambda *command: bentpipe("shell", "--link", LINK, "--", *command)


@pytest.fixture
def root_shell(bentpipe):
    return lambda *command: bentpipe("shell", "--link", LINK, "--root", "--", *command)


@pytest.mark.parametrize("status", [0, 7])
def test_the_status_is_the_command_s(shell, status):
    assert shell("sh", "-c", f"exit {status}")[0] == status


def test_fetching_the_page_takes_the_round_trips_of_the_link(root_shell):
    status, out, errors = root_shell(sys.executable, "-c", FETCH)
    assert status == 0, errors
    code, size, took_s = out.split()
    assert (code, int(size) > 100) == ("200", True)
    # TCP's handshake and the request; the third would be a retransmission.
    assert 0.200 <= float(took_s) < 0.300


def test_nothing_of_the_host_s_network_can_be_reached(root_shell):
    """192.0.2.1 is set aside for documentation (RFC 5737); no route leads to it."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        status, out, errors = root_shell(sys.executable, "-c", LOOK_AROUND, str(listener.getsockname()[1]))
    assert status == 0, errors
    assert out.splitlines() == ["ECONNREFUSED", "ENETUNREACH", "['bp0', 'lo']"]


def test_the_command_finds_the_addresses_and_as_root_the_namespaces_in_its_environment(root_shell):
    script = 'echo $BENTPIPE_CLIENT $BENTPIPE_SERVER; ip -n "$BENTPIPE_SERVER_NETNS" -brief address show bp0'
    status, out, errors = root_shell("sh", "-c", script)
    assert status == 0, errors
    addresses, device = out.splitlines()
    assert addresses == "198.18.0.1 198.18.0.2"
    assert "198.18.0.2 peer 198.18.0.1" in device


@pytest.mark.parametrize("as_whom", ["shell", "root_shell"])
def test_a_command_that_does_not_exist_gives_127_and_a_message(as_whom, request, monkeypatch):
    """127: POSIX.1-2024, Shell Command Language, section 2.8.2. All folders of the path may be searched."""
    monkeypatch.setenv("PATH", "/usr/sbin:/usr/bin:/sbin:/bin")
    status, out, errors = request.getfixturevalue(as_whom)("no-such-command")
    assert (status, out) == (127, "")
    assert re.search("no-such-command: No such file or directory", errors)


@pytest.mark.parametrize("as_whom", ["shell", "root_shell"])
def test_a_file_that_is_no_program_gives_126_and_a_message(as_whom, request, tmp_path):
    file = tmp_path / "notes.txt"
    file.write_text("not a program")
    status, _, errors = request.getfixturevalue(as_whom)(file)
    assert status == 126
    assert f"{file}: Permission denied" in errors


BY_NAME = """
import os, socket, time, urllib.request
print(socket.gethostbyname("origin.bentpipe.test"))
with urllib.request.urlopen(os.environ["BENTPIPE_URL"]) as response:
    print(response.status, response.url)
started = time.monotonic()
try:
    socket.getaddrinfo("www.example.com", 443)
except socket.gaierror:
    print("unknown", time.monotonic() - started < 1)
"""


def test_the_page_is_found_by_name_and_trusted_and_no_other_host_is(root_shell):
    status, out, errors = root_shell(sys.executable, "-c", BY_NAME)
    assert status == 0, errors
    assert out.splitlines() == ["198.18.0.2", "200 https://origin.bentpipe.test/", "unknown True"]


@pytest.mark.skipif(
    shutil.which("curl") is None, reason="curl is not installed: `make setup-dev` installs it"
)
def test_curl_trusts_the_origin_by_its_name(bentpipe):
    written = "%{http_code} %{http_version} %{ssl_verify_result}"
    curl = ("curl", "--silent", "--show-error", "--output", "/dev/null", "--write-out", written)
    url = "https://origin.bentpipe.test/object-1.jpg"
    status, out, errors = bentpipe("shell", "--link", LINK, "--cc", "bbr", "--", *curl, url)
    assert status == 0, errors
    assert out == "200 2 0"


FETCH_OBJECT = """
import os, urllib.request
with urllib.request.urlopen(os.environ["BENTPIPE_URL"] + "object-1.jpg") as response:
    print(len(response.read()))
"""


def test_the_page_is_the_one_asked_for(bentpipe):
    arguments = ("shell", "--root", "--link", LINK, "--page", "single-100k", "--")
    status, out, errors = bentpipe(*arguments, sys.executable, "-c", FETCH_OBJECT)
    assert (status, out) == (0, "100000\n"), errors


def test_the_machine_s_own_files_are_what_they_were(shell):
    files = [Path("/etc", name) for name in ("hosts", "resolv.conf", "nsswitch.conf")]
    before = [file.read_bytes() if file.exists() else None for file in files]
    status, out, errors = shell("cat", "/etc/hosts")
    assert status == 0, errors
    assert "198.18.0.2 origin.bentpipe.test" in out
    assert [file.read_bytes() if file.exists() else None for file in files] == before
    assert "bentpipe" not in Path("/proc/self/mountinfo").read_text()


WAITING = ("sh", "-c", "echo started; exec sleep 600")


def test_a_shell_that_is_asked_to_end_asks_the_program_and_leaves_nothing(command):
    process = command("shell", "--link", LINK, "--", *WAITING)
    assert process.stdout.readline() == "started\n"
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=10)
    assert process.returncode == 128 + signal.SIGTERM
    assert traces.namespaces() == []
    assert scratch.leftovers() == []


@pytest.mark.alone
@pytest.mark.parametrize("hang_up", [signal.SIG_DFL, signal.SIG_IGN], ids=["terminal", "nohup"])
def test_the_program_of_a_killed_shell_ends_and_what_it_left_is_removed_at_the_next_start(
    hang_up, command, shell, mark
):
    before = signal.signal(signal.SIGHUP, hang_up)
    process = command("shell", "--link", LINK, "--", *WAITING)
    signal.signal(signal.SIGHUP, before)
    assert process.stdout.readline() == "started\n"
    process.kill()
    process.wait()
    assert traces.becomes_true(lambda: not traces.processes(mark), within_s=3)
    assert scratch.leftovers() != []
    assert shell("true")[0] == 0
    assert scratch.leftovers() == []


def test_without_a_display_a_browser_is_refused_with_the_remedy(bentpipe, monkeypatch):
    if shutil.which("chromium") is None:
        pytest.skip("chromium is not installed: `make setup-browsers` installs it")
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    status, _, errors = bentpipe("shell", "--link", LINK, "--", "chromium")
    assert status == 2
    assert "error: no display: neither DISPLAY nor WAYLAND_DISPLAY is set; start it from" in errors
