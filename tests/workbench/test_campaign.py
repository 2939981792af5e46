"""A folder of results as the page and a scraper see it while it is written."""

import asyncio
import contextlib
import json
import socket
import sqlite3
import statistics
import threading
import time
import tracemalloc

import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families

from bentpipe.errors import InputError
from bentpipe.ledger import Ledger, index
from bentpipe.model.reason import EmulatorLateReason
from bentpipe.workbench import app, open_metrics, watch
from bentpipe.workbench.app import _states
from bentpipe.workbench.guard import new_token
from bentpipe.workbench.pool import Pool
from bentpipe.workbench.serving import Serving, serve
from bentpipe.workbench.watch import Watch
from tests.support.ledgers import append
from tests.support.synthetic import again, failed, page_load, write_folder
from tests.workbench.served import parsed, served

LATE = EmulatorLateReason(p999_ns=2_300_000, bound_ns=1_000_000)
CELLS = [{"http": "h1"}, {"http": "h3"}]


def runs(repetitions=3):
    return [page_load(**cell, repetition=place) for place in range(repetitions) for cell in CELLS]


@pytest.fixture
def impatient(monkeypatch):
    """Looks as often as it is asked to."""
    monkeypatch.setattr(watch, "POLL_S", 0.0)
    monkeypatch.setattr(watch, "READING_SHARE", float("inf"))


@pytest.fixture
def half(tmp_path):
    """Six of twelve runs, of which one has failed and one is invalid; a third was late once."""
    first, late, dead, once_late, *others = runs()
    entries = [
        first,
        failed(late, status="invalid", reasons=[LATE]),
        failed(dead),
        failed(once_late, status="invalid", reasons=[LATE]),
        *others,
        again(once_late, attempt=2),
    ]
    return write_folder(tmp_path / "half", entries, repetitions=6, title="Half of it")


def test_a_folder_is_told_as_runs_are_judged(half):
    state = Watch(half).state
    assert (state.title, state.planned, state.attempts) == ("Half of it", 12, 7)
    # Of a run that was late and then was not, the attempt that succeeded counts.
    assert (state.succeeded, state.failed, state.invalid) == (4, 1, 1)


def test_runs_without_a_number_have_their_reasons_in_words(half):
    rejected = {each.status: each for each in Watch(half).state.rejected}
    assert (rejected["failed"].runs, rejected["invalid"].runs) == (1, 1)
    assert "60 s" in rejected["failed"].words[0], "its time limit"
    assert "2.3 ms" in rejected["invalid"].words[0], "how late it was"


def test_first_results_are_means_of_what_succeeded(tmp_path):
    entries = runs(repetitions=4)
    state = Watch(write_folder(tmp_path / "results", entries, repetitions=9)).state
    assert [cell.label for cell in state.cells] == ["h1", "h3"]
    for cell, http in zip(state.cells, ("h1", "h3"), strict=True):
        times = [entry.record.metrics.plt_s for entry in entries if entry.factors["http"] == http]
        assert cell.mean == pytest.approx(statistics.mean(times))
        # Student's t of three degrees of freedom: 3.182 at 95 % (its tables).
        reach = 3.182 * statistics.stdev(times) / 2
        assert (cell.low, cell.high) == pytest.approx((cell.mean - reach, cell.mean + reach), rel=1e-3)


@pytest.mark.usefixtures("impatient")
def test_what_a_campaign_commits_is_seen_at_the_next_look(tmp_path):
    first, *others = runs()
    folder = write_folder(tmp_path / "results", [first], cells=[each.factors for each in runs(1)])
    watching = Watch(folder)
    assert watching.look().succeeded == 1
    with Ledger(folder) as reading:
        scenario = reading.scenario()
    with Ledger.claim(folder, scenario) as ledger:
        for so_far, entry in enumerate(others, start=2):
            append(ledger, entry)
            assert watching.look().succeeded == so_far
    state = watching.look()
    assert (state.succeeded, state.planned) == (6, 6)
    assert state.runs_per_s and state.remaining_s == 0


def test_looking_changes_nothing_and_keeps_nobody_from_writing(half):
    def contents():
        return {path: (path.stat().st_mtime_ns, path.stat().st_size) for path in sorted(half.rglob("*"))}

    before = contents()
    watching = Watch(half)
    with Ledger(half) as reading:
        scenario = reading.scenario()
    assert contents() == before
    with Ledger.claim(half, scenario):
        assert watching.state.problem == ""


@pytest.mark.usefixtures("impatient")
def test_a_folder_that_is_gone_is_told_and_looked_for_again(half):
    watching = Watch(half)
    elsewhere = half.rename(half.with_name("elsewhere"))
    gone = watching.look()
    assert "ledger.sqlite" in gone.problem
    assert gone.succeeded == 4, "what was known stays"
    elsewhere.rename(half)
    assert watching.look().problem == ""


def test_a_folder_without_results_is_refused_at_once(tmp_path):
    with pytest.raises(InputError, match="a folder of results"):
        Watch(tmp_path)


