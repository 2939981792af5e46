"""Names of hosts behind the link: a few files of /etc that programs see in place of the machine's.

A network namespace has addresses of its own, but the names of the machine: its /etc/hosts, and a resolver
that cannot be reached from inside.
"""

import itertools
import platform
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

_NSSWITCH = Path("/etc/nsswitch.conf")


def write_files(hosts: Mapping[str, str], *, folder: Path) -> dict[str, str]:
    """Write what resolves some hosts, and no others, into a folder.

    Parameters
    ----------
    hosts
        Addresses by name.
    folder
        Must exist for as long as programs see the files.

    Returns
    -------
    dict
        Files of the machine, by their paths, with those to be seen in their place (`EtcOverlay.shown`).
    """
    machine = _NSSWITCH.read_text() if _NSSWITCH.exists() else ""
    texts = {
        "hosts": "".join(_hosts_lines(hosts)),
        # Programs with a resolver of their own are refused at once, instead of waiting for an answer.
        "resolv.conf": "nameserver 127.0.0.1\noptions timeout:1 attempts:1\n",
        "nsswitch.conf": _by_files_alone(machine),
    }
    for name, text in texts.items():
        (folder / name).write_text(text)
    return {f"/etc/{name}": str(folder / name) for name in texts}


def _hosts_lines(hosts: Mapping[str, str]) -> Iterator[str]:
    # Programs look up the name of their own machine, and some wait when there is no answer.
    loopback = [("localhost", "127.0.0.1"), (platform.node(), "127.0.1.1")]
    for name, address in itertools.chain(loopback, hosts.items()):
        yield f"{address} {name}\n"


def _by_files_alone(nsswitch: str) -> str:
    """Return a machine's nsswitch.conf(5) with hosts looked up in /etc/hosts and nowhere else."""
    others = (line for line in nsswitch.splitlines() if not re.match(r"\s*hosts\s*:", line))
    return "\n".join([*others, "hosts: files", ""])
