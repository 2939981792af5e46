"""Jobs of Slurm, with a queue that starts each at once on this machine."""

import os
import stat

import pytest

from bentpipe.campaign.cluster.choice import parse
from bentpipe.campaign.measure import Order, measure
from bentpipe.engine.simulate import Simulator
from bentpipe.errors import ClusterError
from tests.campaign.cluster.dask import Heard, is_there, until

pytestmark = pytest.mark.alone

SCENARIO = """
name = "jobs"
repetitions = 8
[run]
link = "lan"
page = "single-100k"
http = "h1"
"""
JOBS = """
[slurm]
jobs = 1
cores = 2
memory = "1 GB"
walltime = "00:10:00"
queue = "short"
log_directory = "{folder}"
interface = "lo"
directives = ["--exclusive"]
prologue = ["export FOR_A_TEST=1"]
"""
SBATCH = """#!/bin/bash
cp "$1" {folder}/script
bash {folder}/script >{folder}/job.log 2>&1 &
echo $! >{folder}/job.pid
echo "Submitted batch job $!"
"""
SCANCEL = """#!/bin/bash
kill "$1"
"""


def put(path, text):
    path.write_text(text)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


@pytest.fixture
def order(tmp_path):
    (tmp_path / "scenario.toml").write_text(SCENARIO)
    (tmp_path / "jobs.toml").write_text(JOBS.format(folder=tmp_path))
    return Order(
        scenario=tmp_path / "scenario.toml",
        folder=tmp_path / "results",
        cluster=parse(str(tmp_path / "jobs.toml")),
    )


def test_jobs_are_submitted_as_the_file_says_measure_and_are_cancelled(order, tmp_path, monkeypatch):
    (tmp_path / "bin").mkdir()
    put(tmp_path / "bin" / "sbatch", SBATCH.format(folder=tmp_path))
    put(tmp_path / "bin" / "scancel", SCANCEL)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    told = Heard()
    assert measure(order, engine=Simulator(), progress=told).outcome.succeeded == 8
    script = (tmp_path / "script").read_text().splitlines()
    for line in ("#SBATCH -p short", "#SBATCH -t 00:10:00", "#SBATCH --exclusive", "export FOR_A_TEST=1"):
        assert line in script
    assert any(remark.startswith("dashboard: http") for remark in told.remarks)
    job = int((tmp_path / "job.pid").read_text())
    until(lambda: not is_there(job))


REFUSING = """#!/bin/bash
echo "sbatch: error: invalid partition specified: short" >&2
exit 1
"""


@pytest.mark.parametrize(
    ("sbatch", "scancel", "said"),
    [
        (None, SCANCEL, "there is no command sbatch"),
        (REFUSING, None, "there is no command scancel"),
        (REFUSING, SCANCEL, "invalid partition specified"),
    ],
)
def test_jobs_that_cannot_be_submitted_are_an_error_that_says_why(
    order, tmp_path, monkeypatch, sbatch, scancel, said
):
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    (tmp_path / "bin").mkdir()
    for name, script in (("sbatch", sbatch), ("scancel", scancel)):
        if script is not None:
            put(tmp_path / "bin" / name, script)
    with pytest.raises(ClusterError, match=f"slurm: .*{said}"):
        measure(order, engine=Simulator(), progress=Heard())


DYING = """#!/bin/bash
echo "No module named distributed" >{folder}/dask-worker-17.err
echo "Submitted batch job 17"
"""
SQUEUE = """#!/bin/bash
echo "17 FAILED NonZeroExitCode"
"""


def test_jobs_that_end_at_once_end_the_campaign_soon_with_their_log(order, tmp_path, monkeypatch):
    (tmp_path / "bin").mkdir()
    put(tmp_path / "bin" / "sbatch", DYING.format(folder=tmp_path))
    put(tmp_path / "bin" / "squeue", SQUEUE)
    put(tmp_path / "bin" / "scancel", SCANCEL)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    with pytest.raises(ClusterError) as refused:
        measure(order, engine=Simulator(), progress=Heard())
    assert str(refused.value).startswith(
        "slurm: 1 of 1 jobs has ended: job 17 is FAILED (NonZeroExitCode); its log "
        f"{tmp_path}/dask-worker-17.err ends with 'No module named distributed'"
    )
