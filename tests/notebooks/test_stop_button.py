"""A kernel's stop button while runs are measured."""

import os

import pytest
from jupyter_client.manager import KernelManager

from tools.notebooks import KERNEL

PATIENCE_S = 120
MEASURE = """
import bentpipe
results = bentpipe.run(link="lan", page="single-2m", http="h1", repetitions=1000)
"""
"""Many times longer than it takes to stop it."""


@pytest.fixture
def kernel(tmp_path):
    manager = KernelManager(
        kernel_name=KERNEL,
        connection_file=str(tmp_path / "kernel.json"),
        transport="ipc",
        ip=str(tmp_path / "kernel"),
    )
    manager.start_kernel(cwd=str(tmp_path), env={**os.environ, "IPYTHONDIR": str(tmp_path / "ipython")})
    yield manager
    manager.shutdown_kernel(now=True)


def test_what_is_done_is_kept_and_the_cell_says_that_it_was_stopped(kernel, tmp_path):
    client = kernel.blocking_client()
    client.start_channels()
    client.wait_for_ready(timeout=PATIENCE_S)
    client.execute(MEASURE)
    shown, error = [], None
    while error is None:
        message = client.get_iopub_msg(timeout=PATIENCE_S)
        content = message["content"]
        if message["msg_type"] == "error":
            error = content
        elif message["msg_type"] == "update_display_data":
            shown.append(content["data"]["text/plain"])
            # The second says that at least one run has ended.
            if len(shown) == 2:
                kernel.interrupt_kernel()
    client.stop_channels()
    assert error["ename"] == "KeyboardInterrupt"
    assert "the same call goes on from here" in error["evalue"]
    assert shown[-1].startswith("1000 planned = ")
    (folder,) = (tmp_path / "results").iterdir()
    assert (folder / "ledger.sqlite").exists()
