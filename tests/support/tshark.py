"""Captures as tshark sees them."""

import shutil
import subprocess

import pytest

CLIENT, SERVER = 0, 1
"""Interfaces of a capture: the ends of the link."""

needs_tshark = pytest.mark.skipif(shutil.which("tshark") is None, reason="tshark is not installed")


def tshark(*arguments):
    """Return what tshark prints; any complaint of its own fails."""
    done = subprocess.run(["tshark", "-n", *map(str, arguments)], capture_output=True, text=True)
    # It always warns of running as root.
    complaints = [line for line in done.stderr.splitlines() if line and "Running as user" not in line]
    assert (done.returncode, complaints) == (0, [])
    return done.stdout.splitlines()


def dissected(folder, *, show, end, field="frame.number"):
    """Return a field of the packets at one end of the link that a display filter shows, checksums verified.

    The ends are parted first: tshark puts a TCP stream together from all copies of its segments.
    """
    packets = folder / f"end-{end}.pcapng"
    tshark("-r", folder / "packets.pcapng", "-Y", f"frame.interface_id == {end}", "-w", packets)
    checks = [word for name in ("ip", "tcp", "udp") for word in ("-o", f"{name}.check_checksum:TRUE")]
    return tshark(*checks, "-r", packets, "-Y", show, "-T", "fields", "-e", field)
