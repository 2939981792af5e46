"""Pure functions on arrays: intervals, summaries, differences. Nothing here opens a file."""

from bentpipe.stats.difference import Difference, mean_relative_difference, relative_difference
from bentpipe.stats.grouping import Measured, cell_key, cell_label, metric_values, select, values_of
from bentpipe.stats.interval import Interval, mean_interval, median_interval
from bentpipe.stats.summary import Summary, representative, summarise

__all__ = [
    "Difference",
    "Interval",
    "Measured",
    "Summary",
    "cell_key",
    "cell_label",
    "mean_interval",
    "mean_relative_difference",
    "median_interval",
    "metric_values",
    "relative_difference",
    "representative",
    "select",
    "summarise",
    "values_of",
]
