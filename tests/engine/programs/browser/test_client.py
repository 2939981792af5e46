"""What makes of a load a number, a failure or a doubt, whichever browser it is."""

import pytest

from bentpipe.engine.emulate import configuration_of
from bentpipe.engine.programs import third_party
from bentpipe.engine.programs.browser import kernel
from bentpipe.engine.programs.browser.client import Browser
from bentpipe.engine.programs.browser.progress import Progress
from bentpipe.engine.programs.browser.remote import RemoteError
from bentpipe.engine.programs.browser.sighting import Sighting
from tests.support.models import because, said
from tools.specs import spec_of

RUN = {"link": "lan", "http": "h2", "page": "single-100k", "validity": {"timeout": "2 s"}}
NOTHING_CAME = [
    "the browser did not load https://origin.bentpipe.test/",
    "1 resource of 2 missing: https://origin.bentpipe.test/object-1.jpg",
    "the browser has not reported the load event",
]


class Load(Progress):
    def take(self, event):
        raise AssertionError(event)

    def known(self):
        return set()


class Double(Browser[Load]):
    """A browser that sees nothing of the page, and does as it is told."""

    program = third_party.FIREFOX
    has_answered = False

    def __init__(self, behave):
        spec = spec_of(RUN).model_copy(update={"client": "firefox"})
        super().__init__("client", configuration_of(spec, None))
        self._behave = behave

    def _nothing(self, *_, **__):
        raise AssertionError

    _arguments = _furnish = _remote_url = _prepare = _nothing

    def _new_progress(self):
        return Load(expected=set(self._page.bytes_of), started_ns=5_000_000_000)

    def _load(self, progress, *, until_s):
        return self._behave(progress, until_s)

    def _sighted(self, progress):
        return Sighting(
            version="Firefox 153.0", started_ns=progress.started_ns, doubts=[because("of its own")]
        )

    def _has_answered(self):
        return self.has_answered


@pytest.fixture(autouse=True)
def outside(monkeypatch):
    """How many packets lead nowhere, by the kernel."""
    packets = {"client": 0}
    monkeypatch.setattr(kernel, "unroutable_packets", packets.__getitem__)
    return packets


def judged(behave, *, has_answered=False):
    browser = Double(behave)
    browser.has_answered = has_answered
    browser.load(begin_ns=0)
    report = browser.report()
    return said(report.faults), said(report.doubts)


def breaks(*_):
    raise RemoteError("the browser has gone")


def test_a_load_that_is_over_is_doubted_by_the_browser_and_by_what_came():
    assert judged(lambda *_: True) == ([], ["of its own", *NOTHING_CAME])


def test_a_load_has_the_time_that_the_run_gives_it():
    given = []
    assert judged(lambda _, until_s: given.append(until_s)) == (["timed out after 2 s"], [])
    assert given == [5.0 + 2.0]


def test_an_error_of_the_remote_control_is_a_failure_and_nothing_else_is_said():
    assert judged(breaks) == (["Firefox: the browser has gone"], [])


def test_an_error_that_is_an_answer_is_a_doubt_among_others():
    said = "Firefox: the browser has gone"
    assert judged(breaks, has_answered=True) == ([], [said, "of its own", *NOTHING_CAME])


@pytest.mark.parametrize(("is_visible", "said"), [(False, ["the browser did not show the page"]), (True, [])])
def test_a_page_that_was_not_shown_is_doubted(is_visible, said):
    def behave(progress, _):
        progress.seen = {"visible": is_visible}
        return True

    assert judged(behave) == ([], ["of its own", *NOTHING_CAME, *said])


def test_packets_that_lead_nowhere_are_doubted(outside):
    """Their answers would have been waited for, and no request tells of them."""
    outside["client"] = 3
    said = "3 packets to addresses outside the world"
    assert judged(lambda *_: True) == ([], ["of its own", *NOTHING_CAME, said])
