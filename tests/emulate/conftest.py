import os
import signal
import subprocess
import sys
import uuid
from pathlib import Path

import pytest

from bentpipe.engine import emulate
from tests.emulate import traces

HERE = Path(__file__).parent
HOST_NAMESPACE = Path("/proc/thread-self/ns/net")


def pytest_collection_modifyitems(items):
    missing = [str(error) for error in emulate.missing()]
    for item in items:
        if HERE in item.path.parents and item.get_closest_marker("ordinary_user") is None:
            item.add_marker(pytest.mark.root)
            if missing:
                item.add_marker(pytest.mark.skip(reason=f"this machine cannot emulate: {'; '.join(missing)}"))


@pytest.fixture(scope="session")
def mark():
    """The mark of all processes that these tests start."""
    value = uuid.uuid4().hex
    os.environ[traces.MARK] = value
    yield value
    del os.environ[traces.MARK]


@pytest.fixture(autouse=True)
def nothing_is_left(mark):
    """Every test leaves the machine as it found it: no namespace, no process, no TUN device."""
    before = set(traces.namespaces())
    home = HOST_NAMESPACE.readlink()
    yield
    assert traces.becomes_true(lambda: not traces.processes(mark), within_s=3), traces.processes(mark)
    assert set(traces.namespaces()) - before == set()
    assert not Path("/sys/class/net/bp0").exists()
    assert HOST_NAMESPACE.readlink() == home


@pytest.fixture
def command():
    """Starts the command line in a process group of its own and heeding Ctrl-C, as an interactive shell does.

    What a script starts in the background ignores SIGINT, and so do all of its children.
    """

    def heed_ctrl_c():
        signal.signal(signal.SIGINT, signal.default_int_handler)

    def start(*arguments, prefix=(), **settings):
        program = [*prefix, sys.executable, "-m", "bentpipe.cli", *map(str, arguments)]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        return subprocess.Popen(program, process_group=0, preexec_fn=heed_ctrl_c, **pipes, **settings)

    return start


@pytest.fixture
def bentpipe(command):
    """Runs the command line to its end and returns (status, stdout, stderr)."""

    def run(*arguments, timeout_s=60, **settings):
        process = command(*arguments, **settings)
        out, errors = process.communicate(timeout=timeout_s)
        return process.returncode, out, errors

    return run
