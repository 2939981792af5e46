"""Scenarios in Python: what is refused and under which name, files of the same content."""

import typing

import pytest

import bentpipe
from bentpipe.api.settings import ScenarioSettings
from bentpipe.campaign.plan import plan
from bentpipe.scenario import load
from bentpipe.scenario.written.schema import RunTable, ScenarioTable
from bentpipe.scenario.written.table import keys
from tests.support.scenario_file import PAGE_LOADS

LOAD = {"link": "lan", "page": "single-100k", "http": "h1"}
CALL = "bentpipe.run(...)"


def refused(**settings):
    with pytest.raises(bentpipe.InputError) as caught:
        bentpipe.run(**{**LOAD, "progress": False, **settings})
    return caught.value


def test_every_key_of_a_scenarios_file_is_a_keyword():
    keywords = set(typing.get_type_hints(ScenarioSettings))
    assert keywords == {*keys(RunTable), *keys(ScenarioTable)} - {"run"}


@pytest.mark.parametrize("cc", ["cubik", ["bbr", "cubik"]])
def test_a_bad_value_is_told_by_call_and_keyword_whether_it_varies_or_not(cc):
    error = refused(cc=cc)
    assert (error.file, error.field, error.found, error.suggestion) == (CALL, "cc", '"cubik"', "cubic")


@pytest.mark.parametrize(
    ("settings", "field"),
    [
        ({"ccc": "bbr"}, "ccc"),
        ({"tcp": {"initial_windov": 3}}, "tcp.initial_windov"),
        ({"tcp.initial_windov": [3, 10]}, "tcp.initial_windov"),
        ({"tcp": {"initial_window": ["ten"]}}, "tcp.initial_window"),
        ({"repetitions": 0}, "repetitions"),
        ({"http": []}, "http"),
        ({"http": {"h1", "h2"}}, "http"),
        ({"link": {"base": "lan", "forward.rate": "fast"}}, "link.forward.rate"),
        ({"client": "chromium"}, "client"),
        ({"page": None}, "the keywords"),
        ({"matrix": {"cc": "bbr"}}, "matrix.cc"),
        ({"repetitions": 1_000_000, "connections": range(1, 12)}, "the keywords"),
        ({"engine": "ns3"}, "engine"),
        ({"jobs": 0}, "jobs"),
        ({"jobs": "two"}, "jobs"),
    ],
)
def test_what_cannot_be_used_is_told_under_its_keyword(settings, field):
    error = refused(**settings)
    assert (error.file, error.field) == (CALL, field)


def test_a_folder_of_something_else_is_refused_under_its_keyword(here):
    (here / "letters").mkdir()
    (here / "letters/mine.txt").write_text("dear")
    assert refused(folder="letters").field == "folder"


def test_what_a_change_breaks_is_told_by_the_change_and_what_a_file_has_by_the_file(here):
    (here / "example.toml").write_text(PAGE_LOADS.replace('"lan"', '"lam"'))
    scenario = bentpipe.Scenario.read("example.toml")
    with pytest.raises(bentpipe.InputError) as caught:
        scenario.run(progress=False)
    assert (caught.value.file, caught.value.field) == ("example.toml", "run.link")
    with pytest.raises(bentpipe.InputError) as caught:
        scenario.with_(link="lan", cc="cubik").run(progress=False)
    assert (caught.value.file, caught.value.field) == ("Scenario.with_(...)", "cc")


def test_a_scenario_is_not_changed_by_making_another():
    scenario = bentpipe.Scenario(**LOAD)
    before = str(scenario)
    other = scenario.with_(http=["h2", "h3"], **{"tcp.initial_window": 3})
    assert str(scenario) == before != str(other)


def test_a_saved_scenario_has_the_runs_of_the_one_in_python(here):
    scenario = bentpipe.Scenario(
        **{**LOAD, "http": ["h1", "h3"]}, repetitions=2, seed=5, tcp={"initial_window": [3, 10]}
    )
    runs = scenario.run(progress=False).runs
    saved = scenario.save(here / "saved/mine.toml")
    assert {run.run_id for run in plan(load(saved))} == set(runs["run_id"])


def test_a_scenario_that_is_read_changed_and_saved_is_read_as_the_same(here):
    (here / "example.toml").write_text(PAGE_LOADS)
    changed = bentpipe.Scenario.read("example.toml").with_(cc="bbr", connections=[1, 6])
    assert str(bentpipe.Scenario.read(changed.save("changed.toml"))) == str(changed)


def test_a_scenario_is_not_saved_where_its_paths_lead_nowhere(here):
    (here / "page").mkdir()
    (here / "page/index.html").write_text("<title>t</title>")
    scenario = bentpipe.Scenario(**{**LOAD, "page": "dir:page"})
    assert scenario.save("beside.toml").exists()
    with pytest.raises(bentpipe.InputError, match="paths that hold in elsewhere too"):
        scenario.save("elsewhere/moved.toml")
    assert not (here / "elsewhere/moved.toml").exists()


def test_a_scenario_that_cannot_be_used_is_not_saved(here):
    with pytest.raises(bentpipe.InputError, match=r"Scenario\(\.\.\.\): cc: expected one of"):
        bentpipe.Scenario(**LOAD, cc="cubik").save("bad.toml")
    assert not (here / "bad.toml").exists()


def test_a_scenario_shows_how_it_is_made_again():
    scenario = bentpipe.Scenario(link="lan", ping={"count": 3}, repetitions=2, cc=["bbr", "cubic"])
    shown = "Scenario(repetitions=2, link='lan', ping.count=3, cc=['bbr', 'cubic'])"
    assert repr(scenario) == shown
