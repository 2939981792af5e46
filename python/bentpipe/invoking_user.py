"""The person who asked: under sudo not root, to whom what is made belongs and as whom programs run.

sudo(8) names the invoking user in `SUDO_UID` and `SUDO_GID`. They are believed under root alone, who may set
them to anything anyway.
"""

import os
import pwd
import stat
from dataclasses import dataclass
from pathlib import Path

ROOT = 0
NOBODY = "nobody"
OVERFLOW_ID = 65_534
"""Of nobody where there is no such account, as the kernel has it (user_namespaces(7))."""


@dataclass(frozen=True, kw_only=True)
class User:
    """An account of this machine.

    Attributes
    ----------
    uid, gid : int
        The user and their primary group.
    name : str
        The login name; the number as text for an account that is not in the password database.
    home : Path
        Their home; `/` for an account that is not in the password database.
    """

    uid: int
    gid: int
    name: str
    home: Path

    def groups(self) -> list[int]:
        """Return all groups of the user (getgrouplist(3))."""
        return os.getgrouplist(self.name, self.gid)


def invoking() -> User | None:
    """Return who called sudo; None when this process is not root's, or root's own."""
    uid, gid = os.environ.get("SUDO_UID", ""), os.environ.get("SUDO_GID", "")
    if os.geteuid() != ROOT or not (uid.isdecimal() and gid.isdecimal()) or int(uid) == ROOT:
        return None
    return _of(int(uid), int(gid))


def unprivileged() -> User:
    """Return as whom programs of others run: the invoking user, under root alone `nobody`, else oneself."""
    if os.geteuid() != ROOT:
        return _of(os.geteuid(), os.getegid())
    found = invoking()
    if found is not None:
        return found
    try:
        entry = pwd.getpwnam(NOBODY)
    except KeyError:
        return User(uid=OVERFLOW_ID, gid=OVERFLOW_ID, name=NOBODY, home=Path("/"))
    return _of(entry.pw_uid, entry.pw_gid)


def give(target: int | Path) -> None:
    """Give a file or folder, by descriptor or path, to the invoking user; links are not followed.

    Nothing happens when there is no such user.
    """
    user = invoking()
    if user is None:
        return
    if isinstance(target, int):
        os.fchown(target, user.uid, user.gid)
    else:
        os.chown(target, user.uid, user.gid, follow_symlinks=False)


def give_all(folder: Path) -> None:
    """Give a folder and all that is in it to the invoking user; links are given, not followed."""
    user = invoking()
    if user is not None:
        hand_over(folder, user)


def hand_over(path: Path, user: User) -> None:
    """Give a file, or a folder with all that is in it, to a user, where this process is root.

    Links are given, not followed; what is mounted from elsewhere stays whose it is.
    """
    if os.geteuid() != ROOT:
        return
    status = path.lstat()
    # The folder itself last: until then nobody else can put a link in the place of something in it.
    for place, folders, files in os.walk(path, topdown=False) if stat.S_ISDIR(status.st_mode) else ():
        for one in (Path(place, name) for name in (*folders, *files)):
            if one.lstat().st_dev == status.st_dev:
                os.chown(one, user.uid, user.gid, follow_symlinks=False)
    os.chown(path, user.uid, user.gid, follow_symlinks=False)


def _of(uid: int, gid: int) -> User:
    try:
        entry = pwd.getpwuid(uid)
    except KeyError:
        return User(uid=uid, gid=gid, name=str(uid), home=Path("/"))
    return User(uid=uid, gid=gid, name=entry.pw_name, home=Path(entry.pw_dir))
