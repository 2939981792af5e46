"""Which direction of its link a run's data take: the server is behind the gateway, or behind the terminal."""

from typing import Literal, TypeAlias

from bentpipe.model.link import DirectionSpec
from bentpipe.model.spec import RunSpec

Name: TypeAlias = Literal["forward", "return"]
"""A direction of a link, as the columns of its series begin."""


def down(spec: RunSpec) -> Name:
    """Return the direction from server to client."""
    return "forward" if spec.server_behind is None else "return"


def up(spec: RunSpec) -> Name:
    """Return the direction from client to server."""
    return "return" if spec.server_behind is None else "forward"


def direction(spec: RunSpec, name: Name) -> DirectionSpec:
    """Return the settings of a direction."""
    return spec.link.forward if name == "forward" else spec.link.return_
