"""Our own scripts of packetdrill pass on this machine's kernel, which judges scripts and interpreter."""

import os
from pathlib import Path

import pytest

from bentpipe.engine import packetdrill
from bentpipe.engine.packetdrill import Outcome
from tools.agreement_random.draw import Draw
from tools.random_scripts.judging import Fate, judged
from tools.random_scripts.stimuli import stimuli

FOLDER = Path(__file__).parents[1] / "packetdrill"
SCRIPTS = sorted(FOLDER.rglob("*.pkt"))


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_a_script_passes_on_the_kernel(script):
    verdict = packetdrill.emulate(script, script.read_text())
    assert verdict.outcome is Outcome.PASSED, verdict.words(script.name)


@pytest.mark.parametrize("index", [6, 10, 22, 23])
def test_a_script_by_chance_that_the_kernel_completes_judges_the_simulated_endpoint(index):
    found = judged(f"chance-{index}", stimuli(Draw(seed=1, index=index, attempt=0)))
    if found.fate is Fate.UNSTABLE:
        pytest.skip(f"this machine had no time for it twice: {found.verdict.words(str(index))}")
    assert found.fate is Fate.ALIKE, found.verdict.words(str(index))


def test_a_script_that_the_kernel_does_not_follow_fails(tmp_path):
    text = (FOLDER / "a_syn_is_repeated_after_one_second.pkt").read_text().replace("`./defaults.sh`", "")
    verdict = packetdrill.emulate(
        tmp_path / "script.pkt", text.replace("> . 1:1(0) ack 1", "> . 1:1(0) ack 2")
    )
    assert verdict.outcome is Outcome.FAILED
    assert verdict.found is not None and verdict.found.startswith(". 1:1(0) ack 1 win")


def test_a_script_leaves_scheduling_and_namespace_as_they_were(tmp_path):
    before = (os.sched_getscheduler(0), Path("/proc/thread-self/ns/net").readlink())
    verdict = packetdrill.emulate(tmp_path / "script.pkt", "`sysctl -q net.ipv4.tcp_sack=0`")
    assert verdict.outcome is Outcome.PASSED
    assert (os.sched_getscheduler(0), Path("/proc/thread-self/ns/net").readlink()) == before


def test_a_command_that_fails_fails_the_script(tmp_path):
    verdict = packetdrill.emulate(tmp_path / "script.pkt", "`echo no such luck >&2; false`")
    assert (verdict.outcome, verdict.found) == (Outcome.FAILED, "no such luck")
    several = packetdrill.emulate(tmp_path / "script.pkt", "`\n  true\n  false\n`")
    assert several.expected == "`true; false` to succeed"


def test_a_command_that_is_not_installed_skips_the_script(tmp_path):
    # POSIX.1-2024, Shell and Utilities, 2.8.2: the exit status is 127.
    verdict = packetdrill.emulate(tmp_path / "script.pkt", "`true; no-such-tool`")
    assert verdict.outcome is Outcome.SKIPPED
    assert verdict.expected is not None and "no-such-tool: not found" in verdict.expected
