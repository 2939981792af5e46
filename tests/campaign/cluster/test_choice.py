from pathlib import Path

import pytest

from bentpipe.campaign.cluster.choice import LocalProcesses, RunningScheduler, parse
from bentpipe.campaign.cluster.job_queue import JobQueue, System
from bentpipe.errors import InputError

JOBS = """
[slurm]
jobs = 4
cores = 16
memory = "32 GB"
walltime = "02:00:00"
"""


@pytest.mark.parametrize("address", ["tcp://host:8786", "tls://10.0.0.1:1", "tcp://[2001:db8::1]:8786"])
def test_an_address_is_that_of_a_scheduler(address):
    assert parse(address) == RunningScheduler(address=address)


def test_local_has_so_many_processes():
    assert parse("local:2") == LocalProcesses(workers=2)


@pytest.mark.parametrize(
    "text",
    ["", "host:8786", "tcp://host", "tcp://a b:1", "local", "local:0", "local:-1", "local:1001", "jobs"],
)
def test_what_is_none_of_them_is_refused(text):
    with pytest.raises(InputError, match=r"command line: --cluster: expected tcp://HOST:PORT"):
        parse(text)


def written(folder, text):
    path = folder / "jobs.toml"
    path.write_text(text)
    return str(path)


def test_a_file_says_what_jobs_are(tmp_path):
    found = parse(written(tmp_path, JOBS))
    assert isinstance(found, JobQueue)
    assert (found.system, found.table.jobs, found.table.walltime) == (System.SLURM, 4, "02:00:00")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("cores", "cpus", "slurm.cpus: expected one of account, cores, directives"),
        ("jobs = 4", "", "slurm.jobs: expected a whole number, found nothing"),
        ("jobs = 4", "jobs = 0", "slurm.jobs: expected a whole number from 1 to 10000, found 0"),
        ('"32 GB"', '"32"', 'slurm.memory: expected a size from 1 B to 1000 GB such as "36 kB"'),
        ('"02:00:00"', '"two hours"', "slurm.walltime: expected hours, minutes and seconds"),
        ("[slurm]", "[lsf]", "lsf: expected one of pbs, slurm"),
        ("[slurm]", "[pbs]\n[slurm]", "pbs.jobs: expected a whole number, found nothing"),
    ],
)
def test_a_fault_of_the_file_is_told_by_file_and_key(tmp_path, old, new, said):
    file = written(tmp_path, JOBS.replace(old, new))
    with pytest.raises(InputError) as refused:
        parse(file)
    assert str(refused.value).startswith(f"{file}: {said}")


@pytest.mark.parametrize("text", ["", JOBS + JOBS.replace("slurm", "pbs")])
def test_a_file_is_for_one_system(tmp_path, text):
    with pytest.raises(InputError, match=r"expected one of the tables \[slurm\] and \[pbs\]"):
        parse(written(tmp_path, text))


@pytest.mark.parametrize("name", ["slurm", "pbs"])
def test_the_example_files_load(name, request):
    found = parse(str(request.config.rootpath / Path("scenarios/clusters") / f"{name}.toml"))
    assert isinstance(found, JobQueue)
    assert found.system is System(name)
