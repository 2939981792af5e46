"""`bentpipe serve` as a user types it."""

import socket
import subprocess
import sys

import pytest
from click.testing import CliRunner

from bentpipe.cli import main
from tests.workbench.served import served


def refused(*arguments):
    """The message of a command that does not begin to serve."""
    done = CliRunner().invoke(main, ["serve", *map(str, arguments)])
    assert done.exit_code == 2, done.output
    return done.output


def test_ctrl_c_ends_it_as_a_success():
    with served() as server:
        process = server.process
    assert process.returncode == 0


def test_it_listens_on_the_loopback_alone():
    with served() as server:
        listening = subprocess.run(
            ["ss", "--listening", "--tcp", "--numeric", "--no-header", f"sport = :{server.port}"],
            capture_output=True, text=True, check=True,
        ).stdout.split()  # fmt: skip
        assert listening[3] == f"127.0.0.1:{server.port}"


def test_a_token_of_a_file_is_the_same_each_time(tmp_path):
    file = tmp_path / "token"
    file.write_text("a-token-of-somebody-for-prometheus-1\n")
    file.chmod(0o600)
    for _ in range(2):
        with served("--token-file", file) as server:
            assert server.token == "a-token-of-somebody-for-prometheus-1"
            assert server.get("/metrics").status == 200


def test_a_token_of_any_characters_is_printed_as_a_part_of_an_address(tmp_path):
    token = "a&b#c+d/e=f%41-of-somebody-for-prometheus"
    file = tmp_path / "token"
    file.write_text(token)
    file.chmod(0o600)
    with served("--token-file", file) as server:
        assert server.token == token
        assert server.get("/metrics").status == 200


def test_a_token_that_others_can_read_is_refused(tmp_path):
    file = tmp_path / "token"
    file.write_text("x" * 40)
    file.chmod(0o644)
    assert "nobody but its owner may read (chmod 600), found mode 644" in refused("--token-file", file)


@pytest.mark.parametrize("token", ["", "short", "x" * 20 + " " + "x" * 20, "\u00fc" * 40])
def test_a_token_that_is_short_or_no_text_of_a_header_is_refused(tmp_path, token):
    file = tmp_path / "token"
    file.write_text(token)
    file.chmod(0o600)
    assert "at least 32 letters and digits" in refused("--token-file", file)


def test_a_token_file_that_is_not_there_is_refused(tmp_path):
    assert "No such file" in refused("--token-file", tmp_path / "none")


def test_an_address_that_is_a_name_is_refused():
    assert "--listen: expected an IP address" in refused("--listen", "example.org")


def test_an_address_of_another_machine_is_refused():
    # TEST-NET-1 (RFC 5737) is nobody's.
    assert "192.0.2.1 port" in refused("--listen", "192.0.2.1")


def test_a_port_that_is_taken_is_refused():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert f"127.0.0.1 port {port}: Address already in use" in refused("--port", port)


def test_a_folder_without_results_is_refused(tmp_path):
    assert "expected a folder of results, found none" in refused(tmp_path)
    assert "no such folder" in refused(tmp_path / "nothing")


def test_it_shows_an_example():
    command = [sys.executable, "-m", "bentpipe.cli", "serve", "--help"]
    shown = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "bentpipe serve results/" in shown
