"""A browser's trust in the run's own authorities: an NSS database, which Chromium and Firefox both read."""

import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path

from bentpipe.engine.browser.process import HOME, Process
from bentpipe.errors import AbilityError

COMMAND = "certutil"
PACKAGE = "libnss3-tools"

_AUTHORITY = "C,,"
"""Trusted to vouch for servers, and for nothing else (certutil(1), -t)."""


def missing() -> AbilityError | None:
    """Say that the tool for certificate databases is not there."""
    if shutil.which(COMMAND) is not None:
        return None
    return AbilityError(f"the command `{COMMAND}` is missing", f"install the Debian package {PACKAGE}")


def install(process: Process, folder: Path, authorities: Iterable[Sequence[int]]) -> None:
    """Have a browser that has not started yet trust some authorities.

    Parameters
    ----------
    process
        The browser.
    folder
        Where it looks for its database: `.pki/nssdb` in Chromium's home, the profile of Firefox.
    authorities
        Their certificates (DER).

    Raises
    ------
    PartError
        When the database cannot be made.
    """
    database = f"sql:{HOME / folder}"
    process.run(["mkdir", "--parents", str(HOME / folder)])
    process.run([COMMAND, "-N", "-d", database, "--empty-password"])
    for number, certificate in enumerate(authorities):
        name = f"Bentpipe {number}"
        process.run([COMMAND, "-A", "-d", database, "-n", name, "-t", _AUTHORITY], bytes(certificate))
