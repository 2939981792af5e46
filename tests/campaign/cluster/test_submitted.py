"""What a queue says of jobs, by commands that say what a test has them say."""

import os
import stat

import pytest

from bentpipe.campaign.cluster import submitted
from bentpipe.campaign.cluster.job_queue import System
from bentpipe.campaign.cluster.submitted import SubmittedJobs
from bentpipe.errors import ClusterError
from tests.campaign.fake_engine import QuietProgress


@pytest.fixture
def jobs(tmp_path, monkeypatch):
    """Return jobs 17 and 18 whose queue answers by a script, and what is told of them."""
    monkeypatch.setattr(submitted, "LOOK_EVERY_S", 0.0)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")

    def made(script, *, system=System.SLURM):
        command = tmp_path / ("squeue" if system is System.SLURM else "qstat")
        command.write_text(f"#!/bin/bash\n{script}\n")
        command.chmod(command.stat().st_mode | stat.S_IXUSR)
        return SubmittedJobs(system, ["17", "18"], log_directory=str(tmp_path)), QuietProgress()

    return made


def remarks(progress):
    return [what[1] for what in progress.told if what[0] == "remark"]


# As `squeue --format="%i %T %r"` and `qstat -u` of OpenPBS 23 print.
ENDED = "echo 17 FAILED NonZeroExitCode; echo 18 FAILED NonZeroExitCode; echo 3 RUNNING None"
QSTAT = """
head:
                                                            Req'd  Req'd   Elap
Job ID          Username Queue    Jobname    SessID NDS TSK Memory Time  S Time
--------------- -------- -------- ---------- ------ --- --- ------ ----- - -----
17.head         user     workq    dask-work*    --    1  16   32gb 02:00 Q   --
18.head         user     workq    dask-work*   4242   1  16   32gb 02:00 R 00:01
"""


def test_when_all_jobs_have_ended_it_says_how_and_what_the_last_one_printed(jobs, tmp_path):
    (tmp_path / "dask-worker-18.out").write_text("hello\n")
    (tmp_path / "dask-worker-18.err").write_text("line 7: module: command not found\n\n")
    found, progress = jobs(ENDED)
    with pytest.raises(ClusterError) as refused:
        found.look(progress)
    assert str(refused.value) == (
        "slurm: 2 of 2 jobs have ended: job 18 is FAILED (NonZeroExitCode); its log "
        f"{tmp_path}/dask-worker-18.err ends with 'line 7: module: command not found'"
    )


def test_jobs_that_the_queue_does_not_have_any_more_have_ended(jobs, tmp_path):
    found, progress = jobs("echo 3 RUNNING None")
    with pytest.raises(ClusterError, match=rf"18 is no longer in the queue; there is no log .* {tmp_path}"):
        found.look(progress)


def test_while_one_waits_that_of_another_which_has_ended_is_told_once(jobs):
    found, progress = jobs("echo 17 TIMEOUT TimeLimit; echo '18 PENDING Nodes required are DOWN'")
    found.look(progress)
    found.look(progress)
    ended, waiting = remarks(progress)
    assert ended.startswith("slurm: 1 of 2 jobs has ended: job 17 is TIMEOUT (TimeLimit)")
    assert waiting == "waiting for a worker; jobs of slurm: 1 PENDING (Nodes required are DOWN)"


def test_a_queue_is_asked_for_the_jobs_of_its_user(jobs, tmp_path, monkeypatch):
    monkeypatch.setenv("LOGNAME", "ada")
    found, progress = jobs(f'echo "$@" >{tmp_path}/asked; echo 17 RUNNING None; echo 18 RUNNING None')
    found.look(progress)
    assert (tmp_path / "asked").read_text().split()[-2:] == ["--user", "ada"]
    assert remarks(progress) == ["waiting for a worker; jobs of slurm: 2 RUNNING"]


def test_what_qstat_prints_is_understood(jobs):
    found, progress = jobs(f"cat <<'END'{QSTAT}END", system=System.PBS)
    found.look(progress)
    assert remarks(progress) == ["waiting for a worker; jobs of pbs: 1 Q, 1 R"]


@pytest.mark.parametrize("log", ["17.head.ER", "dask-worker.e17"])
def test_the_logs_of_pbs_are_found_by_either_name(jobs, tmp_path, log):
    (tmp_path / "117.head.ER").write_text("of another job")
    (tmp_path / log).write_text("qsub: no such python")
    found, progress = jobs("true", system=System.PBS)
    found = SubmittedJobs(System.PBS, ["17"], log_directory=str(tmp_path))
    with pytest.raises(ClusterError, match=f"pbs: 1 of 1 jobs has ended: .*{log} ends with 'qsub: no such"):
        found.look(progress)


def test_a_queue_that_does_not_answer_is_told_of_once_and_the_jobs_are_waited_for(jobs):
    found, progress = jobs("exit 1")
    found.look(progress)
    found.look(progress)
    [told] = remarks(progress)
    assert told.startswith("squeue does not say what becomes of jobs (")
