"""Browsers as clients of page loads."""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Any

from bentpipe.engine.browser import firefox
from bentpipe.engine.netns import World


def opened(world: World, configuration: Mapping[str, Any]) -> AbstractContextManager[Any]:
    """Start the browser of a run; see `web_ends.ClientOpener`."""
    return {"firefox": firefox.opened}[configuration["spec"]["client"]](world, configuration)
