"""Programs of others run as an ordinary user, without capabilities and with no way to get any.

By setpriv(1) of util-linux: groups, user, capabilities and `no_new_privs` in the order that the kernel wants.
"""

import os
import shutil
import subprocess
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from bentpipe.engine.process import user_namespace
from bentpipe.invoking_user import ROOT, User

_KEPT = ("PATH", "LANG", "LD_LIBRARY_PATH")
_OWN = "BENTPIPE_"
"""Of the environment."""

_ANSWER_WITHIN_S = 10.0


def dropped(
    command: Sequence[str], user: User, *, death_signal: str = "KILL", may_have_capabilities: bool = True
) -> list[str]:
    """Return the command that starts `command` as a user who can get no further privileges.

    Parameters
    ----------
    command
        A program and its arguments.
    user
        As whom; started by root, else it must be oneself.
    death_signal
        What it is sent when the thread ends that started it: the kernel forgets an earlier one with the
        user (prctl(2), PR_SET_PDEATHSIG).
    may_have_capabilities
        Whether programs whose files have capabilities, such as ping, start without them; else not at all.
    """
    # Its own place: the search path may lead through folders that a program does not see.
    setpriv = str(Path(shutil.which("setpriv") or "setpriv").resolve())
    last = [setpriv, "--no-new-privs", f"--pdeathsig={death_signal}", "--", *command]
    if os.geteuid() != ROOT and not user_namespace.may_administer():
        return last
    # In two steps: setpriv keeps its capabilities when it changes its user, and loses them with the next
    # program. From then on a file's capabilities are gained ones, which no_new_privs forbids. With an empty
    # bounding set the kernel refuses to start such a file (security/commoncap.c).
    return [
        setpriv,
        *(_becoming(user) if os.geteuid() == ROOT else ()),
        "--inh-caps=-all",
        "--ambient-caps=-all",
        *(() if may_have_capabilities else ("--bounding-set=-all",)),
        "--",
        *last,
    ]


def _becoming(user: User) -> tuple[str, ...]:
    groups = ",".join(map(str, user.groups()))
    return f"--reuid={user.uid}", f"--regid={user.gid}", f"--groups={groups}"


def environment(*, home: Path) -> dict[str, str]:
    """Return what a program of others is told of this process's environment.

    The rest may tell it where to find a proxy, a bus or a display, and others what it must not know.
    """
    kept = {name: value for name, value in os.environ.items() if name in _KEPT or name.startswith(_OWN)}
    return {**kept, "HOME": str(home), "TMPDIR": str(home)}


@cache
def has_user_namespaces(user: User) -> bool:
    """Whether this kernel lets a user have namespaces of their own, on which browsers build their sandbox."""
    attempt = dropped(["unshare", "--user", "--map-root-user", "--mount", "true"], user)
    try:
        ended = subprocess.run(attempt, capture_output=True, check=False, timeout=_ANSWER_WITHIN_S)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return ended.returncode == 0
