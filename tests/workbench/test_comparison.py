"""A comparison from the request to its last event."""

import asyncio
import socket
import statistics
import threading
from urllib.parse import urlencode
from xml.etree import ElementTree

import pytest

from bentpipe.campaign.plan import plan
from bentpipe.engine.host import cpu_time
from bentpipe.engine.simulate import Simulator
from bentpipe.workbench.choice import Choice
from bentpipe.workbench.comparison import Comparison
from bentpipe.workbench.pool import Pool
from tests.workbench.served import CHOICE

FIRST_CPU_S, NEXT_CPU_S = 4.0, 2.0
"""What 15 loads of a page of 100 objects may take of processors, at first and after a slider has moved.

Two cores that do nothing else have shown all of it after two seconds and after one.
"""


def cpu_time_s(server):
    """The time on processors of a server so far, whatever else the machine has to do."""
    return cpu_time.used_s([server.process.pid])


def choice(**changes):
    query = {**CHOICE, **changes}
    return Choice.of_query({key: [v] if isinstance(v, str) else v for key, v in query.items()})


def of_kind(events, kind):
    return [event for event in events if event["kind"] == kind]


def records(chosen):
    """Every run by the code of campaigns: what the numbers of the page have to come to."""
    engine = Simulator()
    return [engine.run(run_id=run.run_id, spec=run.spec, artifacts=None) for run in plan(chosen.scenario())]


@pytest.fixture(scope="module")
def lossy(server):
    """Three runs of each of two cells, which differ by what is lost."""
    return server.comparison(loss_percent="2", repetitions="3", seed="5").events()


def test_a_comparison_tells_its_plan_then_every_run_then_numbers_then_the_end(lossy):
    kinds = [event["kind"] for event in lossy]
    assert (kinds[0], kinds[-1]) == ("plan", "end")
    assert kinds.count("run") == lossy[0]["runs"] == 6
    assert max(place for place, kind in enumerate(kinds) if kind == "run") < kinds.index("cell")
    assert [cell["label"] for cell in lossy[0]["cells"]] == ["HTTP/1.1", "HTTP/3"]


def test_its_runs_are_those_that_a_campaign_measures(lossy):
    measured = records(choice(loss_percent="2", repetitions="3", seed="5"))
    assert sorted(event["plt_s"] for event in of_kind(lossy, "run")) == sorted(
        record.metrics.plt_s for record in measured
    )


def test_the_table_has_medians_of_its_runs(lossy):
    for event in of_kind(lossy, "cell"):
        times = [run["plt_s"] for run in of_kind(lossy, "run") if run["cell"] == event["cell"]]
        (first,) = (row for row in event["rows"] if row["metric"] == lossy[0]["headline"])
        (column,) = (each for each in lossy[0]["quantities"] if each["metric"] == first["metric"])
        assert (column["label"], column["unit"], column["decimals"]) == ("Page load time", "s", 3)
        assert first["median"] == statistics.median(times)
        # Of three values the interval is their range (stats/interval.py).
        assert (first["low"], first["high"]) == pytest.approx((min(times), max(times)))


def test_the_picture_that_stays_is_that_of_the_median_run(lossy):
    for cell in (0, 1):
        *_, last = (each for each in of_kind(lossy, "picture") if each["cell"] == cell)
        times = [run["plt_s"] for run in of_kind(lossy, "run") if run["cell"] == cell]
        assert last["is_median"]
        assert max(each["last_byte_s"] for each in last["objects"]) == pytest.approx(
            statistics.median(times), abs=1e-4
        )


def test_a_picture_shows_the_page_the_link_and_the_window(lossy):
    for picture in of_kind(lossy, "picture"):
        # The document and eight objects of 12.5 kB (alshagri2023, table 3).
        assert [each["bytes"] for each in picture["objects"]][1:] == [12_500] * 8
        assert picture["complete"]["value"][-1] == 100
        assert max(picture["delivered"]["value"]) <= 10.0, "the link's rate in Mbit/s"
        assert min(each for each in picture["window"]["value"] if each) >= 2.0, "kB: more than a segment"
        assert ElementTree.fromstring(picture["waterfall"]).tag.endswith("svg")
        # What the policy of the page does not let in.
        assert "style=" not in picture["waterfall"] and "<style" not in picture["waterfall"]
        for figure in ("complete", "delivered", "queue", "window"):
            assert len(picture[figure]["time_s"]) == len(picture[figure]["value"]) > 0


class Counting:
    """The simulator, which knows how many runs it has begun, and of which some fail, by their ids."""

    name = "simulate"

    def __init__(self, fails=()):
        self.begun = 0
        self._simulator, self._fails = Simulator(), fails

    def run(self, *, run_id, **run):
        self.begun += 1
        if run_id in self._fails:
            raise RuntimeError("the link is on fire")
        return self._simulator.run(run_id=run_id, **run)

    def close(self):
        pass


