"""Bentpipe: a testbed for web and transport protocols over satellite links.

`bentpipe.run(link=..., page=..., http=[...])` measures and returns `Results`; docs/guide/python.md has more.
What is public is imported when it is first asked for, so that commands and programs pay for what they use.
"""

from bentpipe.on_demand import importer as _importer

__version__ = "0.2.0"

_HOMES = {
    "AbilityError": ("errors", "AbilityError"),
    "BentpipeError": ("errors", "BentpipeError"),
    "ClusterError": ("errors", "ClusterError"),
    "InputError": ("errors", "InputError"),
    "Plot": ("api.plot", "Plot"),
    "Results": ("api.results", "Results"),
    "Scenario": ("api.scenario", "Scenario"),
    "StorageError": ("errors", "StorageError"),
    "open": ("api.calls", "open_results"),
    "reproduce": ("api.calls", "reproduce"),
    "run": ("api.calls", "run"),
}
"""By public name the module and the name there; their types are in `__init__.pyi`."""

__all__ = [*_HOMES]


__getattr__ = _importer(__name__, _HOMES)


def __dir__() -> list[str]:
    """Return what is public, for completion."""
    return sorted([*__all__, "__version__"])
