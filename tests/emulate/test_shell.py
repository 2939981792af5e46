"""Programs of the user's behind the link."""

import socket
import sys

import pytest

LINK = "flat:down=10Mbit/s,up=2Mbit/s,rtt=100ms"

FETCH = """
import time, urllib.request
began = time.monotonic()
with urllib.request.urlopen("http://198.18.0.2/") as response:
    body = response.read()
print(response.status, len(body), time.monotonic() - began)
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


@pytest.mark.parametrize("status", [0, 7])
def test_the_status_is_the_command_s(shell, status):
    assert shell("sh", "-c", f"exit {status}")[0] == status


def test_fetching_the_page_takes_the_round_trips_of_the_link(shell):
    status, out, errors = shell(sys.executable, "-c", FETCH)
    assert status == 0, errors
    code, size, took_s = out.split()
    assert (code, int(size) > 100) == ("200", True)
    # TCP's handshake and the request; the third would be a retransmission.
    assert 0.200 <= float(took_s) < 0.300


def test_nothing_of_the_host_s_network_can_be_reached(shell):
    """192.0.2.1 is set aside for documentation (RFC 5737); no route leads to it."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        status, out, errors = shell(sys.executable, "-c", LOOK_AROUND, str(listener.getsockname()[1]))
    assert status == 0, errors
    assert out.splitlines() == ["ECONNREFUSED", "ENETUNREACH", "['bp0', 'lo']"]


def test_the_command_finds_the_addresses_and_the_namespaces_in_its_environment(shell):
    script = 'echo $BENTPIPE_CLIENT $BENTPIPE_SERVER; ip -n "$BENTPIPE_SERVER_NETNS" -brief address show bp0'
    status, out, errors = shell("sh", "-c", script)
    assert status == 0, errors
    addresses, device = out.splitlines()
    assert addresses == "198.18.0.1 198.18.0.2"
    assert "198.18.0.2 peer 198.18.0.1" in device


def test_a_command_that_does_not_exist_gives_127_and_a_message(shell):
    """127: POSIX.1-2024, Shell Command Language, section 2.8.2."""
    status, out, errors = shell("no-such-command")
    assert (status, out) == (127, "")
    assert "error: no-such-command: No such file or directory" in errors


def test_a_file_that_is_no_program_gives_126_and_a_message(shell, tmp_path):
    file = tmp_path / "notes.txt"
    file.write_text("not a program")
    status, _, errors = shell(file)
    assert status == 126
    assert f"error: {file}: Permission denied" in errors
