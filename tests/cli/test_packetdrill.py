"""The command that judges an endpoint by scripts of packetdrill."""

from pathlib import Path
from xml.etree import ElementTree

from click.testing import CliRunner

from bentpipe.cli import main

FOLDER = Path(__file__).parents[1] / "packetdrill"
GOOD = str(FOLDER / "a_close_sends_a_fin.pkt")


def run(*arguments):
    return CliRunner().invoke(main, ["packetdrill", *map(str, arguments)])


def test_each_script_has_a_verdict_and_all_have_a_count(tmp_path):
    needs = tmp_path / "needs.pkt"
    needs.write_text("`sysctl -q net.ipv4.tcp_sack=0`\n")
    result = run(GOOD, needs)
    assert result.exit_code == 0
    assert result.output.splitlines() == [
        f"{GOOD}: passed",
        f"{needs}:1: needs tcp_sack=0",
        "",
        "1 passed, 1 need more",
    ]


def test_a_script_that_fails_is_exit_status_1(tmp_path):
    bad = tmp_path / "bad.pkt"
    bad.write_text("0 close(3) = 0\n")
    result = run(bad)
    assert result.exit_code == 1
    assert f"{bad}:1: expected close returns 0, found close returns -1 EBADF" in result.output


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
