"""What values of Python become in a scenario's table; `test_scenario` has what is refused."""

from datetime import timedelta
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from bentpipe.api.composed import composed
from bentpipe.scenario.written.location import Location

WHERE = Location(file="call")


def table(base=None, **settings):
    return composed(base or {}, settings, WHERE)


def test_keys_of_a_scenario_stand_outside_run_and_all_others_in_it():
    assert table(repetitions=3, http="h3", seed=7) == {"repetitions": 3, "seed": 7, "run": {"http": "h3"}}


def test_a_list_varies():
    assert table(http=["h2", "h3"], cc="bbr") == {"run": {"cc": "bbr"}, "matrix": {"http": ["h2", "h3"]}}


def test_what_varies_within_a_table_varies_under_its_dotted_key():
    made = table(bulk={"duration": ["10 s", "20 s"], "direction": "up"})
    assert made == {"run": {"bulk": {"direction": "up"}}, "matrix": {"bulk.duration": ["10 s", "20 s"]}}


def test_a_list_is_one_value_of_a_key_that_holds_lists():
    assert table(bulk={"flows": ["cubic", "bbr"]})["run"] == {"bulk": {"flows": ["cubic", "bbr"]}}
    quantiles = [[0, "-5 ms"], [1, "9 ms"]]
    assert table(**{"link.forward.jitter.quantiles": quantiles})["run"] == {
        "link": {"forward": {"jitter": {"quantiles": quantiles}}}
    }


def test_lists_of_lists_vary_such_a_key():
    flows = [["cubic", "bbr"], ["cubic", "cubic"]]
    assert table(bulk={"flows": flows})["matrix"] == {"bulk.flows": flows}


def test_tables_vary_as_wholes():
    links = [{"base": "lan"}, {"base": "geo-snep"}]
    assert table(link=links)["matrix"] == {"link": links}


def test_keys_of_a_dictionary_may_be_dotted():
    assert table(tcp={"initial_window": 3}, link={"base": "lan", "forward.loss.p": 0.1})["run"] == {
        "tcp": {"initial_window": 3},
        "link": {"base": "lan", "forward": {"loss": {"p": 0.1}}},
    }


def test_a_preset_with_one_setting_that_varies_is_called_by_its_name():
    made = table(link={"base": "lan", "forward.loss.p": [0, 0.1]})
    assert made == {"run": {"link": "lan"}, "matrix": {"link.forward.loss.p": [0, 0.1]}}


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (timedelta(minutes=2), "120 s"),
        (timedelta(milliseconds=1500), "1500 ms"),
        (timedelta(microseconds=250), "250 us"),
        (Path("links/mine.toml"), "links/mine.toml"),
        (np.float64(0.25), 0.25),
        (np.int32(3), 3),
        (np.True_, True),
    ],
)
def test_a_value_of_python_is_written_as_in_a_file(value, written):
    found = table(tcp={"nagle": value})["run"]["tcp"]["nagle"]
    assert (found, type(found)) == (written, type(written))


@pytest.mark.parametrize("values", [(3, 10), range(3, 11, 7), np.array([3, 10]), pl.Series([3, 10])])
def test_whatever_can_be_gone_through_is_a_list(values):
    assert table(connections=values)["matrix"] == {"connections": [3, 10]}


def test_a_table_replaces_the_whole_table_and_a_dotted_key_one_key_of_it():
    base = table(tcp={"initial_window": 3, "nagle": False})
    assert table(base, tcp={"nagle": True})["run"] == {"tcp": {"nagle": True}}
    assert table(base, **{"tcp.nagle": True})["run"] == {"tcp": {"initial_window": 3, "nagle": True}}


def test_none_takes_a_key_away():
    base = table(http=["h2", "h3"], cc="bbr", repetitions=3)
    assert table(base, http=None, cc=None, repetitions=None) == {"run": {}}


def test_what_is_fixed_varies_no_more_and_what_varies_is_fixed_no_more():
    base = table(http=["h2", "h3"], cc="bbr")
    assert table(base, http="h1", cc=["bbr", "cubic"]) == {
        "run": {"http": "h1"},
        "matrix": {"cc": ["bbr", "cubic"]},
    }


def test_a_setting_of_links_that_vary_holds_for_all_of_them():
    # Within [run] each link of the matrix would replace it.
    made = table(link=["lan", "geo-snep"], **{"link.forward.loss.p": 0.1})
    assert made["matrix"] == {"link": ["lan", "geo-snep"], "link.forward.loss.p": [0.1]}


def test_several_tables_of_a_matrix_all_get_what_is_added():
    blocks = [{"http": ["h1"], "connections": [1, 6]}, {"http": ["h2"]}]
    assert table(matrix=blocks, cc=["bbr", "cubic"])["matrix"] == [
        {"http": ["h1"], "connections": [1, 6], "cc": ["bbr", "cubic"]},
        {"http": ["h2"], "cc": ["bbr", "cubic"]},
    ]
    # A table must not become empty, for it stands for cells.
    assert table({"matrix": blocks}, http="h3")["matrix"] == [
        {"connections": [1, 6], "http": ["h3"]},
        {"http": ["h3"]},
    ]


def test_the_table_that_is_changed_stays_as_it_was():
    base = table(link="lan", tcp={"nagle": True}, http=["h1", "h2"])
    before = repr(base)
    table(base, **{"tcp.nagle": False, "http": "h3", "link.forward.rate": "1 Mbit/s"})
    assert repr(base) == before
