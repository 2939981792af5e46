"""A browser that does not come up is an error that says so."""

import json
import subprocess
import threading
import time
from contextlib import contextmanager, nullcontext

import pytest

from bentpipe.engine.process.part import PartError
from bentpipe.engine.programs.browser import process


@contextmanager
def at_work(folder, *command):
    with (
        (folder / "errors").open("w+b") as errors,
        subprocess.Popen(command, stderr=errors) as program,
    ):
        yield process.Process(program, folder, errors)
        program.kill()


def test_a_file_that_is_half_written_is_waited_for(tmp_path):
    (tmp_path / "address").write_text('{"ws_port": 92')
    rest = threading.Timer(0.1, (tmp_path / "address").write_text, ['{"ws_port": 9222}'])
    with at_work(tmp_path, "sleep", "60") as browser:
        rest.start()
        assert browser.file("address", json.loads, until_s=time.monotonic() + 30) == {"ws_port": 9222}


@pytest.mark.parametrize("written", ["", '{"ws_port": 92'])
def test_a_file_that_never_becomes_whole_is_an_error(tmp_path, written):
    (tmp_path / "address").write_text(written)
    with (
        at_work(tmp_path, "sleep", "60") as browser,
        pytest.raises(PartError, match="has not written address: the browser is at work"),
    ):
        browser.file("address", json.loads, until_s=time.monotonic() + 0.05)


def test_a_browser_that_ends_before_it_writes_says_why(tmp_path):
    with (
        at_work(tmp_path, "sh", "-c", "echo no display >&2; exit 3") as browser,
        pytest.raises(PartError, match="the browser ended with status 3: no display"),
    ):
        browser.file("address", json.loads, until_s=time.monotonic() + 30)


def test_a_home_that_is_neither_made_nor_refused_is_an_error(monkeypatch):
    monkeypatch.setattr(process.netns, "inside", nullcontext)
    monkeypatch.setattr(process, "_NAMESPACES", ("sh", "-c", "echo waiting; exec sleep 60", "sh"))
    monkeypatch.setattr(process, "_PREPARE_TIMEOUT_S", 0.05)
    with pytest.raises(PartError), process.prepared(["true"], namespace="none"):
        pass
