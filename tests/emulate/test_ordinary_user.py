"""Emulation without root: the engine's, by user namespaces. Root becomes a user who has no rights for it."""

import json
import os
import shutil
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from bentpipe.engine.process import user_namespace
from bentpipe.engine.process.user_namespace import RUN_NETNS
from bentpipe.model.record import RunRecord
from tests.emulate import traces
from tests.emulate.measuring import in_time
from tests.support.ordinary_user import an_ordinary_user

pytestmark = [pytest.mark.ordinary_user, pytest.mark.alone]

LINK = "flat:down=10Mbit/s,up=2Mbit/s,rtt=100ms"
PAGE = ("page", "--link", LINK, "--page", "single-100k")
BULK = ("bulk", "--link", LINK, "--transport", "tcp", "--size", "1MB")
# Without real-time priority what else the machine does makes packets late, which is not what is tested.
PATIENT = ("--set", "validity.lateness=100ms")
ATTEMPTS = 3
"""Where packets are later nevertheless; a machine that has had no core for them so often says nothing."""

PUNCTUAL = ("--set", "validity.lateness=10ms")
"""Where times are compared: later packets may move a load of half a second by what it may be away."""


@pytest.fixture(scope="module")
def user():
    with an_ordinary_user() as found:
        lacks = found.lacks()
        if lacks:
            pytest.skip(f"AN ORDINARY USER CANNOT EMULATE HERE: {'; '.join(lacks)}")
        yield found


@pytest.fixture
def as_user(bentpipe, user):
    return lambda *arguments: bentpipe(*arguments, prefix=user.prefix, cwd=user.home)


@pytest.fixture
def shell(as_user):
    return lambda *command: as_user("shell", "--link", LINK, "--", *command)


def measured(as_user, *arguments, bound=PATIENT):
    """Return what a run prints that was in time, the first of three at most."""
    printed = {}

    def attempt():
        _, out, errors = as_user(*arguments, "--engine", "emulate", *bound, "--json")
        assert out, errors
        printed.clear()
        printed.update(json.loads(out))
        return RunRecord.model_validate_json(out)

    in_time(attempt, attempts=ATTEMPTS)
    return printed


WORKLOADS = {
    "h1": (*PAGE, "--http", "h1"),
    "h2": (*PAGE, "--http", "h2"),
    "h3": (*PAGE, "--http", "h3"),
    "split": (*PAGE, "--http", "h2", "--pep", "split"),
    # Not CUBIC: a packet that is late by a few milliseconds ends its slow start early (HyStart).
    "reno": (*BULK, "--cc", "reno"),
    "bbr": (*BULK, "--cc", "bbr"),
}


@pytest.mark.parametrize("name", WORKLOADS)
def test_what_is_measured_is_what_the_simulation_of_the_same_takes(as_user, bentpipe, name):
    """Another engine's; docs/agreement.md has how far both agree, mostly below 1 %."""
    found = measured(as_user, *WORKLOADS[name], bound=PUNCTUAL)
    _, out, _ = bentpipe(*WORKLOADS[name], "--engine", "simulate", "--json")
    expected = json.loads(out)["metrics"]
    assert (found["engine"], found["status"]) == ("emulate", "succeeded")
    key = "plt_s" if name not in ("reno", "bbr") else "goodput_bps"
    assert found["metrics"][key] == pytest.approx(expected[key], rel=0.05)


def test_the_first_process_of_a_container_measures_too(bentpipe, user):
    """An image may start `bentpipe` and nothing else, as its own ordinary user (image/Containerfile)."""
    first = ("unshare", "--user", "--map-current-user", "--pid", "--fork", "--mount-proc", "--")
    found = measured(partial(bentpipe, prefix=(*user.prefix, *first), cwd=user.home), *PAGE, "--http", "h2")
    assert (found["status"], found["provenance"]["privileges"]) == ("succeeded", "user namespace")


@pytest.mark.parametrize("cc", ["cubic", "bbr", "reno"])
def test_the_kernel_says_that_connections_have_the_congestion_control_that_was_asked_for(as_user, cc):
    """Whatever `net.ipv4.tcp_allowed_congestion_control` of the machine grants its users (tcp(7))."""
    found = measured(as_user, *BULK, "--cc", cc)
    ends = [*found["client_connections"], *found["origin_connections"]]
    assert {end["congestion_control"] for end in ends} == {cc}


def test_a_record_says_by_what_it_was_emulated_and_what_was_not_granted(as_user):
    provenance = measured(as_user, *PAGE, "--http", "h2")["provenance"]
    assert provenance["privileges"] == "user namespace"
    assert provenance["link_scheduling"] in {"fifo", "other"}
    assert provenance["idle_cores"] in {"polling", "sleeping"}
    assert int(provenance["udp_buffer_bytes"]) > 0


