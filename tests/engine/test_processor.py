"""How many runs the cores allow."""

import os

import pytest

from bentpipe.engine.processor import runs_at_once

LOADER, BROWSER = {}, {"client": "chromium"}


@pytest.mark.parametrize(
    ("cores", "specs", "runs"),
    [(4, [LOADER], 4), (4, [LOADER, BROWSER], 2), (5, [BROWSER], 2), (1, [BROWSER], 1)],
)
def test_a_browser_takes_two_cores(monkeypatch, cores, specs, runs):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(cores)))
    assert runs_at_once(specs) == runs
