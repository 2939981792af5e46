"""Names of a package that are imported when they are first asked for (PEP 562)."""

from collections.abc import Callable, Mapping
from importlib import import_module


def importer(package: str, homes: Mapping[str, tuple[str, str]]) -> Callable[[str], object]:
    """Return a package's `__getattr__`.

    Parameters
    ----------
    package : str
        Its name.
    homes : mapping of str to (str, str)
        By public name the module below the package, and the name there. No name may be that of a module,
        which would hide it.

    Returns
    -------
    callable
        It returns what a name stands for, and raises an AttributeError for a name that is not in `homes`.
    """

    def found(name: str) -> object:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module, attribute = homes[name]
        return getattr(import_module(f"{package}.{module}"), attribute)

    return found