def test_reading_takes_a_small_share_of_the_time(half, monkeypatch):
    # A look asks when it begins, how long it has read, and when it has ended.
    clock = iter([100.0, 104.0, 104.0, 110.0, 303.9, 304.1, 304.1, 304.1])
    watching = Watch(half)
    monkeypatch.setattr(watch.time, "monotonic", lambda: next(clock))
    looks = []
    monkeypatch.setattr(Watch, "_with_rate", lambda _, state, now_s: looks.append(now_s) or state)
    watching._next_s = 0.0
    # Four seconds of reading at 100 s: two in a hundred until 304 s.
    for _ in range(4):
        watching.look()
    assert looks == [100.0, 304.1]


@contextlib.contextmanager
def locked(folder):
    """Another process's commit, as it keeps readers out (sqlite.org/lockingv3.html, EXCLUSIVE)."""
    with contextlib.closing(
        sqlite3.connect(folder / "ledger.sqlite", isolation_level=None, check_same_thread=False)
    ) as writing:
        writing.execute("BEGIN EXCLUSIVE")
        try:
            yield writing
        finally:
            if writing.in_transaction:
                writing.execute("ROLLBACK")


def test_a_lock_is_told_at_once_and_looked_behind_again_soon(half):
    watching = Watch(half)
    watching._looked_at, watching._next_s = None, 0.0
    with locked(half):
        began_s = time.monotonic()
        state = watching.look()
        ended_s = time.monotonic()
    assert "database is locked" in state.problem
    assert state.succeeded == 4, "what was known stays"
    # Others wait for a minute (ledger/index.py).
    assert ended_s - began_s < 20
    assert watching._next_s - ended_s <= watch.POLL_S
    watching._next_s = 0.0
    assert watching.look().problem == ""


def test_waiting_for_a_lock_that_is_released_is_no_reading(half, monkeypatch):
    watching = Watch(half)
    watching._looked_at, watching._next_s = None, 0.0
    monkeypatch.setattr(watch, "LOCK_WAIT_S", 60.0)
    held_s = 2.0
    with locked(half) as writing:
        release = threading.Timer(held_s, lambda: writing.execute("ROLLBACK"))
        began_s = time.monotonic()
        release.start()
        state = watching.look()
        ended_s = time.monotonic()
        release.join()
    assert state.problem == ""
    assert ended_s - began_s >= held_s - 0.1, "it has waited"
    # Two in a hundred of the wait would be 100 s; seven runs are read in some milliseconds.
    assert watching._next_s - ended_s < held_s / watch.READING_SHARE / 2


@pytest.mark.usefixtures("impatient")
def test_a_scenario_that_is_replaced_while_it_is_read_at_the_start_is_read_again(half, tmp_path, monkeypatch):
    other = write_folder(tmp_path / "other", runs(repetitions=1), repetitions=2, title="Another one")
    read = watch._Subject.read

    def replaced_meanwhile(ledger):
        found = read(ledger)
        if other.exists():
            half.rename(tmp_path / "gone")
            other.rename(half)
        return found

    monkeypatch.setattr(watch._Subject, "read", replaced_meanwhile)
    assert Watch(half).state.title == "Another one"


@pytest.mark.usefixtures("impatient")
def test_a_folder_that_another_one_has_replaced_is_told_by_the_other_s_scenario(half, tmp_path):
    watching = Watch(half)
    other = write_folder(tmp_path / "other", runs(repetitions=1), repetitions=2, title="Another one")
    half.rename(tmp_path / "gone")
    other.rename(half)
    state = watching.look()
    assert (state.title, state.planned, state.succeeded, state.attempts) == ("Another one", 4, 2, 2)
    assert state.runs_per_s is None, "its runs have not ended since the last look"


@pytest.mark.usefixtures("impatient")
def test_looks_that_find_nothing_new_are_equal(half):
    watching = Watch(half)
    assert watching.look() == watching.look()


def told_of(folder, *, looks):
    """What a page gets of a folder at which is looked so often."""

    async def collected():
        watching, found = Watch(folder), []

        async def read():
            async for state in _states(watching):
                found.append(state)

        reading = asyncio.create_task(read())
        for _ in range(looks):
            watching.look()
            for _ in range(3):
                await asyncio.sleep(0)
        reading.cancel()
        return found

    return asyncio.run(collected())


@pytest.mark.usefixtures("impatient")
def test_the_page_is_told_a_state_once_however_often_it_is_found(half, monkeypatch):
    monkeypatch.setattr(app, "POLL_S", 0.0)
    assert len(told_of(half, looks=20)) == 1


@pytest.mark.parametrize(
    ("statement", "found"),
    [
        ("UPDATE attempts SET factors = 77", "no shared text 77"),
        ("UPDATE shared SET json = 'x'", "factors"),
    ],
)
def test_an_index_that_says_what_none_of_ours_does_is_told(half, statement, found):
    with sqlite3.connect(half / "ledger.sqlite") as opened:
        opened.execute(statement)
    assert found in Watch(half).state.problem


def test_an_index_without_attempts_is_refused_at_once(half):
    with sqlite3.connect(half / "ledger.sqlite") as opened:
        opened.execute("DROP TABLE attempts")
    with pytest.raises(InputError, match="a database without attempts"):
        Watch(half)


