"""Browsers as clients of page loads."""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Any

from bentpipe.engine import programs
from bentpipe.engine.browser.chromium import Chromium
from bentpipe.engine.browser.client import Browser
from bentpipe.engine.browser.firefox import Firefox
from bentpipe.engine.netns import World

_BROWSERS: Mapping[str, type[Browser[Any]]] = {"chromium": Chromium, "firefox": Firefox}
"""By the names that scenarios use (crates/run/src/programs.rs)."""


def opened(world: World, configuration: Mapping[str, Any]) -> AbstractContextManager[Browser[Any]]:
    """Start the browser of a run; see `web_ends.ClientOpener`.

    Raises
    ------
    AbilityError
        When it is not installed.
    """
    name = configuration["spec"]["client"]
    if (lack := programs.missing_for(name)) is not None:
        raise lack
    return _BROWSERS[name](world.client, configuration).started()
