"""What `import bentpipe` offers, for editors and type checkers."""

from bentpipe.api import Plot, Results, Scenario, reproduce, run
from bentpipe.api import open_results as open
from bentpipe.errors import AbilityError, BentpipeError, InputError, StorageError

__version__: str

__all__ = [
    "AbilityError",
    "BentpipeError",
    "InputError",
    "Plot",
    "Results",
    "Scenario",
    "StorageError",
    "open",
    "reproduce",
    "run",
]