def test_doctor_finds_all_that_is_needed_and_says_what_is_refused(as_user, user):
    status, out, _ = as_user("doctor", "--json")
    checks = {check["name"]: check for check in json.loads(out)}
    assert status == 0
    assert checks["privileges"]["found"] == f"user {user.uid}, by a user namespace with --engine emulate"
    assert {"real-time priority", "cores that stay awake", "UDP buffers"} <= checks.keys()


def test_files_are_the_users(as_user, user):
    folder = user.home / "captured"
    measured(as_user, *PAGE, "--http", "h2", "--set", "capture.pcapng=true", "--out", str(folder))
    made = [folder, *folder.rglob("*")]
    assert "packets.pcapng" in {path.name for path in made}
    assert {path.stat().st_uid for path in made} == {user.uid}


CURL = 'curl --silent --show-error --output fetched --write-out "%{http_code}" "$BENTPIPE_URL"'


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_curl_in_a_shell_fetches_the_page_into_a_file_of_the_user(shell, user):
    status, out, errors = shell("sh", "-c", CURL)
    assert (status, out) == (0, "200"), errors
    assert (user.home / "fetched").stat().st_uid == user.uid


STATUS = ("cat", "/proc/self/status")
SETS = ("CapInh", "CapPrm", "CapEff", "CapAmb")


def fields(status):
    return {name: value.split() for name, _, value in (line.partition(":") for line in status.splitlines())}


def test_a_program_in_a_shell_has_no_capability_and_gets_none(shell, user):
    status, out, errors = shell(*STATUS)
    assert status == 0, errors
    said = fields(out)
    assert said["Uid"] == [str(user.uid)] * 4
    assert {name: int(said[name][0], 16) for name in SETS} == dict.fromkeys(SETS, 0)
    assert said["NoNewPrivs"] == ["1"]


def test_with_the_option_root_it_has_those_over_the_testbed(as_user, user):
    script = 'id -u; ip netns exec "$BENTPIPE_SERVER_NETNS" ip -brief address show bp0'
    status, out, errors = as_user("shell", "--root", "--link", LINK, "--", "sh", "-c", script)
    assert status == 0, errors
    uid, device = out.splitlines()
    assert uid == str(user.uid)
    assert "198.18.0.2 peer 198.18.0.1" in device


def test_a_program_sees_of_run_what_the_machine_has_there(shell):
    status, out, errors = shell("ls", "/run")
    assert status == 0, errors
    assert set(out.splitlines()) == {path.name for path in Path("/run").iterdir()} | {"netns"}


def test_the_status_of_a_shell_is_the_command_s(shell):
    assert shell("sh", "-c", "exit 7")[0] == 7


def test_the_machine_has_no_name_of_such_a_world(command, user):
    waiting = command(
        "shell", "--link", LINK, "--", "sh", "-c", "echo here; read line",
        prefix=user.prefix, stdin=subprocess.PIPE,
    )  # fmt: skip
    assert waiting.stdout.readline() == "here\n"
    names = [path.name for path in RUN_NETNS.iterdir()] if RUN_NETNS.is_dir() else []
    waiting.communicate("\n", timeout=20)
    assert waiting.returncode == 0
    # Its number stands in the names that it makes (`process.maker`).
    assert [name for name in names if f"-{waiting.pid}-" in name] == []


def test_what_a_killed_shell_has_left_is_killed_by_clean(command, as_user, mark, user):
    script = "setsid sleep 600 > /dev/null 2>&1 & echo started; exec > /dev/null 2>&1; sleep 601"
    killed = command("shell", "--link", LINK, "--", "sh", "-c", script, prefix=user.prefix)
    assert killed.stdout.readline() == "started\n"
    os.kill(killed.pid, signal.SIGKILL)
    killed.communicate(timeout=20)
    (left,) = traces.processes(mark, command="sleep\x00600")
    status, _, errors = as_user("clean")
    assert status == 0
    assert f"removed process {left}" in errors
    assert traces.becomes_true(lambda: not traces.processes(mark, command="sleep"), within_s=3)


def test_a_program_that_calls_bentpipe_is_not_started_anew_but_told_how(user):
    program = "from bentpipe.cli import engines; engines.choose('emulate')"
    done = subprocess.run(
        [*user.prefix, sys.executable, "-c", program], capture_output=True, text=True, cwd=user.home
    )
    assert "AbilityError" in done.stderr
    assert " ".join(user_namespace.COMMAND) in done.stderr
    able = subprocess.run(
        [*user.prefix, *user_namespace.COMMAND, sys.executable, "-c", program],
        capture_output=True, text=True, cwd=user.home,
    )  # fmt: skip
    assert (able.returncode, able.stderr) == (0, "")
