"""Receive packet steering: what the link hands over is received on the cores that it is not on.

The kernel's TCP of a host that receives runs where a packet is written to its TUN device, which is in the
link's process, unless the device steers packets to other cores (`rps_cpus`, `networking/scaling.rst` of the
Linux kernel documentation).
"""

import itertools
import os
import subprocess
from collections.abc import Iterable, Sequence

from bentpipe.engine.testbed.netns import DEVICE, OUT_OF_CTRL_C

_CORES_PER_WORD = 32
_numbers = itertools.count()


def steer(namespaces: Iterable[str]) -> int | None:
    """Steer packets away from one core, which is to be the link's.

    Links that run side by side have different cores.

    Parameters
    ----------
    namespaces
        Those of the devices at both ends of the link.

    Returns
    -------
    int or None
        The link's core; None where there is one core only, or steering is not allowed (it is root's).
    """
    cores = sorted(os.sched_getaffinity(0))
    own = cores[next(_numbers) % len(cores)]
    others = [core for core in cores if core != own]
    if others and all(_steer(name, others) for name in namespaces):
        return own
    return None


def mask_of(cores: Sequence[int]) -> str:
    """Write cores as the kernel reads them: hexadecimal words of 32 bits, the highest first."""
    bits = sum(1 << core for core in cores)
    words: list[str] = []
    while bits or not words:
        words.append(f"{bits & 0xFFFF_FFFF:08x}")
        bits >>= _CORES_PER_WORD
    return ",".join(reversed(words))


def _steer(namespace: str, cores: Sequence[int]) -> bool:
    # /sys shows the devices of the namespace that it was mounted in; `ip netns exec` mounts its own.
    result = subprocess.run(
        ["ip", "netns", "exec", namespace, "tee", f"/sys/class/net/{DEVICE}/queues/rx-0/rps_cpus"],
        input=mask_of(cores) + "\n",
        text=True,
        capture_output=True,
        check=False,
        process_group=OUT_OF_CTRL_C,
    )
    return result.returncode == 0
