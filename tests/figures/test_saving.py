"""Figures that several processes save are those that one saves, and their errors arrive."""

import os

import pytest

from bentpipe.figures import saving, style
from bentpipe.figures.drawing import Drawing, save

MANY = 2 * saving.FEWEST


@pytest.fixture(autouse=True)
def two_cores(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _pid: {0, 1})


def drawn(count):
    """Return figures, each with a line of its own."""
    drawings = []
    for number in range(count):
        with style.applied():
            figure, (axis,) = style.canvas(panels=1)
            axis.plot([0, 1, 2], [number, 3, 1], label="rate")
        drawings.append(Drawing(name=f"line-{number}", title="A line", caption="", figure=figure))
    return drawings


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_files_and_their_order_are_those_of_one_process(tmp_path):
    expected = {each.name: save(each, tmp_path / "one") for each in drawn(MANY)}
    with saving.saving(drawn(MANY), tmp_path / "several") as saved:
        assert list(saved().items()) == list(expected.items())
    assert contents(tmp_path / "several") == contents(tmp_path / "one")
    assert len(contents(tmp_path / "one")) == 2 * MANY


def test_few_figures_need_no_process(tmp_path, monkeypatch):
    monkeypatch.setattr(saving, "_started", None)
    with saving.saving(drawn(MANY - 1), tmp_path / "figures") as saved:
        assert len(saved()) == MANY - 1


def test_an_error_of_the_disk_is_raised_here(tmp_path):
    (tmp_path / "figures").write_text("no folder")
    with saving.saving(drawn(MANY), tmp_path / "figures") as saved, pytest.raises(FileExistsError):
        saved()


def test_a_process_that_ends_before_its_figures_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr(saving, "_PROGRAM", "import sys; sys.exit(3)")
    with (
        saving.saving(drawn(MANY), tmp_path / "figures") as saved,
        pytest.raises(ChildProcessError, match=r"the process that drew line-\d ended with status 3"),
    ):
        saved()


def test_no_process_outlives_a_block_that_ends_by_an_error(tmp_path, monkeypatch):
    started = []

    def start():
        started.append(original())
        return started[-1]

    original = saving._started
    monkeypatch.setattr(saving, "_started", start)
    with pytest.raises(KeyboardInterrupt), saving.saving(drawn(MANY), tmp_path / "figures"):
        raise KeyboardInterrupt
    assert len(started) == 2
    assert all(worker.poll() is not None for worker in started)
