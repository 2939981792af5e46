"""What the server has done and what it watches as OpenMetrics, by the client library of Prometheus."""

import resource
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from prometheus_client import CollectorRegistry
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, InfoMetricFamily, Metric
from prometheus_client.openmetrics.exposition import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.registry import Collector

from bentpipe import __version__
from bentpipe.workbench.messages import CampaignState
from bentpipe.workbench.pool import Pool

CONTENT_TYPE = CONTENT_TYPE_LATEST
_PAGE_BYTES = resource.getpagesize()


def text(pool: Pool, campaign: CampaignState | None) -> bytes:
    """Return all metrics of this moment."""
    registry = CollectorRegistry()
    registry.register(_Now(pool=pool, campaign=campaign))
    written: bytes = generate_latest(registry)  # type: ignore[no-untyped-call]
    return written


@dataclass(frozen=True, kw_only=True)
class _Now(Collector):
    pool: Pool
    campaign: CampaignState | None

    def collect(self) -> Iterator[Metric]:
        """Yield the families in the order in which they are written."""
        yield InfoMetricFamily("bentpipe_build", "The version that serves.", value={"version": __version__})
        yield GaugeMetricFamily(
            "bentpipe_memory_bytes", "Resident memory of the server.", value=_resident_bytes(), unit="bytes"
        )
        yield from self._workbench()
        if self.campaign is not None:
            yield from _campaign(self.campaign)

    def _workbench(self) -> Iterator[Metric]:
        pool = self.pool
        yield GaugeMetricFamily(
            "bentpipe_workbench_comparisons", "Comparisons under way.", value=pool.streams
        )
        work = CounterMetricFamily(
            "bentpipe_workbench_work",
            "Runs and figures of comparisons, by what became of them.",
            labels=["end"],
        )
        work.add_metric(["done"], pool.ended)
        work.add_metric(["withdrawn"], pool.withdrawn)
        yield work


def _campaign(state: CampaignState) -> Iterator[Metric]:
    labels = {"campaign": state.name, "engine": state.engine}
    names, values = list(labels), list(labels.values())
    planned = GaugeMetricFamily("bentpipe_campaign_runs_planned", "Runs of the campaign.", labels=names)
    planned.add_metric(values, state.planned)
    yield planned
    runs = GaugeMetricFamily(
        "bentpipe_campaign_runs", "Runs that have ended, by how they did.", labels=[*names, "status"]
    )
    for status, count in (
        ("succeeded", state.succeeded), ("failed", state.failed), ("invalid", state.invalid),
    ):  # fmt: skip
        runs.add_metric([*values, status], count)
    yield runs
    # A gauge: a folder that is replaced begins anew, and a server that starts has not seen them happen.
    attempts = GaugeMetricFamily(
        "bentpipe_campaign_attempts", "Attempts at runs, repeated ones included.", labels=names
    )
    attempts.add_metric(values, state.attempts)
    yield attempts
    readable = GaugeMetricFamily(
        "bentpipe_campaign_readable", "Whether the folder of results could be read.", labels=names
    )
    readable.add_metric(values, 0 if state.problem else 1)
    yield readable
    means = GaugeMetricFamily(
        "bentpipe_campaign_mean",
        "Mean of the headline quantity over the succeeded runs of a cell, in its unit.",
        labels=[*names, "cell", "quantity", "unit"],
    )
    for cell in state.cells:
        if cell.mean is not None:
            means.add_metric([*values, cell.label, cell.quantity, cell.unit], cell.mean)
    yield means


def _resident_bytes() -> int:
    """Return the memory that this process has now (proc(5), statm)."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * _PAGE_BYTES
