"""The simulate engine needs nothing that an ordinary user lacks: no root, no TUN, no eBPF, no network."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tests.support.scenario_file import PAGE_LOADS

NOBODY = "65534"
STRANGERS = (
    # A user namespace without capabilities, and a network namespace without devices.
    ("unshare", "--user", f"--map-user={NOBODY}", f"--map-group={NOBODY}", "--net", "--"),
    # Where there are no user namespaces: another user, who must be able to read the interpreter.
    ("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "--bounding-set=-all", "--"),
)
"""Commands that give up privileges and run another."""

WITHOUT_PRIVILEGES = """
import fcntl, os, struct, sys
from bentpipe.engine import emulate

TUNSETIFF, IFF_TUN = 0x400454CA, 1
assert os.geteuid() != 0
# Without any capability the kernel loads no eBPF congestion control and makes no network namespace.
with open("/proc/self/status") as status:
    (effective,) = [line.split()[1] for line in status if line.startswith("CapEff:")]
assert int(effective, 16) == 0, effective
try:
    fcntl.ioctl(os.open("/dev/net/tun", os.O_RDWR), TUNSETIFF, struct.pack("16sH22x", b"bentpipe", IFF_TUN))
except OSError:
    pass
else:
    raise AssertionError("this user may make TUN devices")
assert emulate.missing()
os.execv(sys.executable, [sys.executable, "-m", "bentpipe.cli", *sys.argv[1:]])
"""
"""Proves that the process can do nothing special and becomes the command line."""


def can_start(prefix: tuple[str, ...]) -> bool:
    """Whether Python and the package can be read behind the prefix."""
    if shutil.which(prefix[0]) is None:
        return False
    command = [*prefix, sys.executable, "-c", "import bentpipe._core"]
    return subprocess.run(command, capture_output=True).returncode == 0


@pytest.fixture(scope="module")
def stranger() -> tuple[str, ...]:
    """What makes an ordinary user of this one; nothing, when this is one and may not become another."""
    found = next(filter(can_start, STRANGERS), None)
    if found is None and os.geteuid() != 0:
        found = ()
    assert found is not None, "root can neither make a user namespace nor start this Python as nobody"
    return found


@pytest.fixture
def folder():
    """A folder where anybody may write."""
    with tempfile.TemporaryDirectory() as path:
        Path(path).chmod(0o777)
        yield Path(path)


@pytest.fixture
def bentpipe(stranger, folder):
    """Run the command line as an ordinary user."""

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [*stranger, sys.executable, "-c", WITHOUT_PRIVILEGES, *arguments]
        environment = {**os.environ, "HOME": str(folder)}
        done = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300
        )
        assert done.returncode == 0, done.stderr
        return done

    return run


@pytest.mark.parametrize("http", ["h1", "h1s", "h2", "h3"])
def test_an_ordinary_user_simulates_a_page_load(bentpipe, http):
    page = ("page", "--link", "geo-alshagri-flat", "--http", http, "--page", "uniform-100k")
    record = json.loads(bentpipe(*page, "--engine", "simulate", "--json").stdout)
    assert (record["engine"], record["status"], record["reasons"]) == ("simulate", "succeeded", [])


@pytest.mark.parametrize("transport", ["tcp", "quic"])
def test_an_ordinary_user_simulates_a_flow(bentpipe, transport):
    bulk = ("bulk", "--link", "geo-alshagri-flat", "--transport", transport, "--size", "1MB")
    record = json.loads(bentpipe(*bulk, "--engine", "simulate", "--json").stdout)
    assert (record["status"], record["metrics"]["payload_bytes"]) == ("succeeded", 1_000_000)


def test_an_ordinary_user_who_names_no_engine_gets_the_simulator(bentpipe):
    done = bentpipe("ping", "--link", "lan", "--engine", "auto", "--json")
    assert json.loads(done.stdout)["engine"] == "simulate"
    assert done.stderr.startswith("engine: simulate (this machine cannot emulate: ")


def test_an_ordinary_user_runs_a_scenario(bentpipe, folder):
    scenario = folder / "ordinary.toml"
    scenario.write_text(PAGE_LOADS)
    results = folder / "results"
    done = bentpipe("run", str(scenario), "--engine", "simulate", "--out", str(results), "--json")
    found = json.loads(done.stdout)
    assert (found["planned"], found["succeeded"]) == (4, 4)
    assert (results / "report.html").exists()
