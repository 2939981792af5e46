"""What the loads of the study's page came to: one value of each."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from bentpipe.stats import select
from bentpipe.studies.caviglione2014.one_load import load
from bentpipe.studies.loads import FORWARD, RETURN, busiest_bps
from bentpipe.studies.study import Run, Runs

BUSIEST_S = 1.0
"""Wireshark's graphs of input and output, with which the study measures, count by seconds."""

Factors: TypeAlias = dict[str, str]


@dataclass(frozen=True, kw_only=True)
class Quantity:
    """One value of each load that has it."""

    name: str
    unit: str
    decimals: int
    of_one: Callable[[Run], float | None]

    def of(self, runs: Sequence[Run]) -> list[float]:
        """The values of some loads."""
        found = map(self.of_one, runs)
        return [value for value in found if value is not None]


def _both_ways_kb(run: Run) -> float | None:
    found = load(run)
    if found.data_down_bytes is None or found.data_up_bytes is None:
        return None
    return (found.data_down_bytes + found.data_up_bytes) / 1e3


def _mean_rate_kbps(run: Run) -> float | None:
    """All IP bytes, both directions, over the load time, in kB/s."""
    found = load(run)
    return None if found.time_s is None else found.wire_bytes / 1e3 / found.time_s


def _busiest_kbps(run: Run) -> float | None:
    found = busiest_bps(run, window_s=BUSIEST_S, directions=(FORWARD, RETURN))
    return None if found is None else found / 8e3


def _data_kb(run: Run) -> float | None:
    found = load(run).data_down_bytes
    return None if found is None else found / 1e3


PLT = Quantity(name="load time", unit="s", decimals=1, of_one=lambda run: load(run).time_s)
DATA = Quantity(name="data", unit="kB", decimals=0, of_one=_data_kb)
DATA_BOTH_WAYS = Quantity(name="data of both directions", unit="kB", decimals=0, of_one=_both_ways_kb)
WIRE = Quantity(
    name="bytes on the wire", unit="kB", decimals=0, of_one=lambda run: load(run).wire_bytes / 1e3
)
ROUND_TRIP = Quantity(
    name="round trip", unit="s", decimals=2, of_one=lambda run: run.metrics.get("rtt_mean_s")
)
MEAN_RATE = Quantity(name="average rate", unit="kB/s", decimals=1, of_one=_mean_rate_kbps)
BUSIEST = Quantity(name="throughput of the busiest second", unit="kB/s", decimals=0, of_one=_busiest_kbps)
CONNECTIONS = Quantity(
    name="connections", unit="", decimals=0, of_one=lambda run: float(load(run).connections)
)
FIRST_CONNECTION = Quantity(
    name="connection of the document", unit="s", decimals=1, of_one=lambda run: load(run).first_connection_s
)


def values(runs: Runs, quantity: Quantity, cell: Factors) -> list[float]:
    """One quantity of each succeeded load of a cell that has it."""
    return quantity.of(select(runs, **cell))
