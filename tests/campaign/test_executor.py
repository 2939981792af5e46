import os
import signal
import threading
import time
from dataclasses import replace

import pytest

from bentpipe.campaign.executor import MOST_ATTEMPTS, execute
from bentpipe.campaign.outcome import Ending
from bentpipe.campaign.plan import PlannedRun, plan
from bentpipe.ledger import Ledger
from bentpipe.model.reason import End, WrongCongestionControlReason
from bentpipe.model.spec import RunSpec
from bentpipe.reasons import sentence
from tests.campaign.fake_engine import FakeEngine, QuietProgress, late, record, succeeded
from tests.support.models import because

CAPTURED = {"capture": {"pcapng": True, "qlog": False}}


def run(scenario, ledger, engine, *, jobs=2, progress=None):
    return execute(
        plan(scenario), engine=engine, ledger=ledger, jobs=jobs, progress=progress or QuietProgress()
    )


def counts(outcome):
    return (outcome.planned, outcome.succeeded, outcome.failed, outcome.invalid, outcome.not_run)


def test_every_planned_run_ends_in_the_ledger(scenario, ledger):
    outcome = run(scenario, ledger, FakeEngine())
    assert counts(outcome) == (6, 6, 0, 0, 0)
    assert {entry.run_id for entry in ledger.entries()} == {one.run_id for one in plan(scenario)}


def test_the_entry_has_the_factors_and_the_record_without_its_series(scenario, ledger):
    run(scenario, ledger, FakeEngine())
    entry = ledger.entries()[0]
    assert entry.factors["link"] == "lan"
    assert "series" not in entry.record
    assert list(ledger.series(entry.run_id, "link")["time_s"]) == [0.0, 0.1]


def test_runs_are_started_in_the_order_of_the_plan(scenario, ledger):
    engine = FakeEngine()
    run(scenario, ledger, engine, jobs=1)
    assert engine.calls == [one.run_id for one in plan(scenario)]


def test_as_many_runs_as_jobs_are_in_flight(scenario, ledger):
    together = threading.Barrier(3)

    def wait_for_the_others(run_id, spec, attempt):
        together.wait(timeout=10)
        return succeeded(run_id, spec, attempt)

    engine = FakeEngine(wait_for_the_others)
    run(scenario, ledger, engine, jobs=3)
    assert engine.most_at_once == 3


def test_failed_runs_are_kept_and_counted_and_not_repeated(scenario, ledger):
    engine = FakeEngine(
        lambda run_id, spec, _: record(run_id, spec, status="failed", reasons=[because("no route")])
    )
    assert counts(run(scenario, ledger, engine)) == (6, 0, 6, 0, 0)
    assert len(ledger.entries()) == 6


class Panic(BaseException):
    """As the compiled core's, which is no Exception."""


@pytest.mark.parametrize("error", [OSError("too many open files"), Panic("index out of bounds")])
def test_an_engine_that_raises_costs_one_run_and_not_the_campaign(scenario, ledger, error):
    def raise_for_h2(run_id, spec, attempt):
        if spec.workload.http == "h2":
            raise error
        return succeeded(run_id, spec, attempt)

    assert counts(run(scenario, ledger, FakeEngine(raise_for_h2))) == (6, 4, 2, 0, 0)
    reasons = [entry.record.reasons for entry in ledger.entries() if entry.status == "failed"]
    assert all(f"{type(error).__name__}: {error}" in sentence(reason) for [reason] in reasons)


@pytest.fixture
def in_time():
    """Turn a wait without an end into a failure."""

    def give_up(number, frame):
        del number, frame
        raise TimeoutError

    former = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(20)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, former)


class _Newer(RunSpec):
    not_known: int


class _Unread(PlannedRun):
    @property
    def spec(self):
        return _Newer(**dict(super().spec), not_known=1)


@pytest.mark.usefixtures("in_time")
def test_a_specification_that_the_core_cannot_read_ends_the_campaign_at_once(scenario, ledger):
    # As Python code newer than the compiled core: the engine raises, and the failure has no record either.
    first, second, third, *rest = plan(scenario)
    unread = _Unread(run_id=second.run_id, cell=second.cell, repetition=second.repetition, seed=second.seed)
    in_flight, released, threads = threading.Event(), threading.Event(), set()

    def refuse_what_is_not_known(run_id, spec, attempt):
        threads.add(threading.current_thread())
        if run_id == unread.run_id:
            in_flight.wait(timeout=10)
            raise ValueError("unknown field")
        if run_id == third.run_id:
            in_flight.set()
            released.wait(timeout=10)
        return succeeded(run_id, spec, attempt)

    engine = FakeEngine(refuse_what_is_not_known)
    before = time.monotonic()
    with pytest.raises(ValueError, match="unknown field `not_known`"):
        execute([first, unread, third, *rest], engine=engine, ledger=ledger, jobs=2, progress=QuietProgress())
    assert time.monotonic() - before < 5
    released.set()
    for thread in threads:
        thread.join(timeout=5)
        assert not thread.is_alive()
    assert set(engine.calls) == {first.run_id, unread.run_id, third.run_id}
    assert [entry.run_id for entry in ledger.entries()] == [first.run_id]


