"""Our own scripts, one for a rule, pass on the simulated endpoint; in tests/emulate on the kernel."""

import re
from pathlib import Path

import pytest

from bentpipe.engine import packetdrill
from bentpipe.engine.packetdrill import Outcome

SCRIPTS = sorted(Path(__file__).parent.glob("*.pkt"))


def test_there_is_a_script_for_each_of_sixty_rules():
    assert len(SCRIPTS) >= 60


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_a_script_passes_in_virtual_time(script):
    verdict = packetdrill.simulate(script, script.read_text())
    assert verdict.outcome is Outcome.PASSED, verdict.words(script.name)


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_a_script_says_where_its_expected_values_come_from(script):
    head = script.read_text().partition("`./defaults.sh")[0]
    assert re.match(r"// .", head)
    assert re.search(r"RFC \d+|\w\(\d\)|\b(tcp|sock|ip)_\w+", head), head
