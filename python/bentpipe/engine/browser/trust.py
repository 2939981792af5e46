"""A browser's trust in the run's own authority: an NSS database, which Chromium and Firefox both read."""

import shutil
from collections.abc import Sequence
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


def install(process: Process, folder: Path, authority: Sequence[int]) -> None:
    """Have a browser that has not started yet trust an authority.

    Parameters
    ----------
    process
        The browser.
    folder
        Where it looks for its database: `.pki/nssdb` in Chromium's home, the profile of Firefox.
    authority
        Its certificate (DER).

    Raises
    ------
    PartError
        When the database cannot be made.
    """
    database = f"sql:{HOME / folder}"
    process.run(["mkdir", "--parents", str(HOME / folder)])
    process.run([COMMAND, "-N", "-d", database, "--empty-password"])
    process.run([COMMAND, "-A", "-d", database, "-n", "Bentpipe", "-t", _AUTHORITY], bytes(authority))