def test_late_runs_are_repeated_after_the_others_by_half_as_many_at_once_until_they_are_alone(
    scenario, ledger
):
    engine = FakeEngine(
        lambda run_id, spec, attempt: late(run_id, spec) if attempt < 4 else succeeded(run_id, spec, 0)
    )
    progress = QuietProgress()
    assert counts(run(scenario, ledger, engine, jobs=6, progress=progress)) == (6, 6, 0, 0, 0)
    told = [what for what in progress.told if what[0] == "repeating"]
    assert told == [("repeating", 6, 3), ("repeating", 6, 1), ("repeating", 6, 1)]
    for attempt, most in ((2, 3), (3, 1), (4, 1)):
        assert max(company for (_, number), company in engine.company.items() if number == attempt) <= most


def test_late_runs_are_repeated_after_the_others_and_alone(scenario, ledger):
    engine = FakeEngine(
        lambda run_id, spec, attempt: late(run_id, spec) if attempt == 1 else succeeded(run_id, spec, 0)
    )
    assert counts(run(scenario, ledger, engine, jobs=3)) == (6, 6, 0, 0, 0)
    assert engine.calls[:6] == [one.run_id for one in plan(scenario)]
    assert {company for (_, attempt), company in engine.company.items() if attempt == 2} == {1}
    assert [entry.attempt for entry in ledger.entries()] == [1] * 6 + [2] * 6


def test_a_run_that_is_always_late_is_given_up_in_the_end_all_attempts_kept(scenario, ledger):
    progress = QuietProgress()
    outcome = run(scenario, ledger, FakeEngine(lambda run_id, spec, _: late(run_id, spec)), progress=progress)
    assert counts(outcome) == (6, 0, 0, 6, 0)
    assert sorted(entry.attempt for entry in ledger.entries()) == [
        number for number in range(1, MOST_ATTEMPTS + 1) for _ in range(6)
    ]
    assert progress.told.count(("judged", "invalid")) == 6


def test_who_has_less_time_gives_up_earlier_in_the_middle_of_a_round_too(scenario, ledger):
    def slow(run_id, spec, attempt):
        time.sleep(0 if attempt == 1 else 0.2)
        return late(run_id, spec)

    progress, planned = QuietProgress(), plan(scenario)
    outcome = execute(
        planned, engine=FakeEngine(slow), ledger=ledger, jobs=2, progress=progress, repeat_for_s=0.3
    )
    assert counts(outcome) == (6, 0, 0, 6, 0)
    assert progress.told.count(("judged", "invalid")) == 6
    repeated = [entry.attempt for entry in ledger.entries() if entry.attempt > 1]
    # 0.2 s each, one at a time: the second is the last to begin, be the machine as slow as it may.
    assert set(repeated) == {2}
    assert 1 <= len(repeated) <= 2


def test_who_has_no_time_repeats_nothing(scenario, ledger):
    engine = FakeEngine(lambda run_id, spec, _: late(run_id, spec))
    execute(plan(scenario), engine=engine, ledger=ledger, jobs=2, progress=QuietProgress(), repeat_for_s=0)
    assert {entry.attempt for entry in ledger.entries()} == {1}


def test_a_run_that_is_invalid_for_another_reason_is_not_repeated(scenario, ledger):
    reasons = [WrongCongestionControlReason(end=End.ORIGIN, expected="bbr", found="cubic")]
    engine = FakeEngine(lambda run_id, spec, _: record(run_id, spec, status="invalid", reasons=reasons))
    assert counts(run(scenario, ledger, engine)) == (6, 0, 0, 6, 0)
    assert len(engine.calls) == 6


def test_resuming_skips_what_succeeded_and_repeats_the_rest_as_new_attempts(scenario, ledger):
    run(
        scenario,
        ledger,
        FakeEngine(
            lambda run_id, spec, _: record(
                run_id, spec, status="succeeded" if spec.workload.http == "h1" else "failed"
            )
        ),
    )
    again, progress = FakeEngine(), QuietProgress()
    assert counts(run(scenario, ledger, again, progress=progress)) == (6, 6, 0, 0, 0)
    assert len(again.calls) == 4
    assert progress.told[0] == ("start", 6, 2)
    assert {entry.attempt for entry in ledger.entries() if entry.factors["http"] != "h1"} == {1, 2}


def test_no_specification_is_made_for_runs_that_are_there(scenario, ledger, monkeypatch):
    run(scenario, ledger, FakeEngine())

    def refuse(_):
        raise AssertionError("made for nothing")

    monkeypatch.setattr(PlannedRun, "spec", property(refuse))
    assert counts(run(scenario, ledger, FakeEngine())) == (6, 6, 0, 0, 0)


def test_a_folder_for_captures_is_offered_and_an_empty_one_not_left_behind(scenario, ledger):
    engine = FakeEngine()
    runs = [
        replace(one, cell=replace(one.cell, spec={**one.cell.spec, **CAPTURED})) for one in plan(scenario)
    ]
    execute(runs, engine=engine, ledger=ledger, jobs=2, progress=QuietProgress())
    assert len({str(path) for path in engine.artifacts.values()}) == 6
    assert list((ledger.folder / "artifacts").iterdir()) == []


