"""What a UDP socket may hold, and what an ordinary user is told of it (socket(7))."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from bentpipe.engine.host import doctor, udp_buffers

ALLOWED = "from bentpipe.engine.host import udp_buffers; print(udp_buffers.allowed_bytes())"


@pytest.fixture
def limits():
    """What the machine allows to receive and to send; other network namespaces did not always show it."""
    try:
        return [int(Path(f"/proc/sys/net/core/{name}_max").read_text()) for name in ("rmem", "wmem")]
    except OSError as error:
        pytest.skip(f"out of sight here: {error}")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may exceed the machine's limits")
@pytest.mark.parametrize("may_administer", [True, False])
def test_it_is_all_for_who_administers_the_network_and_else_the_lesser_limit(may_administer, limits):
    prefix = [] if may_administer else ["setpriv", "--bounding-set=-net_admin", "--inh-caps=-all", "--"]
    done = subprocess.run(
        [*prefix, sys.executable, "-c", ALLOWED], capture_output=True, text=True, check=True
    )
    wanted = udp_buffers.WANTED_BYTES
    assert int(done.stdout) == (wanted if may_administer else min(wanted, *limits))


def test_doctor_names_the_limits_where_they_are_less_than_what_is_wanted(monkeypatch, limits):
    monkeypatch.setattr(udp_buffers, "allowed_bytes", lambda: 212_992)
    (check,) = (check for check in doctor.report() if check.name == "UDP buffers")
    rmem, wmem = limits
    assert check.found == f"212992 bytes by net.core.rmem_max {rmem} and net.core.wmem_max {wmem}"
    assert "net.core.rmem_max=4194304 net.core.wmem_max=4194304" in check.remedy
