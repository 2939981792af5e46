"""Where a record comes from."""

import os
import platform
import sys
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from bentpipe import __version__
from bentpipe.printable import printable


def of_virtual_time() -> dict[str, str]:
    """The version, for machine, load and hour make no difference. Virtual time starts at the Unix epoch."""
    return {"bentpipe": __version__, "started": datetime.fromtimestamp(0, UTC).isoformat()}


def of_this_host() -> dict[str, str]:
    """Versions, kernel, processor and load of this machine now; all values are text."""
    return {
        **_constant(),
        "started": datetime.now(UTC).isoformat(),
        "load_average_1min": f"{os.getloadavg()[0]:.2f}",
    }


@cache
def _constant() -> dict[str, str]:
    return {
        "bentpipe": __version__,
        "python": platform.python_version(),
        "kernel": platform.release(),
        "machine": platform.machine(),
        "processor": _processor(),
        "cores": str(len(os.sched_getaffinity(0))),
        "host": platform.node(),
        # Of a name that is no UTF-8, Python has characters that JSON cannot have.
        "command": printable(" ".join([Path(sys.argv[0]).name, *sys.argv[1:]])),
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.processor())
