"""The wall clock beside the monotonic one: clocks of a test's own, in ns."""

from itertools import count

import pytest

from bentpipe.engine.programs.browser.wall_clock import Clocks
from bentpipe.model.reason import ClockSteppedReason

BOOTED_NS = 1_700_000_000_000_000_000
"""When the monotonic clock started, by the wall clock; some day in 2023."""


class Machine:
    """Both clocks of a machine; every look at one takes a microsecond."""

    def __init__(self):
        self.set_by_ns, self._now_ns = 0, count(5_000_000_000, 1000)

    def clocks(self):
        return Clocks(
            monotonic_ns=lambda: next(self._now_ns),
            wall_ns=lambda: next(self._now_ns) + BOOTED_NS + self.set_by_ns,
        )


def test_the_epoch_is_the_beginning_of_1970_by_the_monotonic_clock():
    assert Machine().clocks().epoch_ns() == -BOOTED_NS


@pytest.mark.parametrize("step_ns", [-80_000_000, 500_000_000])
def test_a_step_of_the_wall_clock_is_a_doubt(step_ns):
    machine = Machine()
    clocks = machine.clocks()
    epoch_ns = clocks.epoch_ns()
    machine.set_by_ns = step_ns
    assert clocks.doubts(epoch_ns=epoch_ns) == [ClockSteppedReason(step_ns=abs(step_ns))]


def test_what_a_look_at_two_clocks_costs_is_no_doubt():
    machine = Machine()
    clocks = machine.clocks()
    epoch_ns = clocks.epoch_ns()
    machine.set_by_ns = 900_000
    assert clocks.doubts(epoch_ns=epoch_ns) == []


def test_a_lost_core_between_two_clocks_does_not_count():
    """The second look of five loses its core for 100 ms, as on a full machine."""
    ticks = iter([0, 1, 2, 10, 100_000_011, 100_000_012, 20, 21, 22, 30, 31, 32, 40, 41, 42])
    clocks = Clocks(monotonic_ns=lambda: next(ticks), wall_ns=lambda: next(ticks) + BOOTED_NS)
    assert clocks.epoch_ns() == -BOOTED_NS


def test_the_clocks_of_this_machine_agree_with_themselves():
    clocks = Clocks()
    assert clocks.doubts(epoch_ns=clocks.epoch_ns()) == []
