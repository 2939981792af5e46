"""A /run of an ordinary user's own: `ip netns` keeps the names of namespaces below it, and root owns it.

It is memory in a mount namespace, in which all that the machine has there is seen in its place.
"""

import os
import threading
from pathlib import Path

from bentpipe.engine.process import user_namespace
from bentpipe.engine.testbed.etc_overlay import Kernel
from bentpipe.errors import AbilityError

RUN = Path("/run")
RUN_NETNS = RUN / "netns"
"""Where iproute2 keeps named namespaces."""

_MODE = 0o755
_making = threading.Lock()


def prepare() -> None:
    """Have names of namespaces where this process may write; nothing happens for root, or a second time.

    Raises
    ------
    AbilityError
        When the mounts that it sees are not its own.
    """
    with _making:
        if not user_namespace.is_own() or os.access(RUN_NETNS, os.W_OK):
            return
        try:
            _cover(Kernel())
        except OSError as error:
            remedy = f"start it by `{' '.join(user_namespace.COMMAND)}`, or run as root"
            raise AbilityError(f"namespaces can have no names: {error}", remedy) from None


def _cover(kernel: Kernel) -> None:
    names = sorted(path for path in RUN.iterdir() if path != RUN_NETNS)
    links = {path: path.readlink() for path in names if path.is_symlink()}
    # Open, they are reached when what lies over them hides their paths.
    others = {path: os.open(path, os.O_PATH) for path in names if path not in links}
    folders = {path for path in others if path.is_dir()}
    try:
        kernel.mount(Path("bentpipe"), RUN, kind="tmpfs", options=f"mode={_MODE:04o}")
        for path, target in links.items():
            path.symlink_to(target)
        for path, descriptor in others.items():
            path.mkdir(_MODE) if path in folders else path.touch()
            # Mounts of the machine stay together in a namespace with fewer rights (mount_namespaces(7)).
            kernel.bind_all(Path(f"/proc/self/fd/{descriptor}"), path)
        RUN_NETNS.mkdir(_MODE)
    finally:
        for descriptor in others.values():
            os.close(descriptor)
