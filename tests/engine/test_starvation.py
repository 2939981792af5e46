"""How long threads have waited for a core, told from what the kernel counts of this very process."""

import os
import threading
from pathlib import Path

from bentpipe.engine import starvation


def test_a_new_thread_is_among_those_of_its_process():
    done = threading.Event()
    other = threading.Thread(target=done.wait)
    before = starvation.waits_s([os.getpid()])
    other.start()
    try:
        assert set(starvation.waits_s([os.getpid()])) - set(before) == {
            Path(f"/proc/{os.getpid()}/task/{other.native_id}")
        }
    finally:
        done.set()
        other.join()


def test_a_run_may_wait_for_two_percent_of_its_time_or_as_long_as_packets_may_be_late():
    def doubt(waited_s, bound_s):
        return starvation.doubt(waited_s=waited_s, elapsed_s=5.0, lateness_bound_s=bound_s)

    assert doubt(0.1, 0.001) is None
    assert doubt(0.101, 0.001) == (
        "waited for a core: origin, client and proxies together 101.0 ms, above 100.0 ms"
    )
    assert doubt(0.101, 0.2) is None
