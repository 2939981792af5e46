"""Runs as OpenMetrics text: of each metric a family of gauges, of each run a sample (OpenMetrics 1.0)."""

import re
from collections.abc import Iterable, Iterator, Mapping

from bentpipe.export.units import unit_of
from bentpipe.ledger import Entry
from bentpipe.stats.metrics import METRICS

FILE = "runs.openmetrics"
PREFIX = "bentpipe_"
UNITS = {"s": "seconds", "bit/s": "bits_per_second", "B": "bytes", "%": "ratio"}
"""What the standard calls them; it has ratios in place of percents."""
RATIOS = ("utilisation", "ack_utilisation", "ping_loss_fraction")
_WORDS = ("s", "bps", "bytes", "percent", "fraction")


def openmetrics(entries: Iterable[Entry]) -> str:
    """Return the text of the attempts that are judged, those that succeeded with their metrics.

    `bentpipe_run_info` is there for each run, with its status; labels are its factors, `run_id` and
    `repetition`.
    """
    runs = list(entries)
    lines = ["# TYPE bentpipe_run info"]
    lines += [
        f"bentpipe_run_info{_labels({**_own(run), 'status': run.status, **run.factors})} 1" for run in runs
    ]
    for metric in METRICS:
        samples = [(run, value) for run in runs if (value := _value(run, metric)) is not None]
        if samples:
            lines += _family(metric, samples)
    return "\n".join([*lines, "# EOF", ""])


def family_name(metric: str) -> tuple[str, str | None]:
    """Return what the family of a metric is called, and its unit, in which the name ends if it has one."""
    unit = "ratio" if metric in RATIOS else UNITS.get(unit_of(metric) or "")
    words = [word for word in metric.split("_") if word not in _WORDS]
    return PREFIX + "_".join([*words, *([unit] if unit else [])]), unit


def _family(metric: str, samples: Iterable[tuple[Entry, float]]) -> Iterator[str]:
    name, unit = family_name(metric)
    scale = 0.01 if unit_of(metric) == "%" else 1.0
    yield f"# TYPE {name} gauge"
    if unit is not None:
        yield f"# UNIT {name} {unit}"
    for run, value in samples:
        yield f"{name}{_labels({**_own(run), **run.factors})} {float(scale * value)!r}"


def _value(run: Entry, metric: str) -> float | None:
    return run.metrics.get(metric) if run.status == "succeeded" else None


def _own(run: Entry) -> dict[str, str]:
    return {"run_id": run.run_id, "repetition": str(run.repetition)}


def _labels(labels: Mapping[str, str]) -> str:
    written = [f'{re.sub("[^A-Za-z0-9_]", "_", name)}="{_escaped(value)}"' for name, value in labels.items()]
    return f"{{{','.join(written)}}}"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