@pytest.mark.parametrize("workload", [None, [], {}, {"kind": 3}, {"kind": "telepathy"}])
def test_a_scenario_of_others_is_refused_by_its_key(half, workload):
    file = half / "scenario.json"
    document = json.loads(file.read_text())
    document["cells"][0]["spec"] = {"workload": workload}
    file.write_text(json.dumps(document))
    with pytest.raises(InputError, match=r"scenario\.json: cells\..*spec") as refused:
        Watch(half)
    assert "workload" in str(refused.value)


def test_a_defect_of_what_looks_at_the_folder_ends_the_server_with_its_error(half, monkeypatch):
    def broken(_):
        raise ZeroDivisionError("a defect")

    serving = Serving(folder=half, address="127.0.0.1", port=0, token=new_token(), threads=1)
    # When requests are answered it has looked once, by which the folder is known.
    ready = lambda _: monkeypatch.setattr(Watch, "look", broken)  # noqa: E731
    with pytest.raises(ZeroDivisionError, match="a defect"):
        serve(serving, ready=ready)


def test_a_stream_says_that_it_is_alive_while_there_is_no_news(monkeypatch):
    monkeypatch.setattr(app, "HEARTBEAT_S", 0.001)

    async def collected():
        news = asyncio.Event()

        async def events():
            yield "first"
            await news.wait()
            yield "second"

        found = []
        async for event in app._alive(events()):
            found.append(event)
            if found.count(None) == 2:
                news.set()
        return found

    found = asyncio.run(collected())
    assert [each for each in found if each] == ["first", "second"]
    assert found[1:3] == [None, None]


def many(folder, count):
    """Make a folder of one run one of many, as an index has them."""
    with sqlite3.connect(folder / "ledger.sqlite") as opened:
        names = [
            row[1] for row in opened.execute("PRAGMA table_info(attempts)") if row[1] not in ("id", "run_id")
        ]
        columns = ", ".join(names)
        opened.execute(
            f"WITH RECURSIVE n(x) AS (SELECT 2 UNION ALL SELECT x + 1 FROM n WHERE x < {count}) "
            f"INSERT INTO attempts (id, run_id, {columns}) "
            f"SELECT x, printf('%016x', x), {columns} FROM n, attempts WHERE id = 1"
        )
    return folder


def peak_bytes(folder):
    tracemalloc.start()
    try:
        Watch(folder)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_a_campaign_takes_a_few_bytes_for_each_run_whatever_its_length(tmp_path, monkeypatch):
    monkeypatch.setattr(index, "_ROWS_AT_ONCE", 1000)
    half, whole = (
        many(write_folder(tmp_path / name, runs(1)[:1]), count)
        for name, count in (("a", 30_000), ("b", 60_000))
    )
    Watch(half)  # What is imported and kept once.
    # Eight bytes for a value, of which there are an array of floats and its deviations from the mean besides;
    # an array that grows has an eighth more than it needs.
    assert peak_bytes(whole) - peak_bytes(half) < 30_000 * 40


def test_metrics_are_open_metrics_that_its_own_parser_reads(half):
    text = open_metrics.text(Pool(1), Watch(half).state).decode()
    assert text.endswith("# EOF\n")
    families = {family.name: family for family in text_string_to_metric_families(text)}
    ended = {each.labels["status"]: each.value for each in families["bentpipe_campaign_runs"].samples}
    assert ended == {"succeeded": 4, "failed": 1, "invalid": 1}
    assert families["bentpipe_campaign_runs_planned"].samples[0].value == 12
    assert families["bentpipe_memory_bytes"].samples[0].value > 1e6
    assert {each.labels["cell"] for each in families["bentpipe_campaign_mean"].samples} == {"h1", "h3"}


def test_a_server_streams_the_state_and_has_it_in_its_metrics(half):
    with served(half) as server:
        assert server.get("/offer").json()["watches"] is True
        metrics = server.get("/metrics")
        assert metrics.headers["content-type"].startswith("application/openmetrics-text; version=1.0.0")
        assert (
            b'bentpipe_campaign_runs{campaign="synthetic",engine="",status="succeeded"} 4.0' in metrics.body
        )
        events = parsed(first_part(server, "/campaign")).events()
        assert (events[0]["kind"], events[0]["succeeded"]) == ("campaign", 4)


def first_part(server, target):
    """What a stream says at first; it does not end by itself."""
    request = f"GET {target} HTTP/1.1\r\nHost: {server.host}\r\nAuthorization: Bearer {server.token}\r\n\r\n"
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as link:
        link.sendall(request.encode())
        data = b""
        while b"\n\n\r\n" not in data:
            data += link.recv(1 << 16)
    return data


def test_a_server_without_a_folder_has_no_campaign(server):
    assert server.get("/offer").json()["watches"] is False
    assert server.get("/campaign").status == 404
    assert b"bentpipe_campaign" not in server.get("/metrics").body


def test_a_server_does_not_write(half):
    before = sorted(half.iterdir())
    with served(half) as server:
        assert server.get("/metrics").status == 200
    assert sorted(half.iterdir()) == before
