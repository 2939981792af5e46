"""Hosts and paths of recorded URLs as ones that any server and any file system takes."""

import ipaddress
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath
from urllib.parse import unquote

LONGEST_NAME = 80
"""Characters of a path's segment; file systems take 255 bytes."""
LONGEST_PATH = 200
"""The last characters of a longer path are kept, for they tell files apart."""
LONGEST_LABEL, LONGEST_HOST = 63, 253
"""Characters of a host's name (RFC 1035 section 2.3.4)."""
LONGEST_URL = 65_534
"""Bytes of a URL that can be asked for: those of the `http` crate's Uri (crates/web/src/page/resolve.rs)."""
LONGEST_AUTHORITY = 1024
"""Characters of a host with user, password and port, four times the name's, that are looked at at all: to
compose letters beyond ASCII (NFKC, punycode) takes time as the square of their number."""
RESERVED = "example"
"""A top-level domain that is nobody's (RFC 2606)."""

EXTENSIONS = {
    "image": (".jpg", ".jpeg", ".png", ".gif", ".webp", ".avif", ".ico"),
    "script": (".js", ".mjs"),
    "style": (".css",),
    "font": (".woff2", ".woff", ".ttf", ".otf"),
    "other": (".bin", ".json", ".txt", ".xml", ".html", ".htm", ".mp4", ".webm", ".mp3", ".wasm"),
}
"""By kind: what any server tells the kind of a file by. The first is what others get."""

_DROPPED = str.maketrans("", "", "\t\n\r")
"""What parsers of URLs pass over wherever it stands (URL Standard, section 4.4)."""
_AUTHORITY = re.compile(r"[\x00- ]*+(?:[A-Za-z][A-Za-z0-9+.-]*+:)?//([^/?#]*+)")


def authority(url: str) -> str:
    """Return host, user and port of a URL as they stand there; nothing where it has none.

    This is the authority of RFC 3986, section 3.2. Unlike `urllib.parse` it takes time as the length of the
    URL, whatever is in it.
    """
    found = _AUTHORITY.match(url.translate(_DROPPED))
    return "" if found is None else found[1]


def host_name(text: str) -> str:
    """Return a host as a name of letters, digits and dashes.

    Addresses, names of one label and `localhost`, which browsers treat by rules of their own, become names
    below `.example`.
    """
    try:
        number = ipaddress.ip_address(text)
    except ValueError:
        labels = [_label(label) for label in _ascii(text).lower().split(".")]
        labels = [label for label in labels if label]
    else:
        labels = [_label("ip-" + re.sub(r"[.:%]+", "-", str(number)))]
    if len(labels) < 2 or labels[-1] == "localhost" or labels[-1].isdigit():
        labels = [*(labels or ["host"]), RESERVED]
    return ".".join(_last(labels, LONGEST_HOST))


def file_paths(wanted: Iterable[tuple[str, str, str]]) -> list[str]:
    """Return paths that differ on each host, none of which is a folder of another.

    Parameters
    ----------
    wanted : iterable of (str, str, str)
        Host, path of the URL and kind of each object. Queries are not part of a path: a file has none.
    """
    cleaned = [(host, _path(path, kind)) for host, path, kind in wanted]
    taken = {(host, str(folder)) for host, path in cleaned for folder in PurePosixPath(path).parents}
    numbers: Counter[tuple[str, str]] = Counter()
    paths = []
    for host, path in cleaned:
        candidate = path
        stem, dot, extension = path.rpartition(".")
        while (host, candidate) in taken:
            # Where the last of the same name stopped; the first other one is number 2.
            numbers[host, path] += 1
            candidate = f"{stem}-{numbers[host, path] + 1}{dot}{extension}"
        taken.add((host, candidate))
        paths.append(candidate)
    return paths


def _last(parts: Sequence[str], most: int) -> Sequence[str]:
    """Return as many of the last parts as have `most` characters together, with one between each two."""
    room = most + 1
    for position in range(len(parts) - 1, -1, -1):
        room -= len(parts[position]) + 1
        if room < 0:
            return parts[position + 1 :]
    return parts


def _ascii(text: str) -> str:
    if len(text) > LONGEST_AUTHORITY:
        return text
    try:
        return text.encode("idna").decode("ascii")
    except UnicodeError:
        return text


def _label(text: str) -> str:
    return re.sub(r"[^a-z0-9-]+", "-", text)[:LONGEST_LABEL].strip("-")


def _path(text: str, kind: str) -> str:
    segments = [
        re.sub(r"[^A-Za-z0-9._~-]+", "-", segment)[-LONGEST_NAME:]
        for segment in unquote(text, errors="replace").split("/")
        if segment.strip(".")
    ]
    if not segments or text.endswith("/"):
        segments.append("index")
    if not segments[-1].lower().endswith(EXTENSIONS[kind]):
        segments[-1] += EXTENSIONS[kind][0]
    return "/" + "/".join(_last(segments, LONGEST_PATH))
