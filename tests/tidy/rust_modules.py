"""Which modules of a crate use which: `use` declarations and paths, re-exports followed to their source."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

Module = tuple[str, ...]
"""Names from the root of the crate on; the root itself has none."""

_COMMENT = re.compile(r"//[^\n]*")
_TESTS = re.compile(
    r"#\[cfg\((?:test\)|any\(test[^\n]*|all\(test[^\n]*)\]\s*(?:pub )?mod \w+ \{.*", re.DOTALL
)
_USE = re.compile(r"\b(?P<reexport>pub(?:\([^)]*\))? )?use (?P<tree>[^;]+);")
_PATH = re.compile(r"\b(?:crate|super)(?:::\w+)+")


def dependencies(source: Path) -> dict[Module, set[Module]]:
    """Return the modules that each module of a crate uses, by the folder of its sources; unit tests left out.

    A module that declares another does not use it by that.
    """
    texts = {_name(path, source): _code(path) for path in sorted(source.rglob("*.rs"))}
    reexports = {module: dict(_reexports(module, text, texts)) for module, text in texts.items()}
    return {
        module: {
            found for path in _paths(module, text, texts) if (found := _resolved(path, reexports)) != module
        }
        for module, text in texts.items()
    }


def _name(path: Path, source: Path) -> Module:
    parts = path.relative_to(source).with_suffix("").parts
    return parts[:-1] if parts[-1] in ("mod", "lib", "main") else parts


def _code(path: Path) -> str:
    return _TESTS.sub("", _COMMENT.sub("", path.read_text()))


def _reexports(module: Module, text: str, modules: Mapping[Module, str]) -> Iterator[tuple[str, Module]]:
    """What others may name as if it were the module's own, with the full path of each."""
    for match in _USE.finditer(text):
        for path, name in _tree(match["tree"]):
            full = _absolute(path, module, modules)
            if full is not None:
                yield name, full


def _paths(module: Module, text: str, modules: Mapping[Module, str]) -> Iterator[Module]:
    for match in _USE.finditer(text):
        for path, _ in _tree(match["tree"]):
            full = _absolute(path, module, modules)
            # What a module passes on of its own parts it need not use itself.
            if full is not None and not (match["reexport"] and full[: len(module)] == module):
                yield full
    for match in _PATH.finditer(_USE.sub("", text)):
        full = _absolute(tuple(match[0].split("::")), module, modules)
        if full is not None:
            yield full


def _tree(text: str) -> Iterator[tuple[Module, str]]:
    """The paths of a use tree, each with the name that it gets."""
    text = text.strip()
    head, brace, rest = text.partition("{")
    if not brace:
        path, _, alias = (part.strip() for part in text.partition(" as "))
        parts = tuple(path.split("::"))
        yield parts, alias or parts[-1]
        return
    prefix, depth, start = head.removesuffix("::"), 0, 0
    inner = rest.strip().removesuffix("}")
    for place, letter in enumerate(inner + ","):
        depth += (letter == "{") - (letter == "}")
        if letter == "," and depth == 0:
            part, start = inner[start:place].strip(), place + 1
            if part:
                yield from _tree(f"{prefix}::{part}" if prefix else part)


def _absolute(path: Module, module: Module, modules: Mapping[Module, str]) -> Module | None:
    """The path from the root of the crate on; None of what is of another crate."""
    if path[0] == "crate":
        return path[1:]
    if path[0] not in ("self", "super"):
        return (*module, *path) if (*module, path[0]) in modules else None
    base, rest = module, path
    while rest and rest[0] in ("self", "super"):
        base, rest = (base[:-1] if rest[0] == "super" else base), rest[1:]
    return (*base, *rest)


def _resolved(path: Module, reexports: Mapping[Module, Mapping[str, Module]]) -> Module:
    """The module in which what a path names is defined."""
    for _ in range(len(reexports)):
        known = max(range(len(path) + 1), key=lambda n: n if path[:n] in reexports else -1)
        module, rest = path[:known], path[known:]
        if not rest or rest[0] not in reexports[module]:
            return module
        path = (*reexports[module][rest[0]], *rest[1:])
    return path
