"""How long threads have waited for a core, told from what the kernel counts of this very process."""

import os
import threading
from pathlib import Path

from bentpipe.engine.host import cpu_wait
from bentpipe.engine.host.cpu_wait import Share
from bentpipe.model.reason import CoreAwaitedReason


def test_a_new_thread_is_among_those_of_its_process():
    done = threading.Event()
    other = threading.Thread(target=done.wait)
    before = cpu_wait.shares([os.getpid()])
    other.start()
    try:
        assert set(cpu_wait.shares([os.getpid()])) - set(before) == {
            Path(f"/proc/{os.getpid()}/task/{other.native_id}")
        }
    finally:
        done.set()
        other.join()


def test_a_run_may_wait_for_two_percent_of_its_time_or_as_long_as_packets_may_be_late():
    def doubt(waited_s, bound_s):
        shares = {Path("origin"): Share(waited_s=0.04), Path("client"): Share(waited_s=waited_s - 0.04)}
        return cpu_wait.doubt(shares, elapsed_s=5.0, lateness_bound_s=bound_s, round_trips=None)

    assert doubt(0.1, 0.001) is None
    assert doubt(0.101, 0.001) == CoreAwaitedReason(
        waited_ns=101_000_000, bound_ns=100_000_000, is_in_series=False
    )
    assert doubt(0.101, 0.2) is None


def test_a_flow_waits_for_a_thread_once_in_a_round_trip():
    """60 s of 0.6 s are 100 round trips: 100 waits of 40 us are 4 ms, of 20 ms they are 2 s."""

    def doubt(share, round_trips):
        return cpu_wait.doubt(
            {Path("client"): share}, elapsed_s=60.0, lateness_bound_s=0.001, round_trips=round_trips
        )

    short, long = Share(waited_s=4.0, times=100_000), Share(waited_s=20.0, times=1000)
    assert doubt(short, 100) is None
    assert doubt(short, None) is not None
    assert doubt(long, 100) == CoreAwaitedReason(
        waited_ns=2_000_000_000, bound_ns=1_200_000_000, is_in_series=True
    )
    # No more often than it was given a core.
    assert doubt(Share(waited_s=2.0, times=50), 100) is not None


def test_a_flow_whose_thread_is_busy_half_of_the_time_has_waited_for_each_of_its_waits():
    def doubt(ran_s):
        share = Share(ran_s=ran_s, waited_s=4.0, times=100_000)
        shares = {Path("client"): share}
        return cpu_wait.doubt(shares, elapsed_s=60.0, lateness_bound_s=0.001, round_trips=100)

    assert doubt(25.9) is None
    awaited = doubt(26.1)
    assert (awaited.waited_ns, awaited.is_in_series) == (4_000_000_000, False)


def test_what_a_thread_has_had_is_counted_from_one_look_to_another():
    before, after = Share(ran_s=1.0, waited_s=0.5, times=7), Share(ran_s=1.5, waited_s=0.75, times=9)
    place, new = Path("old"), Path("new")
    had = cpu_wait.between({place: before}, {place: after, new: before})
    assert had == {place: Share(ran_s=0.5, waited_s=0.25, times=2), new: before}
