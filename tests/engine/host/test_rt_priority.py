"""Where they want the same core the link goes before servers, servers go before a browser."""

import os
import subprocess
import sys
from contextlib import contextmanager

import pytest

from bentpipe.engine import emulate
from bentpipe.engine.host.rt_priority import Rank, put_before_browsers, put_first
from tests.support.models import spec_with


@contextmanager
def idle_process():
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        yield process.pid
    finally:
        process.communicate()


def priority(pid):
    """Zero for what has no real-time priority (sched_getparam(2))."""
    return os.sched_getparam(pid).sched_priority


@pytest.mark.root
@pytest.mark.skipif(bool(emulate.missing()), reason="this machine cannot emulate")
def test_a_server_goes_before_a_browser_and_the_link_before_a_server():
    with idle_process() as link, idle_process() as server:
        assert put_first(link, Rank.LINK) == "fifo"
        put_before_browsers(server, spec_with(client="chromium"))
        assert priority(link) > priority(server) > 0


def test_beside_our_own_client_a_server_is_one_process_among_others():
    with idle_process() as server:
        put_before_browsers(server, spec_with())
        assert priority(server) == 0


def test_what_is_not_allowed_is_said(monkeypatch):
    def refuse(*_):
        raise PermissionError

    monkeypatch.setattr(os, "sched_setscheduler", refuse)
    assert put_first(os.getpid(), Rank.LINK) == "other"
