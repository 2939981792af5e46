"""Page loads of browsers by the names and in the form of Chrome's UX Report (CrUX API, `queryRecord`).

Times are in ms; the ends of the bins are those of Web Vitals (web.dev/articles/vitals, /fcp, /lcp, /ttfb).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from bentpipe.stats import Measured, metric_values

NAMES = {
    "paint_fcp_s": "first_contentful_paint",
    "paint_lcp_s": "largest_contentful_paint",
    "ttfb_s": "experimental_time_to_first_byte",
}
"""What CrUX calls the metrics of records that it has too."""
BINS_MS = {
    "first_contentful_paint": (0, 1800, 3000),
    "largest_contentful_paint": (0, 2500, 4000),
    "experimental_time_to_first_byte": (0, 800, 1800),
}
"""Where good, needs improvement and poor start."""
PERCENTILE = 75
_MS = 1000


@dataclass(frozen=True, kw_only=True)
class CruxRecord:
    """The metrics of a cell as a record of CrUX has them.

    Attributes
    ----------
    factors : mapping of str to str
        Of the cell.
    runs : int
        Behind it.
    metrics : mapping of str to times in ms
        By CrUX's names, those that the browsers have told.
    """

    factors: Mapping[str, str]
    runs: int
    metrics: Mapping[str, Sequence[float]]

    def document(self) -> dict[str, object]:
        """Return it as JSON: `key` and `metrics` are CrUX's, `factors` and `runs` ours."""
        return {
            "key": {"formFactor": "DESKTOP", "url": self.factors.get("page", "")},
            "metrics": {name: _metric(times_ms, BINS_MS[name]) for name, times_ms in self.metrics.items()},
            "factors": dict(self.factors),
            "runs": self.runs,
        }


def crux_record(factors: Mapping[str, str], runs: Iterable[Measured]) -> CruxRecord | None:
    """Return the record of a cell by its succeeded runs; None where no browser told its paints."""
    members = list(runs)
    found = {name: metric_values(members, metric) for metric, name in NAMES.items()}
    if not found["first_contentful_paint"]:
        return None
    metrics = {name: [_MS * value for value in values] for name, values in found.items() if values}
    return CruxRecord(factors=factors, runs=len(found["first_contentful_paint"]), metrics=metrics)


def _metric(times_ms: Sequence[float], starts_ms: Sequence[int]) -> dict[str, object]:
    ends: list[dict[str, int]] = [*({"end": start} for start in starts_ms[1:]), {}]
    return {
        "histogram": [
            {"start": start, **end, "density": _density(times_ms, start, end.get("end"))}
            for start, end in zip(starts_ms, ends, strict=True)
        ],
        "percentiles": {f"p{PERCENTILE}": round(float(np.percentile(times_ms, PERCENTILE)))},
    }


def _density(times_ms: Sequence[float], start: float, end: float | None) -> float:
    within = sum(start <= each and (end is None or each < end) for each in times_ms)
    return round(within / len(times_ms), 4)
