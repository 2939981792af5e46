"""Where the numbers come from: versions, hosts, congestion control read back, lateness of the link."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version

import numpy as np

from bentpipe.ledger import Entry
from bentpipe.model.flow import FlowsWorkload
from bentpipe.model.record import ConnectionReport
from bentpipe.model.spec import RunSpec
from bentpipe.report.source import Source

_MOST_VALUES = 4
STATISTICS_BY = ("numpy", "scipy", "pyarrow")
"""The packages that a report's numbers go through, from the series to the intervals."""


@dataclass(frozen=True, kw_only=True)
class ReadBack:
    """One congestion control as asked for and as found at one end of the connections."""

    asked: str
    end: str
    found: str
    connections: int


@dataclass(frozen=True, kw_only=True)
class Lateness:
    """Over attempts: the 99.9th percentile of release lateness, and the largest lateness of all."""

    n: int
    p999_median_s: float
    p999_p95_s: float
    p999_max_s: float
    largest_s: float | None
    bounds_s: tuple[float, ...]


@dataclass(frozen=True, kw_only=True)
class Origins:
    """Provenance of a campaign: each fact with the values that it had."""

    engines: tuple[str, ...]
    facts: tuple[tuple[str, tuple[str, ...]], ...]
    read_back: tuple[ReadBack, ...]
    lateness: Lateness | None
    statistics_by: tuple[tuple[str, str], ...]
    """Packages and their versions, of the report and not of the measurement."""


def gather(source: Source) -> Origins:
    """Gather the provenance of all attempts."""
    names = dict.fromkeys(name for facts in source.provenances for name in facts)
    return Origins(
        engines=tuple(sorted(source.runs["engine"].unique())),
        facts=tuple((name, _values(source.provenances, name)) for name in names),
        read_back=_read_back(source.transfers),
        lateness=_lateness(source),
        statistics_by=tuple((name, version(name)) for name in STATISTICS_BY),
    )


def _values(provenances: Sequence[Mapping[str, str]], name: str) -> tuple[str, ...]:
    """The distinct values; of many, such as times, the first and the last."""
    values = sorted({str(facts[name]) for facts in provenances if name in facts})
    if len(values) <= _MOST_VALUES:
        return tuple(values)
    return (values[0], f"({len(values) - 2} more)", values[-1])


def _read_back(entries: Iterable[Entry]) -> tuple[ReadBack, ...]:
    counts = Counter(
        (_asked(record.spec, connection), end, connection.congestion_control)
        for record in (entry.record for entry in entries)
        for end, connections in (
            ("client", record.client_connections),
            ("origin", record.origin_connections),
        )
        for connection in connections
    )
    return tuple(
        ReadBack(asked=asked, end=end, found=found, connections=count)
        for (asked, end, found), count in sorted(counts.items())
    )


def _asked(spec: RunSpec, connection: ConnectionReport) -> str:
    """The congestion control asked for a connection: its flow's, or else the run's."""
    if isinstance(spec.workload, FlowsWorkload) and connection.flow is not None:
        return spec.workload.flows[connection.flow].cc
    return spec.cc


def _lateness(source: Source) -> Lateness | None:
    p999, largest = (
        source.runs[name].drop_nulls().to_numpy() for name in ("lateness_p999_s", "lateness_max_s")
    )
    if not len(p999):
        return None
    bounds = {entry.record.spec.validity.lateness_p999_ns / 1e9 for entry in source.entries}
    return Lateness(
        n=len(p999),
        p999_median_s=float(np.median(p999)),
        p999_p95_s=float(np.quantile(p999, 0.95)),
        p999_max_s=float(p999.max()),
        largest_s=float(largest.max()) if len(largest) else None,
        bounds_s=tuple(sorted(bounds)),
    )
