"""Results at a glance, where a plain table of one quantity will not do."""

from dataclasses import replace

import pytest

import bentpipe
from bentpipe.api import overview
from bentpipe.api.overview import MOST_ROWS, Overview

TABLE = Overview(title="t", heading=("cc", "s"), texts=1, rows=(("bbr", "1.0"),), notes=("note",))


def test_words_stand_left_and_numbers_right():
    table = replace(TABLE, heading=("cc", "seconds"), rows=(("cubic", "10.0"), ("bbr", "9.0")))
    assert overview.text(table).splitlines() == [
        "t",
        "cc     seconds",
        "cubic     10.0",
        "bbr        9.0",
        "note",
    ]


def test_controls_in_names_of_others_do_not_reach_a_terminal():
    text = overview.text(replace(TABLE, title="\x1b[31m", rows=(("\x1b[2J", "1.0"),), notes=("\x07",)))
    assert "\x1b" not in text and "\x07" not in text
    assert r"\x1b[2J" in text


def test_cells_of_different_workloads_name_their_quantities():
    mixed = bentpipe.run(
        link="lan",
        matrix=[{"page": ["single-100k"], "http": ["h1"]}, {"ping.count": [2]}],
        repetitions=1,
        progress=False,
    )
    shown = repr(mixed)
    assert "Page load time in s" in shown and "Mean round trip in ms" in shown
    assert mixed.cells["metric"].to_list() == ["plt_s", "rtt_mean_s"]


def test_of_many_cells_the_first_are_shown_and_the_others_counted():
    sizes = [f"{20 + place} B" for place in range(MOST_ROWS + 3)]
    many = bentpipe.run(link="lan", ping={"count": 1, "size": sizes}, repetitions=1, progress=False)
    lines = repr(many).splitlines()
    assert len(lines) == 1 + MOST_ROWS + 3
    assert lines[MOST_ROWS + 1] == "3 more cells: .cells has all of them"
    assert many.cells.height == MOST_ROWS + 3


@pytest.mark.parametrize("title", ["", "A title"])
def test_a_title_stands_above_where_there_is_one(title):
    assert overview.text(replace(TABLE, title=title)).startswith(title or "cc")
