"""Programs of others that can be a client or a server, where they are and which version they have."""

import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass

from bentpipe.checkout import CHECKOUT
from bentpipe.errors import AbilityError

_ANSWER_WITHIN_S = 10.0
_VERSION = re.compile(r"\d+(?:\.\d+)+\w*")


@dataclass(frozen=True, kw_only=True)
class Program:
    """A program, and how to get it.

    Attributes
    ----------
    name : str
        For people.
    commands : tuple of str
        What it may be called, or its path; the first that exists counts.
    version_options : tuple of str
        What makes it print its version; empty when nothing does.
    remedy : str
        How to install it.
    purpose : str
        For what.
    """

    name: str
    commands: tuple[str, ...]
    version_options: tuple[str, ...]
    remedy: str
    purpose: str

    def path(self) -> str | None:
        """Return where it is."""
        # Servers are where the search path of ordinary users may not lead.
        return next(filter(None, (shutil.which(each, path=_search_path()) for each in self.commands)), None)

    def found(self) -> str | None:
        """Return its version and place, or the place alone where it does not tell."""
        path = self.path()
        if path is None:
            return None
        version = self.version()
        return f"{version}, {path}" if version else path

    def version(self) -> str | None:
        """Return its version; None when there is no such program, or it does not tell."""
        path = self.path()
        if path is None or not self.version_options:
            return None
        try:
            result = subprocess.run(
                [path, *self.version_options],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                check=False,
                timeout=_ANSWER_WITHIN_S,
            )
        except (OSError, subprocess.TimeoutExpired):
            return None
        # Some print it to one, some to the other.
        match = _VERSION.search(result.stdout) or _VERSION.search(result.stderr)
        return match[0] if match else None


CHROMIUM = Program(
    name="Chromium",
    commands=("chromium",),
    version_options=("--version",),
    remedy="apt-get install chromium",
    purpose="for a browser as client and in a shell",
)
FIREFOX = Program(
    name="Firefox",
    commands=("firefox-esr", "firefox"),
    version_options=("--version",),
    remedy="apt-get install firefox-esr",
    purpose="for a browser as client and in a shell",
)
CERTUTIL = Program(
    name="certutil",
    commands=("certutil",),
    version_options=(),
    remedy="apt-get install libnss3-tools",
    purpose="by which browsers trust the origin of a run",
)
NGINX = Program(
    name="nginx",
    commands=("nginx",),
    version_options=("-v",),
    remedy="apt-get install nginx-light",
    purpose="for nginx as server",
)
CADDY = Program(
    name="Caddy",
    # Where `make setup-caddy` puts it, before any other.
    commands=("caddy",) if CHECKOUT is None else (str(CHECKOUT / "build/caddy/caddy"), "caddy"),
    version_options=("version",),
    remedy=(
        "install caddy 2.11 or later (https://caddyserver.com/docs/install)"
        if CHECKOUT is None
        else "make setup-browsers (needs go 1.26 or later)"
    ),
    purpose="for Caddy as server",
)
ALL = (CHROMIUM, FIREFOX, CERTUTIL, NGINX, CADDY)

_NEEDED: Mapping[str, tuple[Program, ...]] = {
    "chromium": (CHROMIUM, CERTUTIL),
    "firefox": (FIREFOX, CERTUTIL),
    "nginx": (NGINX,),
    "caddy": (CADDY,),
}
"""By the names that scenarios have for clients and servers (crates/run/src/programs.rs)."""


def missing(*programs: Program) -> AbilityError | None:
    """Say which of some programs are not installed, and how to get them; None when all are."""
    absent = [program for program in dict.fromkeys(programs) if program.path() is None]
    if not absent:
        return None
    names = ", ".join(program.name for program in absent)
    return AbilityError(f"not installed: {names}", "; ".join(program.remedy for program in absent))


def missing_for(*ends: str) -> AbilityError | None:
    """Say what clients and servers, by the names that scenarios have for them, lack of programs."""
    return missing(*(program for end in ends for program in _NEEDED[end]))


def _search_path() -> str:
    return os.pathsep.join([os.environ.get("PATH", os.defpath), "/usr/sbin", "/sbin"])
