"""A server goes before a browser, and before nobody else."""

import os
import subprocess
import sys
from contextlib import contextmanager

import pytest

from bentpipe.engine import precedence

OURS = os.getpriority(os.PRIO_PROCESS, 0)


@contextmanager
def idle_process():
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        yield process.pid
    finally:
        process.communicate()


def niceness(pid):
    return os.getpriority(os.PRIO_PROCESS, pid)


@pytest.mark.root
def test_a_server_goes_before_a_browser():
    with idle_process() as pid:
        precedence.put_first(pid, {"client": "chromium"})
        assert niceness(pid) < OURS


def test_beside_our_own_client_a_server_is_one_process_among_others():
    with idle_process() as pid:
        precedence.put_first(pid, {})
        assert niceness(pid) == OURS


def test_a_server_that_has_ended_is_none_to_put_first():
    with idle_process() as pid:
        pass
    precedence.put_first(pid, {"client": "chromium"})
