"""The generated page of scenario keys says of each key what it is."""

import re

import pytest

from bentpipe.scenario import defaults
from bentpipe.scenario.written.link_schema import LinkTable
from bentpipe.scenario.written.schema import RunTable, ScenarioTable
from bentpipe.scenario.written.table import Table, keys, subtable
from tools.book import attributes, scenario_keys


def tables(schema: type[Table]) -> list[type[Table]]:
    below = [subtable(field) for field in keys(schema).values()]
    return [schema, *(one for table in below if table is not None for one in tables(table))]


TABLES = list(dict.fromkeys(tables(ScenarioTable) + tables(RunTable) + tables(LinkTable)))
KEYS = [(table, key) for table in TABLES for key in keys(table)]


@pytest.mark.parametrize(
    ("table", "key"), KEYS, ids=lambda value: value if isinstance(value, str) else value.__name__
)
def test_every_key_has_a_meaning_and_its_default_is_one_that_there_is(table, key):
    assert scenario_keys.meaning(table, key)
    assert "{" not in scenario_keys.default(table, key).replace("`{}`", "")


def test_a_default_has_the_value_and_the_reason_that_stand_in_the_code():
    found = scenario_keys.default(RunTable, "connections")
    assert found == f"`{defaults.CONNECTIONS}`. HTTP/1.1 connections to one origin in Chromium and Firefox"


def test_each_key_stands_once_on_the_page():
    found = re.findall(r"^\| `([^`]+)` \|", scenario_keys.page(), re.MULTILINE)
    assert len(found) == len(set(found))
    assert {
        "repetitions",
        "tcp.initial_window",
        "link.forward.dvbs2.modcod",
        "link.geometry.shells[].planes",
    } <= set(found)


class Above:
    a: int = 0
    """Of the base."""
    b: int = 0
    """Replaced."""


class Below(Above):
    b: int = 1
    """Of the class."""


def test_texts_below_attributes_are_read_with_those_of_base_classes():
    assert attributes.of_class(Below) == {"a": "Of the base.", "b": "Of the class."}
