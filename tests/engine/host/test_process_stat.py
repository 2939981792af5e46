"""What the kernel says of a process in one line, by processes of which it is known (proc_pid_stat(5))."""

import os
import resource
import subprocess
import sys

import pytest

from bentpipe.engine.host.process_stat import ProcessStat

TICKS = 2
"""User and system time are counted in whole ticks each."""


def test_processor_time_is_that_of_the_kernels_other_interface():
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    expected = [(usage.ru_utime + usage.ru_stime) * os.sysconf("SC_CLK_TCK") for usage in usages]
    stat = ProcessStat.of(os.getpid())
    assert [stat.processor_ticks, stat.ended_ticks] == pytest.approx(expected, abs=TICKS)


def test_a_name_with_parentheses_hides_none_of_the_fields_behind_it(tmp_path):
    """Up to 15 bytes of the program's name stand between parentheses (TASK_COMM_LEN)."""
    program = tmp_path / ") Z 1 (\udcff) 2"
    program.symlink_to("/bin/sleep")
    with subprocess.Popen([program, "60"], start_new_session=True) as process:
        try:
            stat = ProcessStat.of(process.pid)
        finally:
            process.kill()
        assert stat.terminal == 0
        assert stat.state in "RSD"
        assert stat.start_ticks >= ProcessStat.of(os.getpid()).start_ticks


def test_what_has_ended_is_a_zombie_until_its_parent_hears_of_it_and_then_nobody():
    process = subprocess.Popen([sys.executable, "-c", ""], stdout=subprocess.PIPE)
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    assert ProcessStat.of(process.pid).state == "Z"
    process.communicate()
    with pytest.raises(OSError):
        ProcessStat.of(process.pid)
