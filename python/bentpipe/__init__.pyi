"""What `import bentpipe` offers, for editors and type checkers."""

from bentpipe.api.calls import open_results as open
from bentpipe.api.calls import reproduce, run
from bentpipe.api.plot import Plot
from bentpipe.api.results import Results
from bentpipe.api.scenario import Scenario
from bentpipe.errors import AbilityError, BentpipeError, ClusterError, InputError, StorageError

__version__: str

__all__ = [
    "AbilityError",
    "BentpipeError",
    "ClusterError",
    "InputError",
    "Plot",
    "Results",
    "Scenario",
    "StorageError",
    "open",
    "reproduce",
    "run",
]
