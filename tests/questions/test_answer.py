"""From the runs of a scenario to the rows of a page."""

import pytest

from bentpipe.ledger import Ledger
from bentpipe.report.cells import results
from bentpipe.report.source import read
from tests.support.synthetic import bulk, write_folder
from tools.questions import answer, asked, page

QUESTION = asked.Question(
    name="synthetic",
    conditions=("link",),
    settings=("cc",),
    reference={"cc": "cubic"},
    columns=(asked.GOODPUT,),
)


def rows(tmp_path, runs):
    with Ledger(write_folder(tmp_path, runs)) as ledger:
        return answer.rows(QUESTION, results(read(ledger)))


def flows(cc, goodputs_mbps, link="geo-alshagri"):
    return [
        bulk(cc=cc, link=link, repetition=n, goodput_bps=1e6 * goodput)
        for n, goodput in enumerate(goodputs_mbps)
    ]


def test_a_setting_is_compared_with_the_reference_of_its_own_condition(tmp_path):
    runs = [
        *flows("bbr", [20, 20, 20]),
        *flows("bbr", [3, 3, 3], link="lan"),
        *flows("cubic", [10, 10, 10]),
        *flows("cubic", [4, 4, 4], link="lan"),
    ]
    found = rows(tmp_path, runs)
    told = {(*row.condition, row.setting): row.difference_percent for row in found}
    assert told["geo-alshagri", "cubic"] is told["lan", "cubic"] is None
    assert told["geo-alshagri", "bbr"].value == pytest.approx(100)
    assert told["lan", "bbr"].value == pytest.approx(-25)
    # All runs of a cell are equal: nothing spreads.
    assert told["lan", "bbr"].low == pytest.approx(-25)


def test_rows_of_a_condition_stand_together(tmp_path):
    runs = [
        flow
        for cc in ("cubic", "bbr")
        for link in ("geo-alshagri", "lan")
        for flow in flows(cc, [1, 2], link=link)
    ]
    assert [row.condition for row in rows(tmp_path, runs)] == [
        ("geo-alshagri",),
        ("geo-alshagri",),
        ("lan",),
        ("lan",),
    ]


def test_runs_that_did_not_succeed_are_not_averaged(tmp_path):
    runs = [*flows("cubic", [10, 12]), bulk(repetition=2, goodput_bps=1e9, status="invalid")]
    [row] = rows(tmp_path, runs)
    assert (row.n, row.means[0].value) == (2, pytest.approx(11))
    # Student's t with one degree of freedom: 12.706 times the standard error of 1.
    assert row.means[0].high == pytest.approx(11 + 12.706, abs=1e-3)


def test_a_table_has_numbers_with_their_intervals(tmp_path):
    kept = answer.Answer(
        name="synthetic",
        title="Synthetic",
        repetitions=2,
        rows=rows(tmp_path, [*flows("cubic", [10, 10]), *flows("bbr", [19, 21])]),
    )
    lines = list(page.lines(QUESTION, kept))
    assert "| condition | setting | goodput [Mbit/s] | against `cubic` |" in lines
    assert "| `geo-alshagri` | `cubic` | 10.00 |  |" in lines
    # 20 +- 12.706, and the same relative to 10.
    assert "|  | `bbr` | 20.00 (7.29 to 32.71) | +100.0 % (-27.1 to +227.1) |" in lines


def test_runs_of_one_repetition_over_one_path_are_compared_in_pairs(tmp_path):
    """One seed makes one path: a tenth more over each is a tenth, however much the paths differ."""
    [reference, row] = rows(tmp_path, [*flows("cubic", [10, 40, 25]), *flows("bbr", [11, 44, 27.5])])
    assert (reference.is_paired, row.is_paired) == (False, True)
    assert (row.difference_percent.low, row.difference_percent.high) == pytest.approx((10, 10))
