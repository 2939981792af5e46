"""Browsers as clients of page loads."""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

from bentpipe.engine.process.configuration import Configuration
from bentpipe.engine.programs import third_party
from bentpipe.engine.testbed.netns import World

if TYPE_CHECKING:
    from bentpipe.engine.programs.browser.client import Browser


def opened(world: World, configuration: Configuration) -> "AbstractContextManager[Browser[Any]]":
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
    return _browser(name)(world.client, configuration).started()


def _browser(name: str) -> "type[Browser[Any]]":
    """Return a browser by the name that scenarios use (crates/run/src/programs.rs).

    Imported here, for what they are driven by, WebSockets and pictures, takes as long to import as all other
    engines together.
    """
    from bentpipe.engine.programs.browser.chromium import Chromium
    from bentpipe.engine.programs.browser.firefox import Firefox

    browsers: Mapping[str, type[Browser[Any]]] = {"chromium": Chromium, "firefox": Firefox}
    return browsers[name]
