"""Browsers as clients of page loads."""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Any

from bentpipe.engine.process.configuration import Configuration
from bentpipe.engine.programs import third_party
from bentpipe.engine.programs.browser.chromium import Chromium
from bentpipe.engine.programs.browser.client import Browser
from bentpipe.engine.programs.browser.firefox import Firefox
from bentpipe.engine.testbed.netns import World

_BROWSERS: Mapping[str, type[Browser[Any]]] = {"chromium": Chromium, "firefox": Firefox}
"""By the names that scenarios use (crates/run/src/programs.rs)."""


def opened(world: World, configuration: Configuration) -> AbstractContextManager[Browser[Any]]:
    """Start the browser of a run; see `web_endpoints.ClientOpener`.

    Raises
    ------
    AbilityError
        When it is not installed.
    """
    name = configuration.spec.client
    assert name is not None
    if (lack := third_party.missing_for(name)) is not None:
        raise lack
    return _BROWSERS[name](world.client, configuration).started()
