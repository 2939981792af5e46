"""Bentpipe from Python, what `import bentpipe` offers: beside the command line, over the same code."""

from bentpipe.api.plot import Plot
from bentpipe.api.results import Results
from bentpipe.api.run import open_results, reproduce, run
from bentpipe.api.scenario import Scenario

__all__ = ["Plot", "Results", "Scenario", "open_results", "reproduce", "run"]
