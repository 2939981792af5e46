"""What `import bentpipe` offers, for editors and type checkers."""

from bentpipe.api import Plot as Plot
from bentpipe.api import Results as Results
from bentpipe.api import Scenario as Scenario
from bentpipe.api import open_results as open
from bentpipe.api import reproduce as reproduce
from bentpipe.api import run as run
from bentpipe.errors import AbilityError as AbilityError
from bentpipe.errors import BentpipeError as BentpipeError
from bentpipe.errors import InputError as InputError
from bentpipe.errors import StorageError as StorageError

__version__: str
__all__: list[str]
