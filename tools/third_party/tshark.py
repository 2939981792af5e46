"""Captures as tshark, Wireshark's program of the command line, reads them."""

import subprocess
from pathlib import Path

CLIENT, SERVER = 0, 1
"""Interfaces of a capture: the ends of the link."""


class TsharkError(Exception):
    """tshark complained, or broke."""


def tshark(*arguments: str | Path) -> list[str]:
    """Return the lines that tshark prints.

    Raises
    ------
    TsharkError
        By any complaint of its own.
    """
    done = subprocess.run(["tshark", "-n", *map(str, arguments)], capture_output=True, text=True, check=False)
    # It always warns of running as root.
    complaints = [line for line in done.stderr.splitlines() if line and "Running as user" not in line]
    if done.returncode or complaints:
        raise TsharkError(f"status {done.returncode}: {'; '.join(complaints)}")
    return done.stdout.splitlines()


def dissected(folder: Path, *, show: str, end: int, field: str = "frame.number") -> list[str]:
    """Return a field of the packets at one end of the link that a display filter shows, checksums verified.

    The ends are parted first: tshark puts a TCP stream together from all copies of its segments.
    """
    packets = folder / f"end-{end}.pcapng"
    if not packets.exists():
        tshark("-r", folder / "packets.pcapng", "-Y", f"frame.interface_id == {end}", "-w", packets)
    settings = [*(f"{name}.check_checksum" for name in ("ip", "tcp", "udp")), "tcp.reassemble_out_of_order"]
    options = [word for setting in settings for word in ("-o", f"{setting}:TRUE")]
    return tshark(*options, "-r", packets, "-Y", show, "-T", "fields", "-e", field)
