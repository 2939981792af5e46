"""What the tidy rules look at."""

import subprocess
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]


def files(*suffixes: str) -> list[Path]:
    """Return the project's files with one of the suffixes (all without any), as git sees them."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    paths = (ROOT / name for name in listed.split("\0") if name)
    return sorted(path for path in paths if path.is_file() and (not suffixes or path.suffix in suffixes))


def documents() -> list[Path]:
    """Return the pages at the root and below docs/."""
    return [path for path in files(".md") if path.parent == ROOT or ROOT / "docs" in path.parents]


def toml(path: str | Path) -> dict[str, Any]:
    """Return a TOML file of the project."""
    return tomllib.loads((ROOT / path).read_text())


def relative(paths: list[Path]) -> list[str]:
    """Name files as the project does, for messages."""
    return [str(path.relative_to(ROOT)) for path in paths]
