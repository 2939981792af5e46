"""A record's metrics: the network's, and what a browser adds to them."""

from collections.abc import Mapping
from typing import Any

BROWSER_METRICS = ("paint_fcp_s", "paint_lcp_s", "speed_index_s", "loaded_s")
"""Of a record's `browser`: those by which loads are compared."""


def metrics_of(record: Mapping[str, Any]) -> dict[str, Any]:
    """Every metric of a run by its name; a browser's are absent where it has not told them."""
    browser = record.get("browser") or {}
    told = {name: browser[name] for name in BROWSER_METRICS if browser.get(name) is not None}
    return {**record["metrics"], **told}
