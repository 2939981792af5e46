"""What a UDP socket may hold, and what an ordinary user is told of it (socket(7))."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from bentpipe.engine.host import doctor, udp_buffers

ROOT = Path(__file__).parents[3]
LIMITS = [int(Path(f"/proc/sys/net/core/{name}_max").read_text()) for name in ("rmem", "wmem")]
ALLOWED = "from bentpipe.engine.host import udp_buffers; print(udp_buffers.allowed_bytes())"


def test_what_is_wanted_is_what_the_endpoints_ask_for():
    source = (ROOT / "crates/emu/src/net.rs").read_text()
    (number, shift) = re.findall(r"const UDP_BUFFER_BYTES: usize = (\d+) << (\d+);", source)[0]
    assert int(number) << int(shift) == udp_buffers.WANTED_BYTES


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may exceed the machine's limits")
@pytest.mark.parametrize("may_administer", [True, False])
def test_it_is_all_for_who_administers_the_network_and_else_the_lesser_limit(may_administer):
    prefix = [] if may_administer else ["setpriv", "--bounding-set=-net_admin", "--inh-caps=-all", "--"]
    done = subprocess.run(
        [*prefix, sys.executable, "-c", ALLOWED], capture_output=True, text=True, check=True
    )
    wanted = udp_buffers.WANTED_BYTES
    assert int(done.stdout) == (wanted if may_administer else min(wanted, *LIMITS))


def test_doctor_names_the_limits_where_they_are_less_than_what_is_wanted(monkeypatch):
    monkeypatch.setattr(udp_buffers, "allowed_bytes", lambda: 212_992)
    (check,) = (check for check in doctor.report() if check.name == "UDP buffers")
    rmem, wmem = LIMITS
    assert check.found == f"212992 bytes by net.core.rmem_max {rmem} and net.core.wmem_max {wmem}"
    assert "net.core.rmem_max=4194304 net.core.wmem_max=4194304" in check.remedy
