"""Measuring from Python: the folder, what is measured again, interruptions, threads and event loops."""

import asyncio
import json
import os
import signal
from concurrent.futures import ThreadPoolExecutor

import pytest
from click.testing import CliRunner

import bentpipe
from bentpipe.campaign.cluster import crew, launch
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
    scenario = bentpipe.Scenario(link=PINGS["link"], ping=PINGS["ping"])
    scenario.run(progress=False)
    with pytest.raises(bentpipe.InputError) as caught:
        scenario.run(resume=False, progress=False)
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


@pytest.mark.parametrize(
    ("settings", "field", "said"),
    [
        ({"cluster": "head:8786"}, "cluster", r"expected tcp://HOST:PORT .*, found \"head:8786\""),
        ({"cluster": "local:0"}, "cluster", r"local:N \(1 to 1000 workers here\), .*, found \"local:0\""),
        ({"cluster": 2}, "cluster", r"local:N .*, found 2"),
        (
            {"cluster": "local:2", "jobs": 3},
            "jobs",
            "expected nothing, as a cluster has as many runs at once",
        ),
        ({"cluster": "local:2", "engine": "emulate"}, "cluster", "expected other machines, for one emulates"),
    ],
)
def test_a_cluster_is_asked_for_and_refused_as_by_the_command(settings, field, said):
    with pytest.raises(bentpipe.InputError, match=said) as caught:
        bentpipe.run(**PINGS, **settings)
    assert (caught.value.file, caught.value.field) == ("bentpipe.run(...)", field)


def test_a_fault_in_a_file_of_jobs_is_told_by_file_and_key(here):
    (here / "jobs.toml").write_text('[slurm]\njobs = 0\ncores = 1\nmemory = "1 GB"\n')
    with pytest.raises(bentpipe.InputError) as caught:
        bentpipe.Scenario(link="lan", ping={"count": 2}).run(cluster=here / "jobs.toml", progress=False)
    assert (caught.value.file, caught.value.field) == (str(here / "jobs.toml"), "slurm.jobs")


def test_without_the_packages_for_clusters_the_error_says_how_to_install_them(monkeypatch):
    monkeypatch.setattr(crew, "find_spec", lambda _: None)
    with pytest.raises(bentpipe.AbilityError, match=r"clusters need the packages .*; install them with: pip"):
        bentpipe.run(**PINGS, cluster="local:2")


def test_a_scheduler_that_does_not_answer_is_an_error_of_its_own(monkeypatch):
    monkeypatch.setattr(launch, "CONNECT_TIMEOUT_S", 0.5)
    # RFC 6335: port 1 is TCPMUX, which nobody has.
    with pytest.raises(bentpipe.ClusterError, match=r"tcp://127\.0\.0\.1:1: no scheduler answers"):
        bentpipe.run(**PINGS, cluster="tcp://127.0.0.1:1")


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
