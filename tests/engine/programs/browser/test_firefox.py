"""A Firefox that comes up otherwise than it should is an error that says so."""

from contextlib import nullcontext
from types import SimpleNamespace

import pytest

from bentpipe.engine.emulate import configuration_of
from bentpipe.engine.process.part import PartError
from bentpipe.engine.programs.browser import remote
from bentpipe.engine.programs.browser.firefox import Firefox
from tools.specs import spec_of


def test_a_firefox_without_a_tab_is_an_error(monkeypatch):
    answers = {"session.new": {"capabilities": {"browserVersion": "153.0"}}}
    control = SimpleNamespace(command=lambda method, _params: {"contexts": [], **answers.get(method, {})})
    monkeypatch.setattr(remote, "connected", lambda *_, **__: nullcontext(control))
    browser = Firefox(
        "none", configuration_of(spec_of({"link": "lan", "http": "h2", "page": "single-100k"}), None)
    )
    browser._process = SimpleNamespace(
        file=lambda *_, **__: {"ws_host": "127.0.0.1", "ws_port": 9222},
        fault=lambda: "the browser is at work",
    )
    with pytest.raises(PartError, match="Firefox: there should be one tab, and there are 0"):
        browser.await_ready()
