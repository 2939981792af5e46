"""Files of budgets: what they come to, and what is refused under the key that its author wrote."""

import re

import pytest

from bentpipe.check.budget import Bound, read_budgets
from bentpipe.errors import InputError
from tests.support.folders import page_with
from tests.tidy.project import ROOT

LINK = "flat:down=10Mbit/s,up=2Mbit/s,rtt=600ms"
BUDGET = 'metric = "plt_s"\nbelow = "6 s"\n'
HEAD = f'page = "single-100k"\nlink = "{LINK}"\nhttp = "h2"\n'


def read(tmp_path, text):
    path = tmp_path / "budget.toml"
    path.write_text(text)
    return read_budgets(path)


def refusal(tmp_path, text):
    with pytest.raises(InputError) as caught:
        read(tmp_path, text)
    return caught.value


def test_lists_vary_and_values_hold_for_all(tmp_path):
    text = f'page = "single-100k"\nlink = ["{LINK}", "lan"]\n[[budget]]\nhttp = ["h2", "h3"]\n{BUDGET}'
    (budget,) = read(tmp_path, text).budgets
    assert [(cell.factors["link"], cell.factors["http"]) for cell in budget.cells] == [
        (LINK, "h2"), (LINK, "h3"), ("lan", "h2"), ("lan", "h3"),
    ]  # fmt: skip
    assert {cell.factors["page"] for cell in budget.cells} == {"single-100k"}


def test_what_a_budget_says_replaces_what_stands_at_the_head(tmp_path):
    text = HEAD + f'repetitions = 4\n[[budget]]\nhttp = "h3"\nrepetitions = 2\n{BUDGET}[[budget]]\n{BUDGET}'
    first, second = read(tmp_path, text).budgets
    assert [first.cells[0].factors["http"], second.cells[0].factors["http"]] == ["h3", "h2"]
    assert [first.scenario.repetitions, second.scenario.repetitions] == [2, 4]


def test_run_and_matrix_are_those_of_scenarios(tmp_path):
    text = (
        HEAD
        + f"""[[budget]]
run.tls.resumption = "early-data"
matrix.tcp.initial_window = [10, 32]
{BUDGET}"""
    )
    (budget,) = read(tmp_path, text).budgets
    windows = [cell.spec["tcp"]["initial_window"] for cell in budget.cells]
    assert windows == [10, 32]
    assert all(cell.spec["tls"]["resumption"] == "early-data" for cell in budget.cells)


