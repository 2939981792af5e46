"""Writes the licences of all that is compiled into the wheel's module: most ask for their text beside a copy.

Needs nothing but Python and cargo: `python -m tools.notices TARGET FILE`.
"""

import json
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[1]
MODULE = "bentpipe-py"
_TEXT = re.compile(r"(licen[cs]e|copying|copyright|notice|unlicense)", re.IGNORECASE)
_WITHIN = {
    "libbpf-sys": {
        "libbpf": ("BSD-2-Clause", ("libbpf/LICENSE.BSD-2-Clause",)),
        "libelf of elfutils": ("LGPL-3.0-or-later", ("elfutils/COPYING-LGPLV3", "elfutils/COPYING")),
        "zlib": ("Zlib", ("zlib/LICENSE",)),
    }
}
"""Libraries in C that a crate brings along, with the licence that they are used under and its texts."""


_HEAD = (
    "What is compiled into bentpipe/_core beside Bentpipe itself and the standard library of Rust "
    "(MIT OR Apache-2.0)."
)


class Part(NamedTuple):
    """What is in the module and by somebody else: name with version, licence, and files of its text."""

    name: str
    licence: str
    texts: tuple[Path, ...]


def main(target: str, file: Path) -> None:
    """Write the notices of a module for a target."""
    parts = sorted(set(_parts(_metadata(target))))
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(document(parts))


def document(parts: list[Part]) -> str:
    """Return a list of the parts, then each text once, below the names of those that it belongs to."""
    names = "\n".join(f"{part.name}: {part.licence}" for part in parts)
    texts: dict[str, str] = {}
    owners: dict[str, list[str]] = defaultdict(list)
    for part in parts:
        for text in (path.read_text(errors="replace").strip() for path in part.texts):
            words = " ".join(text.split())
            texts.setdefault(words, text)
            owners[words].append(part.name)
    rule = "=" * 80
    bodies = (f"{rule}\n{', '.join(owners[words])}\n{rule}\n\n{text}\n" for words, text in texts.items())
    return f"{_HEAD}\n\n{names}\n\n" + "\n".join(bodies)


def _metadata(target: str) -> dict[str, Any]:
    command = ["cargo", "metadata", "--format-version=1", "--locked", f"--filter-platform={target}"]
    command += ["--manifest-path=crates/py/Cargo.toml", "--features=portable"]
    said = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout
    found: dict[str, Any] = json.loads(said)
    return found


def _parts(metadata: dict[str, Any]) -> Iterator[Part]:
    packages = {package["id"]: package for package in metadata["packages"]}
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    waiting = [each for each in metadata["workspace_members"] if packages[each]["name"] == MODULE]
    seen = set(waiting)
    while waiting:
        package = packages[waiting.pop()]
        if package["id"] not in metadata["workspace_members"]:
            yield from _of(package)
        for dependency in nodes[package["id"]]["deps"]:
            is_linked = any(kind["kind"] is None for kind in dependency["dep_kinds"])
            # Macros run in the compiler.
            is_macro = any("proc-macro" in each["kind"] for each in packages[dependency["pkg"]]["targets"])
            if is_linked and not is_macro and dependency["pkg"] not in seen:
                seen.add(dependency["pkg"])
                waiting.append(dependency["pkg"])


def _of(package: dict[str, Any]) -> Iterator[Part]:
    folder = Path(package["manifest_path"]).parent
    texts = tuple(sorted(path for path in folder.iterdir() if path.is_file() and _TEXT.match(path.name)))
    yield Part(f"{package['name']} {package['version']}", package["license"], texts)
    for name, (licence, files) in _WITHIN.get(package["name"], {}).items():
        yield Part(
            f"{name} (in {package['name']} {package['version']})",
            licence,
            tuple(folder / each for each in files),
        )


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
