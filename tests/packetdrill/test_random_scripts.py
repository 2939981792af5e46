"""Scripts by chance, from what is drawn to the verdict, the kernel left out."""

from itertools import pairwise

import pytest

from bentpipe.engine import packetdrill
from bentpipe.engine.packetdrill import Outcome, Verdict
from tools.agreement_random.draw import Draw
from tools.random_scripts import judging
from tools.random_scripts.judging import FOLDER, Fate, completed, judged, text_of
from tools.random_scripts.stimuli import GAPS_S, REST_S, Line, stimuli

LINES = [
    Line(at_s=0, text="socket(..., SOCK_STREAM, IPPROTO_TCP) = 3"),
    Line(at_s=0.1, text="close(3) = 0"),
]
SCRIPT = FOLDER / "drawn.pkt"


def drawn(index):
    return stimuli(Draw(seed=1, index=index, attempt=0))


def test_a_script_is_the_same_each_time_and_another_one_is_not():
    assert drawn(1) == drawn(1)
    assert drawn(1) != drawn(2)


@pytest.mark.parametrize("index", range(40))
def test_every_script_can_be_run_and_what_leaves_can_be_expected(index):
    # The simulated endpoint stands for the kernel: it passes what it has completed itself.
    lines = drawn(index)
    first = packetdrill.simulate(SCRIPT, text_of(lines))
    assert first.outcome is Outcome.PASSED, first.words(str(index))
    again = packetdrill.simulate(SCRIPT, completed(lines, first.unexpected))
    assert (again.outcome, again.unexpected) == (Outcome.PASSED, ()), again.words(str(index))


def test_events_are_apart_and_the_endpoint_has_time_behind_them():
    for index in range(20):
        times = [line.at_s for line in drawn(index) if line.at_s]
        gaps = [later - earlier for earlier, later in pairwise(times)]
        assert {round(gap, 6) for gap in gaps} <= {0, *GAPS_S, REST_S}
        assert round(gaps[-1], 6) == REST_S


def test_a_segment_stands_behind_all_that_came_before_it():
    assert completed(LINES, ["0.100200 > F. 1:1(0) ack 1 win 5", "0.05 > . 1:1(0) ack 1 win 5"]) == text_of(
        [
            LINES[0],
            Line(at_s=0.05, text="> . 1:1(0) ack 1 win 5"),
            LINES[1],
            Line(at_s=0.1002, text="> F. 1:1(0) ack 1 win 5"),
        ]
    )


PASSED = Verdict(outcome=Outcome.PASSED)
FAILED = Verdict(outcome=Outcome.FAILED, line=1, expected="a", found="b")
ANSWERED = Verdict(outcome=Outcome.PASSED, unexpected=("0.05 > . 1:1(0) ack 1 win 5",))


@pytest.mark.parametrize(
    ("kernel", "simulated", "fate"),
    [
        ([ANSWERED, PASSED], PASSED, Fate.ALIKE),
        ([ANSWERED, PASSED], FAILED, Fate.DIFFERENT),
        # It sends what the kernel does not.
        ([ANSWERED, PASSED], ANSWERED, Fate.DIFFERENT),
        ([ANSWERED, FAILED], PASSED, Fate.UNSTABLE),
        ([ANSWERED, ANSWERED], PASSED, Fate.UNSTABLE),
        ([FAILED], PASSED, Fate.NO_SCRIPT),
    ],
)
def test_only_a_script_that_the_kernel_passes_judges_the_endpoint(monkeypatch, kernel, simulated, fate):
    verdicts = iter(kernel)
    monkeypatch.setattr(judging.packetdrill, "emulate", lambda *_: next(verdicts))
    monkeypatch.setattr(judging.packetdrill, "simulate", lambda *_: simulated)
    assert judged("drawn", LINES).fate is fate