def test_tables_of_the_head_and_of_a_budget_are_merged_key_by_key(tmp_path):
    text = (
        HEAD
        + """run.tcp.initial_window = 10
run.tcp.nagle = true
matrix.cc = ["cubic", "bbr"]
[[budget]]
run.tcp.initial_window = 32
run.tls.resumption = "early-data"
matrix.http = ["h1s", "h2"]
"""
        + BUDGET
    )
    (budget,) = read(tmp_path, text).budgets
    specs = [cell.spec for cell in budget.cells]
    assert {(spec["tcp"]["initial_window"], spec["tcp"]["nagle"]) for spec in specs} == {(32, "on")}
    assert {spec["tls"]["resumption"] for spec in specs} == {"early-data"}
    assert [(cell.factors["cc"], cell.factors["http"]) for cell in budget.cells] == [
        ("cubic", "h1s"), ("cubic", "h2"), ("bbr", "h1s"), ("bbr", "h2"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "own",
    ['cc = "bbr"', 'run.cc = "bbr"', 'matrix.cc = ["bbr"]', 'cc = ["bbr"]', 'matrix = [{ cc = ["bbr"] }]'],
)
@pytest.mark.parametrize(
    "head", ['cc = "cubic"', 'run.cc = "cubic"', 'matrix.cc = ["cubic", "reno"]', 'cc = ["cubic", "reno"]']
)
def test_a_key_of_a_budget_stands_in_place_of_the_head_s_wherever_either_is_written(tmp_path, head, own):
    (budget,) = read(tmp_path, f"{HEAD}{head}\n[[budget]]\n{own}\n{BUDGET}").budgets
    assert [cell.factors["cc"] for cell in budget.cells] == ["bbr"]


@pytest.mark.parametrize(
    ("matrix", "own", "cells"),
    [
        # As `--set cc=bbr` does: the first table has one combination still, that of [run].
        ('[{ cc = ["cubic"] }, { http = ["h1s", "h3"] }]', 'cc = "bbr"', ["h2 bbr", "h1s bbr", "h3 bbr"]),
        ('[{ http = ["h1s", "h3"] }, { cc = ["reno"] }]', 'run.cc = "bbr"', ["h1s bbr", "h3 bbr", "h2 bbr"]),
        ('[{ cc = ["cubic", "reno"] }, { http = ["h3"] }]', 'cc = ["bbr"]', ["h2 bbr", "h3 bbr"]),
        # Cells that have become the same are one.
        ('[{ cc = ["cubic"] }, { cc = ["reno"] }]', 'cc = "bbr"', ["h2 bbr"]),
        ('[{ bulk.size = ["1 MB"] }, { cc = ["bbr"] }]', 'page = "single-100k"', ["h2 cubic", "h2 bbr"]),
    ],
)
def test_a_table_of_the_head_s_matrix_of_which_nothing_is_left_is_one_combination(
    tmp_path, matrix, own, cells
):
    head = f'link = "{LINK}"\nrun.http = "h2"\nmatrix = {matrix}\n'
    page = "" if own.startswith("page") else 'page = "single-100k"\n'
    if not page:
        head, own = head.replace('run.http = "h2"\n', ""), f'{own}\nhttp = "h2"'
    (budget,) = read(tmp_path, f"{page}{head}[[budget]]\n{own}\n{BUDGET}").budgets
    assert [f"{cell.factors['http']} {cell.factors['cc']}" for cell in budget.cells] == cells


def test_a_setting_below_what_varies_at_the_head_holds_for_each_value(tmp_path):
    text = f'page = "single-100k"\nhttp = "h2"\nlink = ["{LINK}", "lan"]\n[[budget]]\n'
    (budget,) = read(tmp_path, f'{text}run.link.forward.loss = "1 %"\n{BUDGET}').budgets
    assert [cell.spec["link"]["forward"]["loss"]["p"] for cell in budget.cells] == [0.01, 0.01]


def test_workloads_of_the_head_stay_away_from_a_budget_with_another_one(tmp_path):
    text = f'link = "{LINK}"\nrun.bulk.size = "1 MB"\nmatrix.bulk.transport = ["tcp", "quic"]\n'
    (budget,) = read(tmp_path, f'{text}[[budget]]\npage = "single-100k"\nhttp = "h2"\n{BUDGET}').budgets
    assert [cell.spec["workload"]["kind"] for cell in budget.cells] == ["page-load"]


@pytest.mark.parametrize(
    ("head", "own", "field"),
    [
        ("run.tcp.initial_window = 0", "", "run.tcp.initial_window"),
        ("run.tcp.nagle = true", "run.tcp.initial_window = 0", "budget.1.run.tcp.initial_window"),
        ("run.tcp.initial_window = 0", "run.tcp.nagle = true", "run.tcp.initial_window"),
        ('matrix = [{ cc = ["bbr"] }, { connections = [2] }]', "run.cc = 'x'", "budget.1.run.cc"),
    ],
)
def test_a_fault_in_merged_tables_is_told_where_it_was_written(tmp_path, head, own, field):
    error = refusal(tmp_path, f"{HEAD}{head}\n[[budget]]\n{own}\n{BUDGET}")
    assert (error.file, error.field) == (str(tmp_path / "budget.toml"), field)


def test_a_budget_of_a_flow_takes_the_link_of_the_head_and_not_its_page(tmp_path):
    text = HEAD + '[[budget]]\nrun.bulk.size = "1 MB"\nmetric = "goodput_bps"\nabove = "1 Mbit/s"\n'
    (budget,) = read(tmp_path, text).budgets
    assert budget.cells[0].spec["workload"]["kind"] == "bulk"
    assert budget.cells[0].factors["link"] == LINK


def test_a_scenario_file_has_its_cells_and_repetitions(tmp_path):
    (tmp_path / "flows.toml").write_text(
        f'repetitions = 2\n[simulate]\nrepetitions = 7\n[run]\nlink = "{LINK}"\nbulk.size = "1 MB"\n'
        '[matrix]\ncc = ["cubic", "bbr"]\n'
    )
    text = '[[budget]]\nscenario = "flows.toml"\nmetric = "goodput_bps"\nabove = "1 Mbit/s"\n'
    (budget,) = read(tmp_path, text).budgets
    assert [cell.factors["cc"] for cell in budget.cells] == ["cubic", "bbr"]
    assert budget.scenario.repetitions == 7
    (again,) = read(tmp_path, "repetitions = 3\n" + text).budgets
    assert again.scenario.repetitions == 3


@pytest.mark.parametrize(
    ("metric", "written", "value"),
    [
        ("plt_s", '"6 s"', 6.0),
        ("ttfb_s", '"250 ms"', 0.25),
        ("goodput_bps", '"2 Mbit/s"', 2e6),
        ("payload_bytes", '"800 kB"', 8e5),
        ("wire_bytes_down", '"1 MiB"', 2.0**20),
        ("overhead_percent", '"12.5 %"', 12.5),
        ("utilisation", "0.9", 0.9),
        ("utilisation", '"90 %"', 0.9),
        ("retransmitted_packets", "20", 20.0),
        ("drops_forward_queue", "0", 0.0),
    ],
)
def test_a_limit_is_written_in_the_unit_of_its_metric(tmp_path, metric, written, value):
    (budget,) = read(tmp_path, HEAD + f'[[budget]]\nmetric = "{metric}"\nbelow = {written}\n').budgets
    (limit,) = budget.limits
    assert (limit.bound, limit.value) == (Bound.BELOW, value)


@pytest.mark.parametrize(
    ("text", "field", "found"),
    [
        (HEAD + '[[budget]]\nmetric = "plts"\nbelow = "6 s"\n', "budget.1.metric", '"plts"'),
        (HEAD + '[[budget]]\nmetric = "plt_s"\nbelow = 6\n', "budget.1.below", "6"),
        (HEAD + '[[budget]]\nmetric = "plt_s"\nbelow = "6 kB"\n', "budget.1.below", '"6 kB"'),
        (HEAD + '[[budget]]\nmetric = "streams_max"\nbelow = "6"\n', "budget.1.below", '"6"'),
        (HEAD + '[[budget]]\nmetric = "plt_s"\nregression = "3"\n', "budget.1.regression", '"3"'),
        (HEAD + '[[budget]]\nmetric = "plt_s"\n', "budget.1", "none"),
        (HEAD + f"[[budget]]\n{BUDGET}statistic = 'p100'\n", "budget.1.statistic", '"p100"'),
        (HEAD + f"[[budget]]\n{BUDGET}statistic='max'\nregression='3 %'\n", "budget.1.regression", '"3 %"'),
        (HEAD + f"[[budget]]\n{BUDGET}belov = '3 s'\n", "budget.1.belov", 'the unknown key "belov"'),
        (HEAD + f"[[budget]]\n{BUDGET}http = 'h4'\n", "budget.1.http", '"h4"'),
        (HEAD + f"[[budget]]\n{BUDGET}http = ['h2', 'h4']\n", "budget.1.http", '"h4"'),
        (HEAD + f"[[budget]]\n{BUDGET}http = []\n", "budget.1.http", "an empty list"),
        (HEAD.replace("h2", "h4") + f"[[budget]]\n{BUDGET}", "http", '"h4"'),
        (HEAD + f"[[budget]]\n{BUDGET}run.tcp.initial_windov = 3\n", "budget.1.run.tcp.initial_windov",
         'the unknown key "initial_windov"'),
        (HEAD + f"[[budget]]\n{BUDGET}http = 'h2'\nrun.http = 'h3'\n", "budget.1.http", "both"),
        (HEAD + f"run.http = 'h3'\n[[budget]]\n{BUDGET}", "http", "both"),
        (HEAD + f"[[budget]]\n{BUDGET}matrix.cc = 'bbr'\n", "budget.1.matrix.cc", '"bbr"'),
        (HEAD + f"matrix = []\n[[budget]]\n{BUDGET}", "matrix", "an empty list"),
        (HEAD + f"[[budget]]\n{BUDGET}repetitions = 0\n", "budget.1.repetitions", "0"),
        (HEAD + f"[[budget]]\n{BUDGET}scenario = 'x.toml'\nhttp = 'h2'\n", "budget.1.http", '"h2"'),
        (f"link = 'lan'\n[[budget]]\n{BUDGET}", "budget.1", "none of them"),
        (HEAD + f"[[budget]]\nname = 'a'\n{BUDGET}[[budget]]\nname = 'a'\n{BUDGET}", "budget.2.name", '"a"'),
        (HEAD + "budget = []\n", "budget", "an empty list"),
        (HEAD, "budget", "nothing"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused_where_it_was_written(tmp_path, text, field, found):
    error = refusal(tmp_path, text)
    assert (error.file, error.field, error.found) == (str(tmp_path / "budget.toml"), field, found)


def test_an_unknown_metric_has_a_suggestion(tmp_path):
    error = refusal(tmp_path, HEAD + '[[budget]]\nmetric = "plt"\nbelow = "6 s"\n')
    assert error.suggestion == "plt_s"


def test_faults_of_a_scenario_file_are_told_as_its_own(tmp_path):
    (tmp_path / "flows.toml").write_text('[run]\nlink = "nowhere"\nbulk.size = "1 MB"\n')
    error = refusal(
        tmp_path, '[[budget]]\nscenario = "flows.toml"\nmetric = "goodput_bps"\nabove = "1 Mbit/s"\n'
    )
    assert (error.file, error.field) == (str(tmp_path / "flows.toml"), "run.link")


def test_the_file_of_the_guide_is_one(tmp_path):
    guide = (ROOT / "docs/guide/check.md").read_text()
    (text,) = re.findall(r"^```toml\n(.*?)^```", guide, re.MULTILINE | re.DOTALL)
    (tmp_path / "dist").mkdir()
    page_with("", tmp_path / "dist")
    budgets = read(tmp_path, text).budgets
    assert [len(budget.cells) for budget in budgets] == [4, 4, 4, 2]
