"""What is best: by condition, on the page, in the data and on the terminal."""

import json

import pytest

from bentpipe import report
from bentpipe.report import answer, best
from bentpipe.report.cells import results
from bentpipe.report.source import read
from tests.support.synthetic import bulk, failed, page_load, write_folder

FAR = {"h1": 3.0, "h2": 2.0, "h3": 1.0}
"""By how much page loads of each protocol are stretched: h3 is far ahead."""


def loads(*, links=("lan",), stretch=FAR, repetitions=6, **factors):
    return [
        page_load(link=link, http=http, scale=scale, repetition=n, **factors)
        for link in links
        for http, scale in stretch.items()
        for n in range(repetitions)
    ]


def bests_of(folder, entries, **scenario):
    from bentpipe.ledger import Ledger

    with Ledger(write_folder(folder, entries, **scenario)) as ledger:
        return best.gather(results(read(ledger)))


def test_cells_are_ranked_under_each_link_by_itself(tmp_path):
    found = bests_of(tmp_path, loads(links=("lan", "geo-alshagri")), repetitions=6)
    assert [(each.label, [rated.choice for rated in each.rated]) for each in found] == [
        ("lan", ["h3", "h2", "h1"]),
        ("geo-alshagri", ["h3", "h2", "h1"]),
    ]


def test_the_best_is_named_in_a_sentence_with_how_far_the_next_is_behind(tmp_path):
    (found,) = bests_of(tmp_path, loads(), repetitions=6)
    assert found.sentence.startswith("h3 loads fastest, 0.")
    assert "(n = 6); next h2, +" in found.sentence


def test_what_cannot_be_told_from_the_best_is_named_beside_it(tmp_path):
    (found,) = bests_of(tmp_path, loads(stretch={"h2": 1.0}) + loads(stretch={"h2": 1.001}, cc="bbr3"))
    assert [each.contender.is_among_best for each in found.rated] == [True, True]
    assert "cannot be told from it." in found.sentence


def test_of_flows_the_highest_goodput_is_best(tmp_path):
    entries = [bulk(cc=cc, repetition=n, goodput_bps=rate + n * 1e4)
               for cc, rate in (("cubic", 5e6), ("bbr", 9e6)) for n in range(4)]  # fmt: skip
    (found,) = bests_of(tmp_path, entries, repetitions=4)
    assert [rated.choice for rated in found.rated] == ["bbr", "cubic"]
    # 5 Mbit/s are 44 % below 9.
    assert found.rated[1].contender.behind.value == pytest.approx(-0.444, abs=0.002)
    assert found.sentence.startswith("bbr carries most, 9.015 ±")


def test_where_conditions_alone_vary_there_is_no_best(tmp_path):
    found = bests_of(tmp_path, loads(links=("lan", "geo-alshagri"), stretch={"h2": 1.0}), repetitions=6)
    assert [each.is_choice for each in found] == [False, False]
    assert best.sentences(found) == ()


def test_of_many_conditions_one_sentence_tells_what_holds_in_most(tmp_path):
    entries = [
        entry for page in ("100k", "500k", "1m", "2m") for entry in loads(page=f"uniform-{page}", stretch=FAR)
    ]
    entries += loads(page="single-100k", stretch={"h3": 3.0, "h2": 2.0, "h1": 1.0})
    found = bests_of(tmp_path, entries, repetitions=6)
    assert best.sentences(found) == (
        "By page load time h3 is among the best in 4 of 5 conditions, alone in 4.",
    )


def test_the_table_of_a_terminal_has_the_cells_under_their_condition_the_best_first(tmp_path):
    written = report.write(write_folder(tmp_path, loads(links=("lan", "geo-alshagri")), repetitions=6))
    (table,) = written.answer.tables
    assert table.rows[0] == ("CELL", "n", "PAGE LOAD TIME", "95 % INTERVAL", "AGAINST BEST")
    names = ["  h3", "  h2", "  h1"]
    assert [row[0] for row in table.rows[1:]] == ["lan", *names, "geo-alshagri", *names]
    assert [row[-1] for row in table.rows if row[0] == "  h3"] == ["best", "best"]
    assert table.marked == {2, 6}
    assert max(len("  ".join(row)) for row in table.rows) <= 80


def test_a_cell_without_a_number_is_named_as_such(tmp_path):
    broken = [failed(page_load(http="h1", repetition=n)) for n in range(3)]
    written = report.write(write_folder(tmp_path, loads(stretch={"h2": 2.0, "h3": 1.0}) + broken))
    assert written.answer.tables[-1].rows[0] == ("NO RUN HAS A NUMBER",)
    assert "h1" in written.answer.tables[-1].rows[1][0]


def test_of_many_cells_the_table_has_the_best_of_each_condition(tmp_path, monkeypatch):
    monkeypatch.setattr(answer, "MOST_CELLS", 2)
    written = report.write(write_folder(tmp_path, loads(), repetitions=6))
    assert [row[0] for row in written.answer.tables[0].rows] == ["CELL", "h3"]
    assert "All 3 cells are in the report." in written.answer.notes


def test_of_many_conditions_the_table_has_the_first_and_says_how_many_more_there_are(tmp_path, monkeypatch):
    monkeypatch.setattr(answer, "MOST_CELLS", 2)
    pages = ("100k", "500k", "1m", "2m")
    entries = [entry for page in pages for entry in loads(page=f"uniform-{page}", stretch={"h2": 1.0})]
    written = report.write(write_folder(tmp_path, entries, repetitions=6))
    first, *cells, last = [row[0] for row in written.answer.tables[0].rows]
    assert (first, len(cells), last) == ("CELL", 2, "… 2 more, see the report")


def test_of_many_that_cannot_be_told_from_the_best_the_table_has_the_first(tmp_path, monkeypatch):
    monkeypatch.setattr(answer, "MOST_CELLS", 2)
    alike = [entry for cc in ("bbr", "bbr3", "hybla") for entry in loads(stretch={"h2": 1.0}, cc=cc)]
    written = report.write(write_folder(tmp_path, alike, repetitions=6))
    (table,) = written.answer.tables
    assert [len(table.rows), table.rows[-1][0], table.marked] == [4, "… 1 more, see the report", {1, 2}]


def test_the_data_has_the_same_answer_with_units_in_the_names(tmp_path):
    folder = write_folder(tmp_path, loads(), repetitions=6)
    written = report.write(folder)
    found = json.loads((folder / "report.json").read_text(encoding="utf-8"))["answer"]
    assert found["sentences"] == list(written.answer.sentences)
    (condition,) = found["conditions"]
    first, second, _ = condition["cells"]
    assert (condition["metric"], first["factors"]["http"], first["is_among_best"]) == ("plt_s", "h3", True)
    assert (second["is_among_best"], first["against_best_percent"]) == (False, None)
    assert second["against_best_ci_low_percent"] < second["against_best_percent"]


def test_the_page_begins_with_the_sentence_and_the_figure_and_marks_the_best(tmp_path):
    folder = write_folder(tmp_path, loads(), repetitions=6)
    written = report.write(folder)
    html = (folder / "report.html").read_text(encoding="utf-8")
    first, _, rest = html.partition('<section id="summary">')
    assert written.answer.sentences[0] in first
    assert 'id="figure-plt-s-by-cell"' in first
    assert "A ring marks the best" in first
    assert "<figure" in rest
