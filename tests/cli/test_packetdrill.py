"""The command that judges an endpoint by scripts of packetdrill."""

from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner

from bentpipe.cli import main

FOLDER = Path(__file__).parents[1] / "packetdrill"
GOOD = str(FOLDER / "a_close_sends_a_fin.pkt")


def run(*arguments):
    return CliRunner().invoke(main, ["packetdrill", *map(str, arguments)])


def test_each_script_has_a_verdict_and_all_have_a_count(tmp_path):
    skipped = tmp_path / "skipped.pkt"
    skipped.write_text("`sysctl -q net.ipv4.tcp_recovery=0`\n")
    result = run(GOOD, skipped)
    assert result.exit_code == 0
    assert result.output.splitlines() == [
        f"{GOOD}: passed",
        f"{skipped}:1: skipped, not supported: tcp_recovery=0",
        "",
        "1 passed, 1 skipped",
    ]


def test_a_script_that_fails_is_exit_status_1(tmp_path):
    bad = tmp_path / "bad.pkt"
    bad.write_text("0 close(3) = 0\n")
    result = run(bad)
    assert result.exit_code == 1
    assert f"{bad}:1: expected close returns 0, found close returns -1 EBADF" in result.output


def test_what_no_line_expects_is_shown_as_lines_of_a_script_where_that_is_asked_for(tmp_path):
    script = tmp_path / "handshake.pkt"
    script.write_text(
        "0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3\n+0 bind(3, ..., ...) = 0\n+0 listen(3, 1) = 0\n"
        "+0 < S 0:0(0) win 65535 <mss 1000>\n+0 > S. 0:0(0) ack 1 <...>\n+.1 < . 1:1(0) ack 1 win 65535\n"
        "+0 accept(3, ..., ...) = 4\n+.1 write(4, ..., 1500) = 1500\n+.1 close(3) = 0\n"
    )
    # The window of a receive buffer of 131072 bytes where nothing is scaled (tcp_select_initial_window).
    segments = ["0.200000 > . 1:1001(1000) ack 1 win 64240", "0.200000 > P. 1001:1501(500) ack 1 win 64240"]
    for option, shown in (("--unexpected", segments), ("--define=A=1", [])):
        assert run(script, option).output.splitlines() == [f"{script}: passed", *shown, "", "1 passed"]


def test_verdicts_go_to_a_file_too(tmp_path):
    result = run(GOOD, "--junit", tmp_path / "verdicts.xml")
    assert result.exit_code == 0
    suite = ElementTree.parse(tmp_path / "verdicts.xml").getroot()
    assert suite.get("tests") == "1"


def test_a_script_that_cannot_be_read_is_one_message_and_exit_status_2(tmp_path):
    bad = tmp_path / "bad.pkt"
    bad.write_text("0 close(3)\n")
    result = run(bad)
    assert result.exit_code == 2
    assert result.stderr == f'error: {bad}: line 2: expected "=", found the end of the script\n'


def test_one_that_cannot_be_read_keeps_no_other_from_being_judged(tmp_path):
    bad = tmp_path / "bad.pkt"
    bad.write_text("0 close(3)\n")
    result = run(bad, GOOD)
    assert result.exit_code == 2
    assert result.stderr.startswith(f"error: {bad}: line 2: expected")
    assert result.stdout.splitlines() == [f"{GOOD}: passed", "", "1 passed, 1 not read"]


@pytest.mark.parametrize("others", [(), (GOOD,)], ids=["alone", "beside another"])
def test_one_that_cannot_be_read_is_an_error_in_the_file_of_verdicts(tmp_path, others):
    bad = tmp_path / "bad.pkt"
    bad.write_text("0 close(3)\n")
    result = run(bad, *others, "-O", "mtu=1400", "-D", "A=1", "--junit", tmp_path / "verdicts.xml")
    assert result.exit_code == 2
    suite = ElementTree.parse(tmp_path / "verdicts.xml").getroot()
    assert (suite.get("tests"), suite.get("errors")) == (str(1 + len(others)), "1")
    assert suite.find(f"testcase[@name='{bad}']/error").get("message").startswith(f"{bad}: line 2: expected")
    properties = {one.get("name"): one.get("value") for one in suite.findall("properties/property")}
    assert properties == {"define": "A=1", "mtu": "1400"}


def test_a_folder_stands_for_the_scripts_below_it(tmp_path):
    (tmp_path / "deep").mkdir()
    for name in ("b.pkt", "deep/a.pkt"):
        (tmp_path / name).write_text("0 close(3) = -1 EBADF (Bad file descriptor)\n")
    assert run(tmp_path).stdout.splitlines()[:2] == [
        f"{tmp_path}/b.pkt: passed",
        f"{tmp_path}/deep/a.pkt: passed",
    ]
    (tmp_path / "none").mkdir()
    result = run(tmp_path / "none")
    assert result.exit_code == 2
    assert result.stderr == f"error: {tmp_path}/none: FILE: expected scripts (.pkt), found none\n"


def test_options_count_for_all_scripts_and_before_what_they_say(tmp_path):
    script = tmp_path / "script.pkt"
    script.write_text("--mtu=1400\n0 socket(AF_INET6, SOCK_STREAM, IPPROTO_TCP) = 3\n")
    assert "not supported: sockets of IPv6" in run(script).output
    assert run("--ip-version", "ipv6", script).output.startswith(f"{script}: passed")
    script.write_text("--mtu=99\n0 close(3) = -1 EBADF (Bad file descriptor)\n")
    assert "not supported: an MTU of 99 bytes" in run(script).output
    assert run("-O", "mtu=1500", script).output.startswith(f"{script}: passed")
    script.write_text("0 close(NUMBER) = -1 EBADF (Bad file descriptor)\n")
    assert run("-D", "NUMBER=7", script).output.startswith(f"{script}: passed")


def test_an_option_that_nobody_understands_is_one_message_and_exit_status_2():
    result = run("-D", "NUMBER", GOOD)
    assert result.exit_code == 2
    assert result.stderr == "error: command line: --define: expected NAME=VALUE, found NUMBER\n"
    addresses = ("-O", "local_ip=fd3d::1", "-O", "remote_ip=fd3d::2")
    # A header longer by 20 bytes leaves the segment size that the script expects (RFC 8200 section 3).
    assert run("--ip-version", "ipv6", "-O", "mtu=1520", *addresses, GOOD).exit_code == 0
    result = run("-O", "mtu=many", GOOD)
    assert result.exit_code == 2
    expected = "expected options of packetdrill and values that they take, found mtu=many"
    assert result.stderr == f"error: command line: --option: {expected}\n"
