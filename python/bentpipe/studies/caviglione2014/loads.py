"""The loads of the study's page by variant and scheme, and what is compared of them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bentpipe.stats import metric_values, select
from bentpipe.studies.caviglione2014.cells import Variant
from bentpipe.studies.loads import busiest_bps, content_bytes, wire_bytes
from bentpipe.studies.study import Run, Runs

BUSIEST_S = 1.0
"""The publication does not say what its throughputs are over; they are above the means."""


@dataclass(frozen=True, kw_only=True)
class Quantity:
    """One value of each load."""

    name: str
    slug: str
    unit: str
    decimals: int
    of: Callable[[Sequence[Run]], list[float]]


PLT = Quantity(
    name="load time", slug="load-time", unit="s", decimals=1, of=lambda runs: metric_values(runs, "plt_s")
)
DATA = Quantity(
    name="data",
    slug="data",
    unit="kB",
    decimals=0,
    of=lambda runs: [size / 1e3 for size in content_bytes(runs)],
)
WIRE = Quantity(
    name="bytes on the wire",
    slug="bytes",
    unit="kB",
    decimals=0,
    of=lambda runs: [size / 1e3 for size in wire_bytes(runs)],
)
RTT = Quantity(
    name="round trip",
    slug="round-trip",
    unit="s",
    decimals=2,
    of=lambda runs: metric_values(runs, "rtt_mean_s"),
)
BUSIEST = Quantity(
    name="throughput of the busiest second",
    slug="throughput",
    unit="kB/s",
    decimals=0,
    of=lambda runs: [bps / 8e3 for bps in busiest_bps(runs, window_s=BUSIEST_S)],
)
CONNECTIONS = Quantity(
    name="connections",
    slug="connections",
    unit="",
    decimals=1,
    of=lambda runs: [float(len(run.record.client_connections)) for run in runs],
)


def loads(runs: Runs, variant: Variant, scheme: str, **others: str) -> list[Run]:
    """The succeeded loads of a variant with a scheme."""
    return select(runs, **variant.cell(scheme, **others))


def values(runs: Runs, quantity: Quantity, variant: Variant, scheme: str, **others: str) -> list[float]:
    """One quantity of each of them that has it."""
    return quantity.of(loads(runs, variant, scheme, **others))
