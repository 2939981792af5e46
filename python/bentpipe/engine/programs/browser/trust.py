"""A browser's trust in the run's own authority: an NSS database, which Chromium and Firefox both read."""

from collections.abc import Callable, Sequence
from pathlib import Path

_AUTHORITY = "C,,"
"""Trusted to vouch for servers, and for nothing else (certutil(1), -t)."""

Run = Callable[[Sequence[str], bytes], None]
"""Runs a command with a standard input; raises an error of its own when it fails."""


def install(run: Run, database: Path, authority: bytes) -> None:
    """Have a browser that has not started yet trust an authority.

    Parameters
    ----------
    run
        What runs commands where `database` is.
    database
        Where the browser looks for it: `.pki/nssdb` in Chromium's home, the profile of Firefox.
    authority
        Its certificate (DER or PEM).
    """
    certutil = ["certutil", "-d", f"sql:{database}"]
    run(["mkdir", "--parents", str(database)], b"")
    run([*certutil, "-N", "--empty-password"], b"")
    run([*certutil, "-A", "-n", "Bentpipe", "-t", _AUTHORITY], authority)
