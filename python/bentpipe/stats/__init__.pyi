"""What `bentpipe.stats` offers, for editors and type checkers."""

from bentpipe.stats.best import HIGHER_IS_BETTER, Contender, Ranking, rank
from bentpipe.stats.carrier import GRANTS, CarrierUse, SlotUse, carrier_use, slot_use
from bentpipe.stats.connections import duplicates
from bentpipe.stats.counter import Counter, Span
from bentpipe.stats.delay_parts import FORWARD_PARTS, RETURN_PARTS, delay_means
from bentpipe.stats.difference import (
    Comparison,
    Difference,
    absolute_difference,
    compare,
    mean_relative_difference,
    relative_difference,
)
from bentpipe.stats.distribution import Distribution, cumulative, exceedance
from bentpipe.stats.fairness import Competitor, Sharing, competitors, jain_index, sharing
from bentpipe.stats.flow import Flow, Means, Phase, Seconds, flow_of_series
from bentpipe.stats.frames import Frame, frames_of, settled_s, visible
from bentpipe.stats.grouping import (
    Measured,
    cell_key,
    cell_label,
    factor_label,
    metric_values,
    select,
    values_of,
)
from bentpipe.stats.interval import Interval, mean_interval, median_interval, moments_interval
from bentpipe.stats.jackknife import jackknife_interval
from bentpipe.stats.layers import LAYERS, Layers, mean_layers
from bentpipe.stats.losses import LossRuns, loss_runs
from bentpipe.stats.metrics import BROWSER_METRICS, metrics_of
from bentpipe.stats.moments import Moments
from bentpipe.stats.path import (
    DirectionSummary,
    Durations,
    Interruption,
    PathSummary,
    Range,
    Stretch,
    Way,
    handover_times_s,
    interrupted_s,
    open_capacity_bps,
    path_summary,
    stretches,
)
from bentpipe.stats.selection import (
    Bounds,
    Estimate,
    Spread,
    bounds_above,
    log_estimate,
    mean_estimate,
    pooled_spread,
)
from bentpipe.stats.significance import ALPHA, TTest, t_test
from bentpipe.stats.summary import Summary, representative, summarise

__all__ = [
    "ALPHA",
    "BROWSER_METRICS",
    "FORWARD_PARTS",
    "GRANTS",
    "HIGHER_IS_BETTER",
    "LAYERS",
    "RETURN_PARTS",
    "Bounds",
    "CarrierUse",
    "Comparison",
    "Competitor",
    "Contender",
    "Counter",
    "Difference",
    "DirectionSummary",
    "Distribution",
    "Durations",
    "Estimate",
    "Flow",
    "Frame",
    "Interruption",
    "Interval",
    "Layers",
    "LossRuns",
    "Means",
    "Measured",
    "Moments",
    "PathSummary",
    "Phase",
    "Range",
    "Ranking",
    "Seconds",
    "Sharing",
    "SlotUse",
    "Span",
    "Spread",
    "Stretch",
    "Summary",
    "TTest",
    "Way",
    "absolute_difference",
    "bounds_above",
    "carrier_use",
    "cell_key",
    "cell_label",
    "compare",
    "competitors",
    "cumulative",
    "delay_means",
    "duplicates",
    "exceedance",
    "factor_label",
    "flow_of_series",
    "frames_of",
    "handover_times_s",
    "interrupted_s",
    "jackknife_interval",
    "jain_index",
    "log_estimate",
    "loss_runs",
    "mean_estimate",
    "mean_interval",
    "mean_layers",
    "mean_relative_difference",
    "median_interval",
    "metric_values",
    "metrics_of",
    "moments_interval",
    "open_capacity_bps",
    "path_summary",
    "pooled_spread",
    "rank",
    "relative_difference",
    "representative",
    "select",
    "settled_s",
    "sharing",
    "slot_use",
    "stretches",
    "summarise",
    "t_test",
    "values_of",
    "visible",
]
