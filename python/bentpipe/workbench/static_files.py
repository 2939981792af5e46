"""The files of the page, each under the one path by which it is asked for."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import PurePosixPath

_NAMES = (
    "index.html",
    "workbench.css",
    "icon.svg",
    "main.js",
    "server.js",
    "elements.js",
    "choice.js",
    "results.js",
    "appearance.js",
    "charts.js",
    "campaign.js",
    "vendor/uPlot.iife.min.js",
    "vendor/uPlot.min.css",
)
_KINDS = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
_FIRST = "index.html"


@dataclass(frozen=True, kw_only=True)
class File:
    """What is sent, and its media type."""

    content: bytes
    kind: str


def static_files() -> Mapping[str, File]:
    """Return every file of the page by its path in an address."""
    package = files("bentpipe.workbench").joinpath("static")
    found = {
        f"/{name}": File(content=package.joinpath(name).read_bytes(), kind=_KINDS[PurePosixPath(name).suffix])
        for name in _NAMES
    }
    return {"/": found.pop(f"/{_FIRST}"), **found}
