"""The search against load times that are known, and against a full factorial in virtual time."""

import math
import os
import signal
import time
from contextlib import contextmanager
from statistics import fmean

import numpy as np
import pytest

from bentpipe.advise.answer import advice
from bentpipe.advise.contenders import Contenders
from bentpipe.advise.factors import Group
from bentpipe.advise.question import Question
from bentpipe.advise.race import LOOKS, MARGIN, Standing, Verdict
from bentpipe.advise.runs import Runs
from bentpipe.advise.search import FINAL_RUNS, MOST_TRIED, recommended, search
from bentpipe.advise.space import present, space
from bentpipe.campaign.interruption import Interruption
from bentpipe.engine.simulate import Simulator
from bentpipe.ledger import Ledger
from tests.campaign.fake_engine import FakeEngine, record
from tests.support.models import changed

PLAIN = ("slow_start=linux", "tcp.initial_window=10", "tcp.slow_start_after_idle=true", "tls.resumption=none")
"""All that is neither protocol nor congestion control."""
SIX = ("http=h2,h3", "cc=cubic,bbr,vivace")


class Notes:
    """A listener that keeps what it is told."""

    def __init__(self):
        self.rounds, self.ended, self.compared = [], 0, []

    def compares(self, *, settings, links, is_all):
        self.compared.append((settings, links, is_all))

    def runs(self, *, runs):
        pass

    def ran(self):
        self.ended += 1

    def looked(self, *, runs_each, left):
        self.rounds.append((runs_each, dict(left)))


def question(*, over=SIX, links=("lan",), fixed=PLAIN, in_use="h2/cubic"):
    choices = space(groups=[Group.SITE], over=over, fixed=fixed)
    return Question(
        page="single-100k", links=links, present=present(in_use, fixed=choices.fixed), space=choices
    )


def loading(mean_s, *, spread=0.02):
    """An engine whose load times scatter about `mean_s(link, http, cc)` by a share of it."""

    def behave(run_id, spec, attempt):
        del attempt
        base_s = mean_s(spec.link.name, spec.workload.http, str(spec.cc))
        if base_s is None:
            return record(run_id, spec, status="failed")
        noise = np.random.default_rng(spec.seed).normal(0, spread)
        made = record(run_id, spec)
        return made.model_copy(update={"metrics": changed(made.metrics, plt_s=base_s * math.exp(noise))})

    return FakeEngine(behave=behave, name="simulate")


@contextmanager
def searched(asked, engine, folder, *, budget_s=math.inf):
    """The search with what it found, what its runs were, and what it told."""
    notes = Notes()
    started_s = time.monotonic()
    with Ledger.claim(folder, {"name": "test"}) as ledger, Interruption() as interruption:
        runs = Runs(
            asked,
            engine=engine,
            ledger=ledger,
            jobs=2,
            deadline_s=started_s + budget_s,
            listener=notes,
            interruption=interruption,
        )
        yield search(asked, runs, notes, started_s=started_s), runs, notes


def kinds(race, standing):
    placed = (each for each in race.placed.values() if each.standing is standing)
    return {(each.contender.setting["http"], each.contender.setting["cc"]) for each in placed}


FAR = {"cubic": 5.0, "bbr": 4.0, "vivace": 3.0}

FIRST_TRIED = 100

RUNS_OF_FAR = 5 * FINAL_RUNS + LOOKS[0]
"""In the table stand both HTTP versions with Vivace, HTTP/3 with the others, and the present HTTP/2 with
CUBIC. HTTP/2 with BBR falls out and is the best of no kind."""


def far(link, http, cc):
    del link
    return FAR[cc] * (1.2 if http == "h2" else 1.0)


def test_the_fastest_of_settings_that_lie_far_apart_is_found_in_few_runs(tmp_path):
    with searched(question(), loading(far), tmp_path / "r") as (found, _, notes):
        (race,) = found.races
        assert race.verdict is Verdict.FASTEST
        assert recommended(race, found.present).setting == {"http": "h3", "cc": "vivace"}
        # 20 % apart and scattering by 2 %: two runs of each tell them apart.
        assert notes.rounds == [(LOOKS[0], {"lan": 1})]
        assert notes.ended == RUNS_OF_FAR


def test_of_settings_that_are_equal_the_one_that_changes_least_is_recommended(tmp_path):
    def alike(link, http, cc):
        del link, http
        return 4.0 if cc == "vivace" else 6.0

    with searched(question(), loading(alike, spread=0.005), tmp_path / "r") as (found, _, _):
        (race,) = found.races
        assert race.verdict is Verdict.EQUAL
        assert kinds(race, Standing.LEADS) | kinds(race, Standing.EQUAL) == {
            ("h2", "vivace"),
            ("h3", "vivace"),
        }
        # The present setting is HTTP/2 with CUBIC.
        assert recommended(race, found.present).setting == {"http": "h2", "cc": "vivace"}


def test_what_the_most_runs_do_not_tell_apart_is_said_to_be_open(tmp_path):
    def near(link, http, cc):
        del link, http
        return {"vivace": 4.0, "bbr": 4.03}.get(cc, 9.0)

    with searched(question(), loading(near, spread=0.2), tmp_path / "r") as (found, runs, _):
        (race,) = found.races
        assert race.verdict is Verdict.RUNS
        assert race.leader not in kinds(race, Standing.OPEN)
        assert len(runs.times_s("lan", race.leader)) == LOOKS[-1]


