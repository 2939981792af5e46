"""Names of hosts behind the link: a few files of /etc that programs see in place of the machine's.

A network namespace has addresses of its own, but the names of the machine: its /etc/hosts, and a resolver
that cannot be reached from inside. Programs started through a `View` see files written for the world, in a
mount namespace of their own, which ends with them; nothing of the machine is changed for anybody else.
"""

import itertools
import platform
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from bentpipe.engine import enter_view

_NSSWITCH = Path("/etc/nsswitch.conf")


@dataclass(frozen=True, kw_only=True)
class View:
    """The files in a folder, which programs see in place of those of the same names in /etc."""

    folder: Path

    @classmethod
    def of(cls, hosts: Mapping[str, str], *, folder: Path) -> Self:
        """Write what resolves these hosts, and no others, into an empty folder.

        Parameters
        ----------
        hosts
            Addresses by name.
        folder
            Must exist for as long as programs see it.
        """
        (folder / "hosts").write_text("".join(_hosts_lines(hosts)))
        # Programs with a resolver of their own are refused at once, instead of waiting for an answer.
        (folder / "resolv.conf").write_text("nameserver 127.0.0.1\noptions timeout:1 attempts:1\n")
        machine = _NSSWITCH.read_text() if _NSSWITCH.exists() else ""
        (folder / "nsswitch.conf").write_text(_by_files_alone(machine))
        return cls(folder=folder)

    def command(self, command: Sequence[str]) -> list[str]:
        """Return the command that starts `command` seeing these files. Starting it needs root.

        When there is no such program it says so and ends with the status that shells give.
        """
        return [sys.executable, "-I", enter_view.__file__, str(self.folder), *command]


def _hosts_lines(hosts: Mapping[str, str]) -> Iterator[str]:
    # Programs look up the name of their own machine, and some wait when there is no answer.
    loopback = [("localhost", "127.0.0.1"), (platform.node(), "127.0.1.1")]
    for name, address in itertools.chain(loopback, hosts.items()):
        yield f"{address} {name}\n"


def _by_files_alone(nsswitch: str) -> str:
    """Return a machine's nsswitch.conf(5) with hosts looked up in /etc/hosts and nowhere else."""
    others = (line for line in nsswitch.splitlines() if not re.match(r"\s*hosts\s*:", line))
    return "\n".join([*others, "hosts: files", ""])
