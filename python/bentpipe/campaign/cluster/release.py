"""What a worker runs: equal runs come of the same code alone, so only workers of the same release get any.

A worker offers its release to the scheduler as a resource (see `enrolment`), and a batch asks for that of its
campaign. So the scheduler itself keeps workers of another one from getting work, whenever they come.
"""

import hashlib
import platform
import re
from dataclasses import dataclass, fields
from functools import cache
from importlib.metadata import version
from pathlib import Path

import bentpipe
from bentpipe import _core

_PATTERN = re.compile(r"bentpipe (\S+) core (\S+) python (\S+) distributed (\S+)")
_DIGEST_LENGTH = 12


@dataclass(frozen=True, kw_only=True)
class Release:
    """A version of everything that a run's bytes come from, and of what carries them.

    Attributes
    ----------
    bentpipe : str
        Version of the package.
    core : str
        Beginning of the SHA-256 of the compiled core's file.
    python : str
        Major and minor version, which pickles depend on.
    distributed : str
        Version of Dask distributed, whose messages differ between versions.
    """

    bentpipe: str
    core: str
    python: str
    distributed: str

    def __str__(self) -> str:
        """Write it as the name of the resource."""
        return (
            f"bentpipe {self.bentpipe} core {self.core} python {self.python} distributed {self.distributed}"
        )

    @classmethod
    def read(cls, text: str) -> "Release | None":
        """Return the release that a resource is named for, if it is for one."""
        match = _PATTERN.fullmatch(text)
        if match is None:
            return None
        return cls(bentpipe=match[1], core=match[2], python=match[3], distributed=match[4])

    def differences(self, wanted: "Release") -> str:
        """Say in what it is not the release that is wanted: "bentpipe 0.0.9 in place of 0.2.0"."""
        pairs = ((one.name, getattr(self, one.name), getattr(wanted, one.name)) for one in fields(self))
        return ", ".join(f"{name} {has} in place of {wants}" for name, has, wants in pairs if has != wants)


@cache
def own() -> Release:
    """Return the release of this process."""
    core = hashlib.sha256(Path(_core.__file__).read_bytes()).hexdigest()
    return Release(
        bentpipe=bentpipe.__version__,
        core=core[:_DIGEST_LENGTH],
        python=".".join(platform.python_version_tuple()[:2]),
        distributed=version("distributed"),
    )
