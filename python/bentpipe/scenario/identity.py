"""What makes a specification the one it is."""

from typing import Any


def identity(spec: Any) -> Any:
    """Return a specification, or a document of several, without the folders that its files lie in.

    A file's digest says what it holds, and the engines hold it to that: the same files elsewhere make the
    same runs.
    """
    if isinstance(spec, dict):
        is_file = "sha256" in spec
        return {key: identity(value) for key, value in spec.items() if not (is_file and key == "folder")}
    if isinstance(spec, list):
        return [identity(value) for value in spec]
    return spec
