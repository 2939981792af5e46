"""CSV tables that a spreadsheet may open: OWASP, "CSV Injection", says what it would take for a formula."""

import csv

import pytest

from bentpipe.report.tables import write_csv


@pytest.fixture
def written(tmp_path):
    """Write rows and read the cells."""

    def written(*rows, **settings):
        write_csv(tmp_path / "table.csv", rows, **settings)
        with (tmp_path / "table.csv").open(newline="", encoding="utf-8") as file:
            return list(csv.reader(file))

    return written


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        ("=HYPERLINK(1)", "'=HYPERLINK(1)"),
        ("+1+cmd|' /C calc'!A0", "'+1+cmd|' /C calc'!A0"),
        ("-2+3", "'-2+3"),
        ("@SUM(1)", "'@SUM(1)"),
        ("\t=1", "'\t=1"),
        ("\r=1", "'\r=1"),
        ("\n=1", "'\n=1"),
        ("-", "'-"),
        # Of full width, which OWASP names too: some programs read them as the others.
        ("\uff1d1+1", "'\uff1d1+1"),
        ("\uff0b1+1", "'\uff0b1+1"),
        ("\uff0d1+1", "'\uff0d1+1"),
        ("\uff20SUM(1)", "'\uff20SUM(1)"),
        # Neither of these is one.
        ("a=b", "a=b"),
        ("flat:down=10Mbit/s", "flat:down=10Mbit/s"),
        ("", ""),
    ],
)
def test_a_text_that_starts_a_formula_starts_with_an_apostrophe(written, value, cell):
    assert written({"name": value}) == [["name"], [cell]]


@pytest.mark.parametrize("value", [-1.5, -3, 1e-07, "-1.5", "+1e-7"])
def test_a_number_stays_a_number(written, value):
    assert written({"name": value}) == [["name"], [str(value)]]


def test_what_is_not_known_is_empty(written):
    assert written({"name": "x", "plt_s": None}) == [["name", "plt_s"], ["x", ""]]


def test_the_name_of_a_column_is_a_text_as_others_are(written):
    assert written({"=factor": 1, "\x1b[2J": 2}) == [["'=factor", r"\x1b[2J"], ["1", "2"]]


def test_what_a_terminal_would_obey_stands_as_its_escape(written):
    assert written({"reasons": "one\ntwo\x1b]0;owned\x07\u202e"}) == [
        ["reasons"],
        ["one\ntwo\\x1b]0;owned\\x07\\u202e"],
    ]


def test_columns_are_those_of_all_rows_and_the_first_ones_are_there_without_any(written):
    rows = [["2", "1", ""], ["", "", "3"]]
    assert written({"b": 1, "a": 2}, {"c": 3}, first=("a",)) == [["a", "b", "c"], *rows]
    assert written(first=("a", "b")) == [["a", "b"]]