def events_of(chosen, engine):
    async def all_of_them():
        pool = Pool(1)
        found = [event async for event in Comparison(chosen, engine=engine).events(pool)]
        pool.close()
        return [event.model_dump() for event in found]

    return asyncio.run(all_of_them())


def test_a_run_without_a_number_says_why_and_is_in_no_median_and_no_picture():
    every = [run.run_id for run in plan(choice().scenario())]
    events = events_of(choice(), Counting(fails=every))
    runs = of_kind(events, "run")
    assert {(run["status"], run["plt_s"]) for run in runs} == {("failed", None)}
    assert all("the link is on fire" in run["words"][0] for run in runs)
    assert [(cell["runs"], cell["rows"]) for cell in of_kind(events, "cell")] == [(0, ())] * 2
    assert of_kind(events, "picture") == []


def test_where_the_first_run_has_failed_the_picture_is_that_of_one_that_succeeded():
    chosen = choice(repetitions="3")
    first = [run.run_id for run in plan(chosen.scenario()) if run.repetition == 0]
    events = events_of(chosen, Counting(fails=first))
    pictures = of_kind(events, "picture")
    assert [(picture["cell"], picture["is_median"]) for picture in pictures] == [(0, True), (1, True)]
    assert all(picture["objects"] for picture in pictures)


class Blocking(Counting):
    """The simulator, of which all runs but one wait until they are released."""

    def __init__(self, goes_on):
        super().__init__()
        self.released = threading.Event()
        self._goes_on = goes_on

    def run(self, *, run_id, **run):
        if run_id != self._goes_on:
            assert self.released.wait(120)
        return super().run(run_id=run_id, **run)


def test_the_first_result_comes_with_its_picture_before_any_other_run_has_ended():
    chosen = choice(repetitions="2")
    engine = Blocking(goes_on=plan(chosen.scenario())[0].run_id)

    async def kinds_of_all():
        pool = Pool(2)
        events = Comparison(chosen, engine=engine).events(pool)
        try:
            async with asyncio.timeout(60):
                first = [(await anext(events)).kind for _ in range(3)]
        finally:
            engine.released.set()
        rest = [event.kind async for event in events]
        pool.close()
        return first, rest

    first, rest = asyncio.run(kinds_of_all())
    assert first == ["plan", "run", "picture"]
    assert rest.count("run") == 3


def test_a_comparison_of_a_page_of_100_objects_takes_little_processor_time(server):
    query = {**CHOICE, "page": "objects-500k-5k", "http": ["h1", "h2", "h3"], "repetitions": "5"}
    # The first comparison of a server loads what all others have.
    server.comparison()
    for loss, most_s in (("0", FIRST_CPU_S), ("1", NEXT_CPU_S)):
        target = f"/comparison?{urlencode({**query, 'loss_percent': loss}, doseq=True)}"
        before_s = cpu_time_s(server)
        answer = server.get(target)
        took_s = cpu_time_s(server) - before_s
        assert len(of_kind(answer.events(), "run")) == 15
        assert took_s < most_s


def test_a_newer_wish_of_a_tab_ends_the_older_one(server):
    many = {
        **CHOICE,
        "page": "objects-2500k-5k",
        "http": ["h1", "h2", "h3"],
        "repetitions": "20",
        "tab": "one",
    }
    target = f"/comparison?{urlencode({**many, 'cc': ['cubic', 'bbr', 'reno', 'hybla']}, doseq=True)}"
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as older:
        older.sendall(
            f"GET {target} HTTP/1.1\r\nHost: {server.host}\r\nAuthorization: Bearer {server.token}\r\n"
            "Connection: close\r\n\r\n".encode()
        )
        head = older.recv(1 << 12)
        assert b"200 OK" in head
        assert server.comparison(tab="one").events()[-1]["kind"] == "end"
        rest = head + b"".join(iter(lambda: older.recv(1 << 20), b""))
    assert b'"kind":"run"' in rest or b'"kind":"plan"' in rest
    assert b'"kind":"end"' not in rest


def test_what_is_given_up_leaves_nothing_under_way():
    async def give_up():
        pool, engine = Pool(2), Counting()
        events = Comparison(choice(repetitions="20"), engine=engine).events(pool)
        async for event in events:
            if event.kind == "run":
                break
        await events.aclose()
        # What threads have begun ends; nothing is begun after it.
        pool.close()
        await asyncio.to_thread(pool.join)
        return engine.begun, pool.ended

    begun, ended = asyncio.run(give_up())
    assert ended < 40, "of 40 runs"
    assert begun <= ended + 2, "at most one for each thread"


def test_a_pool_works_on_as_many_as_it_has_threads():
    # Each waits for another one: one thread alone would never come to the end.
    together = threading.Barrier(2, timeout=60)
    places = threading.Semaphore(2)

    def work():
        assert places.acquire(blocking=False), "more than two at once"
        together.wait()
        places.release()

    async def all_of_them():
        pool = Pool(2)
        found = [None async for _ in pool.results([work] * 10)]
        pool.close()
        return found

    assert len(asyncio.run(all_of_them())) == 10
