"""A record's metrics: the network's, and what a browser adds to them."""

from bentpipe.model.record import RunRecord

BROWSER_METRICS = ("paint_fcp_s", "paint_lcp_s", "speed_index_s", "loaded_s")
"""Of a record's `browser`: those by which loads are compared."""


def metrics_of(record: RunRecord) -> dict[str, float | None]:
    """Return every metric of a run by its name, drops by direction and cause (`drops_forward_queue`).

    A browser's are absent where it has not told them.
    """
    metrics: dict[str, float | None] = {name: value for name, value in record.metrics if name != "drops"}
    for direction, causes in record.metrics.drops:
        metrics |= {f"drops_{direction.rstrip('_')}_{cause}": count for cause, count in causes}
    browser = dict(record.browser or ())
    return metrics | {name: browser[name] for name in BROWSER_METRICS if browser.get(name) is not None}