def test_runs_that_leave_no_files_get_no_folder(scenario, ledger):
    engine = FakeEngine()
    run(scenario, ledger, engine)
    assert set(engine.artifacts.values()) == {None}
    assert not (ledger.folder / "artifacts").exists()


def test_progress_hears_of_every_run_and_of_the_sum(scenario, ledger):
    progress = QuietProgress()
    run(scenario, ledger, FakeEngine(), progress=progress)
    assert progress.told[0] == ("start", 6, 0)
    assert progress.told[1:7] == [("judged", "succeeded")] * 6
    assert progress.told[7:] == [("end", "6 planned = 6 succeeded + 0 failed + 0 invalid")]


@pytest.fixture
def _in_a_session():
    """Where the tests themselves are behind nohup, a lost terminal would tell nobody."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


@pytest.mark.usefixtures("_in_a_session")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_after_an_interruption_runs_in_flight_are_kept_and_no_other_is_started(scenario, ledger, number):
    """SIGHUP is what a lost ssh session sends."""

    def interrupt(run_id, spec, attempt):
        os.kill(os.getpid(), number)
        time.sleep(0.5)
        return succeeded(run_id, spec, attempt)

    engine, progress = FakeEngine(interrupt), QuietProgress()
    outcome = run(scenario, ledger, engine, jobs=1, progress=progress)
    assert outcome.ending is Ending.INTERRUPTED
    assert counts(outcome) == (6, 1, 0, 0, 5)
    assert len(ledger.entries()) == 1
    assert ("interrupted", 1) in progress.told


def test_behind_nohup_a_campaign_goes_on_when_the_session_is_lost(scenario, ledger):
    def hang_up(run_id, spec, attempt):
        os.kill(os.getpid(), signal.SIGHUP)
        return succeeded(run_id, spec, attempt)

    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        outcome = run(scenario, ledger, FakeEngine(hang_up), jobs=1)
    finally:
        signal.signal(signal.SIGHUP, before)
    assert outcome.ending is Ending.COMPLETE


def test_a_second_interruption_ends_the_campaign_at_once(scenario, ledger):
    released = threading.Event()

    def interrupt_twice(run_id, spec, attempt):
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.5)
        os.kill(os.getpid(), signal.SIGINT)
        released.wait(timeout=30)
        return succeeded(run_id, spec, attempt)

    before = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        run(scenario, ledger, FakeEngine(interrupt_twice), jobs=1)
    released.set()
    assert time.monotonic() - before < 5


@pytest.mark.usefixtures("_in_a_session")
def test_a_lost_terminal_that_is_told_of_twice_still_leaves_runs_in_flight_their_time(scenario, ledger):
    """By bash, which passes SIGHUP on to its jobs, and by the kernel when it ends (setpgid(2), tty_io.c)."""

    def hang_up_twice(run_id, spec, attempt):
        os.kill(os.getpid(), signal.SIGHUP)
        time.sleep(0.5)
        os.kill(os.getpid(), signal.SIGHUP)
        time.sleep(0.1)
        return succeeded(run_id, spec, attempt)

    assert counts(run(scenario, ledger, FakeEngine(hang_up_twice), jobs=1)) == (6, 1, 0, 0, 5)


def test_an_interruption_does_not_wait_longer_than_the_grace_period(scenario, ledger, monkeypatch):
    monkeypatch.setattr("bentpipe.campaign.executor.GRACE_S", 0.1)
    released = threading.Event()

    def interrupt_and_hang(run_id, spec, attempt):
        os.kill(os.getpid(), signal.SIGINT)
        released.wait(timeout=30)
        return succeeded(run_id, spec, attempt)

    before = time.monotonic()
    outcome = run(scenario, ledger, FakeEngine(interrupt_and_hang), jobs=1)
    released.set()
    assert time.monotonic() - before < 5
    assert counts(outcome) == (6, 0, 0, 0, 6)


def test_signals_are_handled_as_before_once_the_campaign_is_over(scenario, ledger):
    before = signal.getsignal(signal.SIGINT)
    run(scenario, ledger, FakeEngine())
    assert signal.getsignal(signal.SIGINT) is before


def test_an_interrupted_campaign_goes_on_where_it_stopped(tmp_path, scenario):
    folder, calls = tmp_path / "interrupted", []

    def interrupt_in_the_third(run_id, spec, attempt):
        calls.append(run_id)
        if len(calls) == 3:
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.3)
        return succeeded(run_id, spec, attempt)

    with Ledger.claim(folder, scenario.document()) as first:
        run(scenario, first, FakeEngine(interrupt_in_the_third), jobs=1)
    with Ledger.claim(folder, scenario.document()) as second:
        engine = FakeEngine()
        assert counts(run(scenario, second, engine)) == (6, 6, 0, 0, 0)
        assert len(engine.calls) == 3
        assert len(second.entries()) == 6
