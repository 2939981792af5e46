"""Pure functions on arrays: intervals, summaries, differences, tests, flows. Nothing here opens a file.

What is here is imported when it is first asked for: one run's figures need neither NumPy nor SciPy.
"""

from bentpipe.on_demand import importer

_NAMES = {
    "best": ("HIGHER_IS_BETTER", "Contender", "Ranking", "rank"),
    "carrier": ("GRANTS", "CarrierUse", "SlotUse", "carrier_use", "slot_use"),
    "connections": ("duplicates",),
    "counter": ("Counter", "Span"),
    "delay_parts": ("FORWARD_PARTS", "RETURN_PARTS", "delay_means"),
    "difference": (
        "Comparison",
        "Difference",
        "absolute_difference",
        "compare",
        "mean_relative_difference",
        "relative_difference",
    ),
    "distribution": ("Distribution", "cumulative", "exceedance"),
    "fairness": ("Competitor", "Sharing", "competitors", "jain_index", "sharing"),
    "flow": ("Flow", "Means", "Phase", "Seconds", "flow_of_series"),
    "frames": ("Frame", "frames_of", "settled_s", "visible"),
    "grouping": (
        "Measured",
        "cell_key",
        "cell_label",
        "factor_label",
        "metric_values",
        "select",
        "values_of",
    ),
    "interval": ("Interval", "mean_interval", "median_interval", "moments_interval"),
    "jackknife": ("jackknife_interval",),
    "layers": ("LAYERS", "Layers", "mean_layers"),
    "losses": ("LossRuns", "loss_runs"),
    "metrics": ("BROWSER_METRICS", "metrics_of"),
    "moments": ("Moments",),
    "path": (
        "DirectionSummary",
        "Durations",
        "Interruption",
        "PathSummary",
        "Range",
        "Stretch",
        "Way",
        "handover_times_s",
        "interrupted_s",
        "open_capacity_bps",
        "path_summary",
        "stretches",
    ),
    "selection": (
        "Bounds",
        "Estimate",
        "Spread",
        "bounds_above",
        "log_estimate",
        "mean_estimate",
        "pooled_spread",
    ),
    "significance": ("ALPHA", "TTest", "t_test"),
    "summary": ("Summary", "representative", "summarise"),
}
"""By module what it has for others; their types are in `__init__.pyi`."""

_HOMES = {name: (module, name) for module, names in _NAMES.items() for name in names}

__all__ = [*_HOMES]

__getattr__ = importer(__name__, _HOMES)
