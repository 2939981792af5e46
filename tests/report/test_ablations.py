"""What a report on ablations makes of a run is made once for all variants that have the run."""

import pytest

from bentpipe.report.source import Recorded
from tests.support.synthetic import page_load


class Asked:
    """A function of a run, which counts how often it is asked."""

    def __init__(self):
        self.times = 0

    def __call__(self, run, *arguments):
        self.times += 1
        return (run.entry.run_id, *arguments)


@pytest.fixture
def of():
    return Asked()


def recorded(entry, kept):
    return Recorded(entry=entry, read=lambda *_: {}, kept=kept)


def test_a_run_that_variants_share_is_looked_at_once(of):
    kept = {}
    entry = page_load()
    found = [recorded(entry, kept).derived(of) for _ in range(3)]
    assert (found, of.times) == ([(entry.run_id,)] * 3, 1)


def test_other_runs_arguments_and_functions_are_looked_at_by_themselves(of):
    kept, other = {}, Asked()
    first, second = (recorded(page_load(repetition=n), kept) for n in range(2))
    assert first.derived(of) != second.derived(of)
    assert first.derived(of, 1.0) != first.derived(of, 0.1)
    first.derived(other)
    assert (of.times, other.times) == (4, 1)


def test_none_is_kept_as_well():
    asked = []
    run = recorded(page_load(), {})
    assert [run.derived(asked.append) for _ in range(2)] == [None, None]
    assert len(asked) == 1
