"""Measuring from Python: the folder, what is measured again, interruptions, threads and event loops."""

import asyncio
import json
import os
import signal
from concurrent.futures import ThreadPoolExecutor

import pytest
from click.testing import CliRunner

import bentpipe
from bentpipe.cli import engines, main
from bentpipe.engine.simulate import Simulator
from tests.support.scenario_file import PAGE_LOADS

PINGS = {"link": "lan", "ping": {"count": 2}, "progress": False}


class Counting:
    """The simulator, counted; at the end of the run of number `stop_at` it sends what Ctrl-C does."""

    def __init__(self, stop_at=None):
        self.runs = 0
        self.name = "simulate"
        self._stop_at = stop_at
        self._simulator = Simulator()

    def run(self, **order):
        record = self._simulator.run(**order)
        self.runs += 1
        if self.runs == self._stop_at:
            os.kill(os.getpid(), signal.SIGINT)
        return record

    def close(self):
        pass


@pytest.fixture
def counted(monkeypatch):
    engine = Counting()
    monkeypatch.setattr(engines, "choose", lambda _: engine)
    return engine


def test_the_same_call_measures_nothing_the_second_time(counted):
    first, second = (bentpipe.run(**PINGS, repetitions=3) for _ in range(2))
    assert counted.runs == 3
    assert first.folder == second.folder
    assert first.runs.equals(second.runs)


def test_another_scenario_has_another_folder_below_results():
    folders = [bentpipe.run(**PINGS, seed=seed, name="pings").folder for seed in (1, 2)]
    assert len(set(folders)) == 2
    assert all(folder.parent.name == "results" and folder.name.startswith("pings-") for folder in folders)


def test_quick_results_are_kept_apart_and_have_one_repetition():
    whole, quick = (bentpipe.run(**PINGS, repetitions=3, quick=quick) for quick in (False, True))
    assert (whole.runs.height, quick.runs.height) == (3, 1)
    assert whole.folder != quick.folder


def test_results_of_the_command_line_are_opened_and_are_those_of_python(here):
    (here / "example.toml").write_text(PAGE_LOADS)
    done = CliRunner().invoke(main, ["run", "example.toml", "--engine", "simulate"])
    assert done.exit_code == 0, done.output
    opened = bentpipe.open("results/example-simulate")
    own = bentpipe.Scenario.read("example.toml").run(progress=False)
    assert opened.runs.equals(own.runs)


def test_a_folder_may_be_shared_with_the_command_line(here):
    (here / "example.toml").write_text(PAGE_LOADS)
    bentpipe.Scenario.read("example.toml").run(progress=False, folder="shared")
    done = CliRunner().invoke(main, ["run", "example.toml", "--engine", "simulate", "--out", "shared"])
    assert "4 of them done before" in done.stderr


def test_a_folder_with_results_is_refused_where_nothing_is_to_be_resumed():
    bentpipe.run(**PINGS)
    with pytest.raises(bentpipe.InputError) as caught:
        bentpipe.run(**PINGS, resume=False)
    assert caught.value.field == "resume"


def test_a_stop_keeps_what_is_done_and_the_same_call_goes_on(monkeypatch):
    stopping = Counting(stop_at=3)
    monkeypatch.setattr(engines, "choose", lambda _: stopping)
    with pytest.raises(KeyboardInterrupt, match=r"kept in results/measurement-\w+, and the same call"):
        bentpipe.run(**PINGS, repetitions=200, jobs=1)
    assert 3 <= stopping.runs < 200
    going_on = Counting()
    monkeypatch.setattr(engines, "choose", lambda _: going_on)
    assert bentpipe.run(**PINGS, repetitions=200).runs.height == 200
    assert stopping.runs + going_on.runs == 200


def test_it_works_within_a_running_event_loop():
    async def cell():
        return bentpipe.run(**PINGS)

    assert asyncio.run(cell()).runs["status"].to_list() == ["succeeded"] * 3


def test_threads_measure_side_by_side_and_share_results():
    def measure(seed):
        return bentpipe.run(**PINGS, seed=seed)

    with ThreadPoolExecutor(2) as pool:
        several = list(pool.map(measure, range(4)))
        assert [results.runs.height for results in several] == [3] * 4
        first = several[0]
        series = pool.submit(first.series, first.runs["run_id"][0], "link").result()
    assert series.height > 0


def test_a_study_is_refused_by_its_name():
    with pytest.raises(bentpipe.InputError) as caught:
        bentpipe.reproduce("alshagri")
    assert (caught.value.field, caught.value.suggestion) == ("name", "alshagri2023")


@pytest.mark.parametrize(
    ("settings", "field"),
    [
        ({"cc": "cubik"}, "cc"),
        ({"tcp": {"initial_windov": 3}}, "tcp.initial_windov"),
        ({"clients": ["chrome"]}, "client"),
        ({"rig": "tomorrow"}, "rig"),
    ],
)
def test_settings_of_a_study_are_refused_by_their_keyword(settings, field):
    with pytest.raises(bentpipe.InputError) as caught:
        bentpipe.reproduce("alshagri2023", quick=True, progress=False, **settings)
    assert (caught.value.file, caught.value.field) == ("bentpipe.reproduce(...)", field)


def test_a_study_in_python_is_that_of_the_command():
    narrow = {"link": "lan", "page": "single-100k", "repetitions": 1}
    results = bentpipe.reproduce("alshagri2023", quick=True, progress=False, folder="study", **narrow)
    assert results.runs["status"].unique().to_list() == ["succeeded"]
    results.report()
    told = json.loads((results.folder / "report.json").read_text())["study"]["claims"]
    own = dict(results.claims.select("claim_id", "verdict").iter_rows())
    assert own == {each["id"]: each["agreement"] for each in told}
    options = [word for key, value in narrow.items() for word in ("--set", f"{key}={value}")]
    command = ["reproduce", "alshagri2023", "--quick", "--engine", "simulate", "--out", "study", *options]
    done = CliRunner().invoke(main, command)
    assert f"{results.runs.height} runs, {results.runs.height} of them done before" in done.stderr
