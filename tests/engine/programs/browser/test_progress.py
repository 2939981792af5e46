"""When a load is over."""

from math import inf

import pytest

from bentpipe.engine.programs.browser.progress import Progress
from bentpipe.engine.programs.browser.remote import Event

PAGE = {"https://www.test/", "https://www.test/a.jpg"}


class Load(Progress):
    """Is quiet after the events that say so."""

    come = PAGE

    def take(self, event):
        self._note(event, is_quiet=event.method == "quiet")

    def known(self):
        return self.come


def load_after(*methods):
    load = Load(expected=PAGE)
    for number, method in enumerate(methods):
        load.take(Event(method=method, params={}, session="", received_ns=10**9 * number))
    return load


@pytest.mark.parametrize("methods", [(), ("busy",), ("quiet", "busy")])
def test_it_is_not_over_while_something_is_in_flight(methods):
    assert load_after(*methods).over_s() == inf


def test_it_is_over_a_moment_after_the_last_event_when_all_has_come():
    assert load_after("busy", "quiet", "quiet").over_s() == 2 + 0.3


def test_what_is_missing_is_waited_for():
    load = load_after("quiet")
    load.come = PAGE - {"https://www.test/a.jpg"}
    assert load.over_s() == 3.0
