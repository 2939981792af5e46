"""The pages of the repository as sources of the site: docs/, and the documents at the root below `project`.

Links that lead to files outside of these take the files along; notebooks become pages.
"""

import os
import re
import shutil
import subprocess
from pathlib import Path, PurePosixPath

from tools.book import notebooks

ROOT = Path(__file__).parents[2]
DOCS = PurePosixPath("docs")
PROJECT = PurePosixPath("project")
"""Where in the site the root of the repository is."""
ROOT_PAGES = ("ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md")
LINK = re.compile(r"(\]\()([^)\s#:]+)((?:#[^)\s]*)?\))")
"""A link to a path: not to an anchor of the page, and with no scheme."""
FENCE = re.compile(r"^(```.*?^```)", re.MULTILINE | re.DOTALL)
NOTEBOOK = ".ipynb"
ASSETS = Path(__file__).parent / "assets"
"""Scripts of the site: `iframe-worker` 1.0.4 (MIT), as the registry of npm has it (`shim/index.js`)."""


def stage(target: Path) -> None:
    """Write the sources of the site anew, without the generated reference."""
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(ASSETS, target / "assets")
    for source in _documents():
        place = target / site_path(source)
        place.parent.mkdir(parents=True, exist_ok=True)
        if source.suffix == ".md":
            place.write_text(_page(source, (ROOT / source).read_text(), target))
        elif source.suffix == NOTEBOOK:
            place.write_text(notebooks.page(ROOT / source))
        else:
            shutil.copy(ROOT / source, place)


def site_path(source: PurePosixPath) -> PurePosixPath:
    """Return where a file of the repository is in the site."""
    place = source.relative_to(DOCS) if source.is_relative_to(DOCS) else PROJECT / source
    return place.with_suffix(".md") if place.suffix == NOTEBOOK else place


def _documents() -> list[PurePosixPath]:
    """Return the files of the repository that are pages or belong to them, as git sees them."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z", "--", str(DOCS), *ROOT_PAGES],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    return [PurePosixPath(name) for name in listed.split("\0") if name and (ROOT / name).is_file()]


def _page(source: PurePosixPath, text: str, target: Path) -> str:
    """Return a page with the links of the repository as those of the site."""

    def moved(link: re.Match[str]) -> str:
        linked = PurePosixPath(os.path.normpath(source.parent / link[2]))
        if not (ROOT / linked).is_file():
            return link[0]
        place = site_path(linked)
        if not linked.is_relative_to(DOCS) and linked.suffix != ".md":
            (target / place).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / linked, target / place)
        relative = os.path.relpath(place, site_path(source).parent)
        return f"{link[1]}{relative}{link[3]}"

    # The parts of odd numbers are blocks of code.
    parts = FENCE.split(text)
    return "".join(part if number % 2 else LINK.sub(moved, part) for number, part in enumerate(parts))
