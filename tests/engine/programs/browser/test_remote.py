"""The remote control beside a browser that says what a test has it say."""

import json
import threading
import time
from contextlib import ExitStack

import pytest
from websockets.sync.client import connect
from websockets.sync.server import serve

from bentpipe.engine.programs.browser.remote import Remote, RemoteError


@pytest.fixture
def browser():
    """Makes a remote control; `answers` turns a command into messages, None into a farewell."""
    ends = ExitStack()

    def start(answers):
        def talk(connection):
            for text in connection:
                for message in answers(json.loads(text)):
                    if message is None:
                        return
                    connection.send(json.dumps(message))

        server = serve(talk, "127.0.0.1", 0)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        ends.callback(server.shutdown)
        host, port = server.socket.getsockname()
        return Remote(ends.enter_context(connect(f"ws://{host}:{port}", proxy=None, close_timeout=1)))

    with ends:
        yield start


def soon():
    return time.monotonic() + 5


def test_a_command_returns_its_result_and_events_in_between_wait(browser):
    remote = browser(
        lambda command: [
            {"method": "Page.loadEventFired", "params": {"timestamp": 1.5}, "sessionId": "A"},
            {"id": command["id"], "result": {"asked": command["method"], "of": command.get("sessionId")}},
        ]
    )
    assert remote.command("Page.enable", session="B") == {"asked": "Page.enable", "of": "B"}
    event = remote.event(until_s=soon())
    assert (event.method, event.params, event.session) == ("Page.loadEventFired", {"timestamp": 1.5}, "A")
    assert remote.event(until_s=time.monotonic()) is None


@pytest.mark.parametrize(
    ("error", "said"),
    [
        ({"error": {"code": -32601, "message": "'X.y' wasn't found"}}, "'X.y' wasn't found"),
        ({"type": "error", "error": "unknown command", "message": "X.y"}, "unknown command: X.y"),
    ],
    ids=["Chrome DevTools Protocol", "WebDriver BiDi"],
)
def test_a_refused_command_says_why(browser, error, said):
    remote = browser(lambda command: [{"id": command["id"], **error}])
    with pytest.raises(RemoteError, match=f"refused X.y: {said}"):
        remote.command("X.y")


def test_a_refused_order_is_said_with_the_next_event(browser):
    remote = browser(lambda command: [{"id": command["id"], "error": {"message": "no such page"}}])
    remote.order("Page.navigate", {"url": "x:"})
    with pytest.raises(RemoteError, match="no such page"):
        remote.event(until_s=soon())


def test_a_silent_browser_is_given_up_and_one_that_goes_is_missed(browser):
    with pytest.raises(RemoteError, match=r"did not answer Page\.enable within"):
        browser(lambda _: []).command("Page.enable", timeout_s=0.1)
    with pytest.raises(RemoteError, match="the browser has gone"):
        browser(lambda _: [None]).command("Page.enable")


def test_a_page_that_asks_for_things_without_end_is_given_up(browser, monkeypatch):
    monkeypatch.setattr("bentpipe.engine.programs.browser.remote.MOST_EVENTS", 3)
    event = {"method": "Network.requestWillBeSent", "params": {}}
    remote = browser(lambda command: [event] * 4 + [{"id": command["id"], "result": {}}])
    with pytest.raises(RemoteError, match="the browser told of more than 3 events"):
        remote.command("Page.navigate")


def test_a_page_that_asks_for_long_things_without_end_is_given_up(browser, monkeypatch):
    monkeypatch.setattr("bentpipe.engine.programs.browser.remote._MOST_EVENT_BYTES", 10_000)
    event = {"method": "Network.requestWillBeSent", "params": {"url": "data:" + "x" * 4000}}
    remote = browser(lambda command: [event] * 3 + [{"id": command["id"], "result": {}}])
    with pytest.raises(RemoteError, match="the browser told more than 10000 bytes"):
        remote.command("Page.navigate")


@pytest.mark.parametrize("message", [5, [], {"method": "Page.loadEventFired"}, {"params": {}}])
def test_what_is_neither_an_answer_nor_an_event_is_refused(browser, message):
    with pytest.raises(RemoteError, match="neither an answer nor an event"):
        browser(lambda _: [message]).command("Page.enable")
