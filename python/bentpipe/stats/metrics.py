"""A record's metrics: the network's, and what a browser adds to them."""

from bentpipe.model.metrics import DropCounts, Drops, Metrics
from bentpipe.model.record import RunRecord

BROWSER_METRICS = ("paint_fcp_s", "paint_lcp_s", "speed_index_s", "loaded_s")
"""Of a record's `browser`: those by which loads are compared."""

_DROPS = tuple(
    f"drops_{direction.rstrip('_')}_{cause}"
    for direction in Drops.model_fields
    for cause in DropCounts.model_fields
)

METRICS = (*(name for name in Metrics.model_fields if name != "drops"), *_DROPS, *BROWSER_METRICS)
"""Every metric that a run may have, in the order of tables."""

COUNTS = frozenset(
    name for name, field in Metrics.model_fields.items() if field.annotation in (int, int | None)
) | frozenset(_DROPS)
"""Those that are whole numbers."""


def metrics_of(record: RunRecord) -> dict[str, float | None]:
    """Return every metric of a run by its name, drops by direction and cause (`drops_forward_queue`).

    A browser's are absent where it has not told them.
    """
    metrics: dict[str, float | None] = {name: value for name, value in record.metrics if name != "drops"}
    for direction, causes in record.metrics.drops:
        metrics |= {f"drops_{direction.rstrip('_')}_{cause}": count for cause, count in causes}
    browser = dict(record.browser or ())
    return metrics | {name: browser[name] for name in BROWSER_METRICS if browser.get(name) is not None}
