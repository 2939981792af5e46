"""Our own scripts, one for a rule, pass on the simulated endpoint; in tests/emulate on the kernel."""

import re
from pathlib import Path

import pytest

from bentpipe.engine import packetdrill
from bentpipe.engine.packetdrill import Outcome

FOLDER = Path(__file__).parent
SCRIPTS = sorted(FOLDER.glob("*.pkt"))
FORMS = sorted((FOLDER / "forms").glob("*.pkt"))
"""What a script may have beside: not all of it has the simulated endpoint."""


def test_there_is_a_script_for_each_of_sixty_rules():
    assert len(SCRIPTS) >= 60


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_a_script_passes_in_virtual_time(script):
    verdict = packetdrill.simulate(script, script.read_text())
    assert verdict.outcome is Outcome.PASSED, verdict.words(script.name)


@pytest.mark.parametrize("script", FORMS, ids=lambda script: script.stem)
def test_a_form_passes_or_is_refused_by_the_name_that_the_script_says(script):
    text = script.read_text()
    refused = re.search(r"^// simulate: (.+)$", text, re.MULTILINE)
    verdict = packetdrill.simulate(script, text)
    expected = (Outcome.SKIPPED, refused[1]) if refused else (Outcome.PASSED, None)
    assert (verdict.outcome, verdict.expected) == expected, verdict.words(script.name)


@pytest.mark.parametrize("script", [*SCRIPTS, *FORMS], ids=lambda script: script.stem)
def test_a_script_says_where_its_expected_values_come_from(script):
    head = script.read_text().partition("`")[0]
    assert re.match(r"// .", head)
    assert re.search(r"RFC \d+|\w\(\d\)|\b(tcp|sock|ip)_\w+", head), head
