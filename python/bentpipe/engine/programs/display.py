"""The display of the person's session, which programs in another network namespace can reach or not.

Sockets that are files lead to the display from any network namespace. Abstract sockets and TCP do not: they
belong to the namespace in which they listen.
"""

import os
import re
from collections.abc import Mapping
from pathlib import Path

from bentpipe.errors import AbilityError

X_SOCKETS = Path("/tmp/.X11-unix")

_LOCAL = re.compile(r"(?:unix)?:(?P<number>\d+)(?:\.\d+)?")
_KEPT = "DISPLAY,XAUTHORITY,WAYLAND_DISPLAY,XDG_RUNTIME_DIR"
_REMEDY = (
    "start it from a desktop session, with sudo as `sudo --preserve-env=" + _KEPT + "`; "
    "or under an X server without a screen, Xvfb; or give the browser --headless"
)


def obstacle(environment: Mapping[str, str]) -> AbilityError | None:
    """Say why no window can be opened; None when one can.

    Parameters
    ----------
    environment
        Variables of the program that is to open it.
    """
    wayland = environment.get("WAYLAND_DISPLAY", "")
    if wayland and Path(environment.get("XDG_RUNTIME_DIR", ""), wayland).is_socket():
        return None
    display = environment.get("DISPLAY", "")
    if not display:
        if wayland:
            return AbilityError(f"no Wayland display: there is no socket {wayland}", _REMEDY)
        return AbilityError("no display: neither DISPLAY nor WAYLAND_DISPLAY is set", _REMEDY)
    match = _LOCAL.fullmatch(display)
    if match is None:
        return AbilityError(
            f"no display: {display} is reached by TCP, which from behind the link leads nowhere", _REMEDY
        )
    socket = X_SOCKETS / f"X{match['number']}"
    if not socket.is_socket():
        return AbilityError(f"no display: {display} has no socket {socket}", _REMEDY)
    return None


def sockets(environment: Mapping[str, str]) -> list[Path]:
    """Return the files, and folders of files, by which a program reaches a display."""
    runtime, wayland = environment.get("XDG_RUNTIME_DIR", ""), environment.get("WAYLAND_DISPLAY", "")
    return [X_SOCKETS, Path(runtime, wayland)] if runtime and wayland else [X_SOCKETS]


def authority(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variable by which X programs find the cookie, wherever their home is."""
    if "XAUTHORITY" in environment:
        return {}
    user = environment.get("SUDO_USER")
    homes = filter(None, (environment.get("HOME"), f"~{user}" if user else None))
    files = (os.path.expanduser(f"{home}/.Xauthority") for home in homes)  # noqa: PTH111, see below
    # Not by Path, which raises errors of homes that are closed to root and of users that there are not.
    return next(({"XAUTHORITY": file} for file in files if os.path.isfile(file)), {})  # noqa: PTH113
