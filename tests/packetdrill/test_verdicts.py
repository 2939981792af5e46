"""What a script of packetdrill comes to: verdicts, errors of scripts, what Python of them sees."""

from pathlib import Path
from xml.etree import ElementTree

import pytest

from bentpipe.engine import packetdrill
from bentpipe.engine.packetdrill import Outcome, Verdict, junit
from bentpipe.engine.packetdrill.assertions import Assertions
from bentpipe.errors import InputError

HERE = Path("script.pkt")
ACCEPTED = """
0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
+0 bind(3, ..., ...) = 0
+0 listen(3, 1) = 0
+0 < S 0:0(0) win 65535 <mss 1000>
+0 > S. 0:0(0) ack 1 <mss 1460>
+.1 < . 1:1(0) ack 1 win 65535
+0 accept(3, ..., ...) = 4
"""


def simulated(text):
    return packetdrill.simulate(HERE, ACCEPTED + text)


def test_a_failed_assertion_is_told_with_its_line_and_what_it_says():
    verdict = simulated("+0 %{ assert tcpi_snd_cwnd == 11, tcpi_snd_cwnd }%")
    assert verdict == Verdict(
        outcome=Outcome.FAILED,
        line=9,
        expected="assert tcpi_snd_cwnd == 11, tcpi_snd_cwnd",
        found="AssertionError: 10",
    )
    assert verdict.words("a.pkt").startswith("a.pkt:9: expected assert tcpi_snd_cwnd == 11")


def test_what_one_block_binds_is_there_in_the_next():
    assert (
        simulated("+0 %{ before = tcpi_snd_cwnd }%\n+0 %{ assert before == 10 }%").outcome is Outcome.PASSED
    )


def test_blocks_of_several_lines_may_be_indented():
    block = "%{\n    if tcpi_state == TCP_ESTABLISHED:\n        assert tcpi_unacked == 0\n}%"
    assert simulated(f"+0 {block}").outcome is Outcome.PASSED


def test_the_last_line_of_a_block_may_end_with_a_backslash():
    block = "%{ assert tcpi_unacked == 0;\\\n    assert tcpi_state == TCP_ESTABLISHED;\\\n}%"
    assert simulated(f"+0 {block}").outcome is Outcome.PASSED


def test_a_field_that_the_endpoint_does_not_have_skips_the_script():
    verdict = simulated("+0 %{ assert tcpi_rcv_ooopack == 0 }%")
    assert (verdict.outcome, verdict.expected) == (Outcome.SKIPPED, "tcpi_rcv_ooopack")


def test_constants_have_the_numbers_of_linux():
    # net/tcp_states.h, linux/tcp.h.
    for names, numbers in (
        ("TCP_ESTABLISHED, TCP_CLOSE_WAIT, TCP_CA_Recovery, TCP_CA_Loss", "1, 8, 3, 4"),
        ("TCPI_OPT_ECN, TCPI_OPT_SYN_DATA, TCPI_OPT_TFO_CHILD", "8, 32, 128"),
        ("TFO_STATUS_UNSPEC, TFO_SYN_RETRANSMITTED", "0, 3"),
    ):
        Assertions()(f"assert ({names}) == ({numbers})", {})


def test_a_script_that_cannot_be_read_is_an_error_of_its_line():
    with pytest.raises(InputError) as error:
        simulated("+0 > P. 1:1001(999) ack 1")
    assert (error.value.file, error.value.field) == ("script.pkt", "line 9")
    assert error.value.expected == "1000, which is 1 and 999 bytes"


def test_no_command_of_a_simulated_script_is_run(tmp_path):
    marker = tmp_path / "was-run"
    verdict = packetdrill.simulate(tmp_path / "script.pkt", f"`touch {marker}`\n{ACCEPTED}")
    assert verdict.outcome is Outcome.SKIPPED
    assert not marker.exists()


def test_settings_come_from_the_shell_script_beside_the_script(tmp_path):
    (tmp_path / "own.sh").write_text("ip route replace default dev tun0 initcwnd 3\n")
    text = f"`./own.sh`\n{ACCEPTED}+0 %{{ assert tcpi_snd_cwnd == 3, tcpi_snd_cwnd }}%"
    assert packetdrill.simulate(tmp_path / "script.pkt", text).outcome is Outcome.PASSED


def test_verdicts_are_written_as_junit_has_them():
    verdicts = {
        "good.pkt": Verdict(outcome=Outcome.PASSED),
        "bad.pkt": Verdict(outcome=Outcome.FAILED, line=3, expected="a", found="b"),
        "more.pkt": Verdict(outcome=Outcome.SKIPPED, line=1, expected="c"),
        "none.pkt": InputError(file="none.pkt", field="line 2", expected="d", found="e"),
    }
    options = [("ip_version", "ipv6"), ("define", "A=1")]
    suite = ElementTree.fromstring(junit.document(verdicts, engine="simulate", options=options))
    counts = {name: suite.get(name) for name in ("tests", "failures", "skipped", "errors")}
    assert counts == {"tests": "4", "failures": "1", "skipped": "1", "errors": "1"}
    [failure], [error] = suite.iter("failure"), suite.iter("error")
    assert failure.get("message") == "bad.pkt:3: expected a, found b"
    assert error.get("message") == "none.pkt: line 2: expected d, found e"
    properties = [(one.get("name"), one.get("value")) for one in suite.findall("properties/property")]
    assert properties == options
