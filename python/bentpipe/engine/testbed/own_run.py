"""A /run of an ordinary user's own: `ip netns` keeps the names of namespaces below it, and root owns it.

It is memory in a mount namespace, in which all that the machine has there is seen in its place.
"""

import os
import stat
import threading
from contextlib import ExitStack, suppress
from pathlib import Path

from bentpipe.engine.process import user_namespace
from bentpipe.engine.process.user_namespace import RUN_NETNS
from bentpipe.engine.testbed.etc_overlay import Kernel
from bentpipe.errors import AbilityError

RUN = RUN_NETNS.parent
_MODE = 0o755
_making = threading.Lock()


def prepare() -> None:
    """Have names of namespaces where this process may write them.

    In mounts of its own /run is covered, once, whoever it is; in no other case is anything mounted.

    Raises
    ------
    AbilityError
        When it may not have names here.
    """
    with _making:
        if os.access(RUN_NETNS, os.W_OK):
            return
        if user_namespace.is_own():
            try:
                _cover(Kernel())
            except OSError as error:
                raise _unnamed(str(error)) from None
        elif not user_namespace.may_name():
            raise _unnamed(f"{RUN_NETNS} is not for user {os.geteuid()}")


def _unnamed(why: str) -> AbilityError:
    remedy = f"start it by `{' '.join(user_namespace.COMMAND)}`, or run as root"
    return AbilityError(f"namespaces can have no names: {why}", remedy)


def _cover(kernel: Kernel) -> None:
    with ExitStack() as stack:
        links, others = _contents(stack)
        kernel.mount(Path("bentpipe"), RUN, kind="tmpfs", options=f"mode={_MODE:04o}")
        try:
            for path, target in links.items():
                path.symlink_to(target)
            for path, descriptor in others.items():
                is_folder = stat.S_ISDIR(os.fstat(descriptor).st_mode)
                path.mkdir(_MODE) if is_folder else path.touch()
                # Mounts of the machine stay together in a namespace with fewer rights (mount_namespaces(7)).
                with suppress(FileNotFoundError):
                    kernel.bind_all(Path(f"/proc/self/fd/{descriptor}"), path)
            RUN_NETNS.mkdir(_MODE)
        except BaseException:
            kernel.unmount(RUN)
            raise


def _contents(stack: ExitStack) -> tuple[dict[Path, Path], dict[Path, int]]:
    """Return what is in /run: links and where they lead, and all else as open descriptors.

    Open, they are reached when what lies over them hides their paths. What goes while it is looked at, as
    locks and sockets of services do, is not there.
    """
    links: dict[Path, Path] = {}
    others: dict[Path, int] = {}
    for path in sorted(path for path in RUN.iterdir() if path != RUN_NETNS):
        with suppress(FileNotFoundError):
            if path.is_symlink():
                links[path] = path.readlink()
                continue
            others[path] = os.open(path, os.O_PATH | os.O_NOFOLLOW)
            stack.callback(os.close, others[path])
    return links, others
