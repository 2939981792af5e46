"""Browsers as clients of page loads."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import Any

from bentpipe.engine.browser import chromium, firefox
from bentpipe.engine.netns import World

PROGRAMS = {"chromium": chromium, "firefox": firefox}
"""By the names that scenarios use (crates/run/src/programs.rs)."""

_OPENERS: Mapping[str, Callable[[World, Mapping[str, Any]], AbstractContextManager[Any]]] = {
    "chromium": chromium.opened,
    "firefox": firefox.opened,
}


def opened(world: World, configuration: Mapping[str, Any]) -> AbstractContextManager[Any]:
    """Start the browser of a run; see `web_ends.ClientOpener`."""
    return _OPENERS[configuration["spec"]["client"]](world, configuration)
