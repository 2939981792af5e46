"""Only succeeded runs reach a statistic."""

from dataclasses import dataclass

from bentpipe.stats import cell_key, cell_label, metric_values, select, values_of


@dataclass
class Run:
    factors: dict
    status: str
    metrics: dict


def run(status, plt_s, **factors):
    return Run(factors=factors, status=status, metrics={"plt_s": plt_s})


RUNS = [
    run("succeeded", 2.0, http="h2", link="lan"),
    run("invalid", 9.0, http="h2", link="lan"),
    run("failed", None, http="h2", link="lan"),
    run("succeeded", 3.0, http="h3", link="lan"),
]


def test_invalid_and_failed_runs_are_never_averaged():
    assert metric_values(RUNS, "plt_s") == [2.0, 3.0]


def test_a_cell_is_picked_by_its_factors():
    assert values_of(RUNS, "plt_s", http="h3") == [3.0]
    assert select(RUNS, http="h2", link="geo") == []


def test_a_metric_that_no_run_has_gives_no_value():
    assert metric_values(RUNS, "goodput_bps") == []


def test_a_cells_key_does_not_depend_on_the_order_of_its_factors():
    assert cell_key({"a": "1", "b": "2"}) == cell_key({"b": "2", "a": "1"})


def test_a_cells_label_starts_with_the_factors_asked_for():
    assert cell_label({"cc": "bbr", "http": "h2", "link": "lan"}, order=["link", "http"]) == "lan · h2 · bbr"


def test_a_bare_quantity_has_its_name_in_a_cells_label():
    factors = {"link.forward.acm.margin": "0 dB", "tcp.initial_window": "10", "page": "single-1m"}
    assert cell_label(factors, order=["page"]) == "single-1m · margin 0 dB · initial window 10"