def test_the_best_of_all_links_together_may_be_the_best_of_none(tmp_path):
    geo = "geo-alshagri-flat"
    times_s = {
        ("lan", "cubic"): 4.0, ("lan", "bbr"): 4.4, ("lan", "vivace"): 8.0,
        (geo, "cubic"): 8.0, (geo, "bbr"): 4.4, (geo, "vivace"): 4.0,
    }  # fmt: skip
    asked = question(over=("http=h3", "cc=cubic,bbr,vivace"), links=("lan", geo), in_use="h3/cubic")
    engine = loading(lambda link, _, cc: times_s[link, cc])
    with searched(asked, engine, tmp_path / "r") as (found, runs, _):
        whole = advice(asked, found, runs).whole
    assert whole.setting["cc"] == "bbr"
    on = {each.link: each for each in whole.links}
    # 4.4 against 4.0 at present, and 4.4 against 8.0.
    assert on["lan"].against_present.value == pytest.approx(0.1, abs=0.03)
    assert on[geo].against_present.value == pytest.approx(-0.45, abs=0.03)
    assert on[geo].against_best.value == pytest.approx(0.1, abs=0.03)


def test_a_setting_that_fails_to_load_the_page_is_out_whatever_its_other_runs_say(tmp_path):
    def failing(link, http, cc):
        return None if (http, cc) == ("h3", "vivace") else far(link, http, cc)

    with searched(question(), loading(failing), tmp_path / "r") as (found, _, _):
        (race,) = found.races
        assert kinds(race, Standing.FAILED) == {("h3", "vivace")}
        assert recommended(race, found.present).setting == {"http": "h2", "cc": "vivace"}


def test_a_present_setting_that_fails_leaves_the_best_without_comparison(tmp_path):
    def failing(link, http, cc):
        return None if (http, cc) == ("h2", "cubic") else far(link, http, cc)

    asked = question()
    with searched(asked, loading(failing), tmp_path / "r") as (found, runs, _):
        (of_link,) = advice(asked, found, runs).links
    assert of_link.present is None
    assert of_link.best.against_present is None


def test_a_budget_that_is_spent_leaves_what_is_known(tmp_path):
    def slow(link, http, cc):
        time.sleep(0.02)
        return far(link, http, cc)

    with searched(question(), loading(slow, spread=0.3), tmp_path / "r", budget_s=0.4) as (found, _, _):
        (race,) = found.races
        assert race.verdict is Verdict.BUDGET


def test_ctrl_c_leaves_what_is_known_and_the_same_search_goes_on(tmp_path):
    interrupted_after = 5

    def behave(link, http, cc):
        behave.calls += 1
        if behave.calls == interrupted_after:
            os.kill(os.getpid(), signal.SIGINT)
        return far(link, http, cc)

    behave.calls = 0
    with searched(question(), loading(behave), tmp_path / "r") as (found, _, first):
        (race,) = found.races
        assert race.verdict is Verdict.INTERRUPTED
    with searched(question(), loading(far), tmp_path / "r") as (found, _, second):
        assert found.races[0].verdict is Verdict.FASTEST
    # Every run once: those of the first search count.
    assert first.ended + second.ended == RUNS_OF_FAR


def test_of_more_settings_than_can_be_tried_an_optimiser_tries_the_promising_ones(tmp_path):
    windows = ",".join(str(10 + n) for n in range(100))
    asked = question(over=(*SIX, f"tcp.initial_window={windows}"), fixed=(PLAIN[0], *PLAIN[2:]))
    assert asked.space.size(at_most=1000) > MOST_TRIED
    with searched(asked, loading(far), tmp_path / "r", budget_s=6.0) as (found, _, notes):
        (race,) = found.races
        (told,) = notes.compared
        assert told[2] is False
        assert recommended(race, found.present).setting["cc"] == "vivace"
        tried = [each.contender.setting["cc"] for each in race.placed.values()]
        # A third of them would be without an optimiser. A machine that tries many comes to the others, too.
        first = tried[:FIRST_TRIED]
        assert first.count("vivace") > len(first) / 2


def test_the_search_finds_what_the_full_factorial_finds(tmp_path):
    """A small page over a lossy link: every setting 30 times, against the search's few of most."""
    link = "flat:down=10Mbit/s,up=2Mbit/s,rtt=600ms,loss=0.5%"
    asked = question(
        over=("http=h1s,h2,h3", "cc=cubic,bbr", "tcp.initial_window=10,32"),
        links=(link,),
        fixed=(PLAIN[0], *PLAIN[2:]),
    )
    engine = Simulator()
    contenders = Contenders(asked)
    means_s = {}
    for one in contenders.all():
        planned = [asked.run(one.cells[link], repetition) for repetition in range(30)]
        records = [engine.run(run_id=run.run_id, spec=run.spec, artifacts=None) for run in planned]
        means_s[one] = fmean(made.metrics.plt_s for made in records)
    least_s = min(means_s.values())
    with searched(asked, engine, tmp_path / "r") as (found, _, notes):
        advised = recommended(found.races[0], found.present)
    (same,) = (one for one in means_s if one.setting == advised.setting)
    assert means_s[same] <= (1 + MARGIN) * least_s
    assert notes.ended < 30 * len(means_s)
